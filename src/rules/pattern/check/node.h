/* What is left of a pattern: expressions that never change, whose events are fitted one by one by derivatives.
 *
 * Nodes, and what hangs on them, lie in one arena; between events those that can still be reached are copied into a new one
 * (C. J. Cheney's idea, 1970, recursively), so that what is over costs nothing. NULL is the expression without any way
 * through it; a function that returns a node may return it also because the model has failed (hb_pattern.failed). */
#ifndef HBDB_RULES_PATTERN_NODE_H
#define HBDB_RULES_PATTERN_NODE_H

#include "rules/pattern/language/ast.h"

enum hb__node_kind {
	HB__N_MOVED, /* while copying: to hash */
	HB__N_EMPTY,
	HB__N_ATOM,   /* a message or an action that has not begun */
	HB__N_OPEN,   /* one that has: its end is to come */
	HB__N_WAIT,   /* a form that has not been looked into yet */
	HB__N_LOOP,   /* any number of times the form */
	HB__N_SEQ,    /* a ; b. Of a, the last events that were fitted: m */
	HB__N_STRICT, /* a >> b. Of a, the last events that were fitted: m */
	HB__N_PAR,
	HB__N_CHOICE, /* a list: a is none, b may be one, ordered by hash */
	/* not nodes */
	HB__N_ENV,
	HB__N_MAP,
	HB__N_GONE,
};

struct hb__cell { /* how each thing in the arena begins */
	uint8_t kind;
	bool nullable : 1; /* nothing need come any more */
	bool several : 1;  /* events that were fitted fit in more than one way still */
	bool packed : 1;   /* while packing: its number is in hash */
	uint16_t height;
	uint32_t bytes;
	uint64_t hash;
};

struct hb__env { /* the variables' values */
	struct hb__cell cell;
	hb__value slot[];
};
struct hb__map { /* the last event at each of some processes, the latest behind the others */
	struct hb__cell cell;
	uint64_t n;
	struct {
		int64_t process;
		uint64_t id;
	} at[];
};
struct hb__gone { /* processes that take no more part, ascending */
	struct hb__cell cell;
	uint64_t n;
	int64_t process[];
};

struct hb__node {
	struct hb__cell cell;
	uint64_t filter; /* hb__event_bits of each event that it can take now; more may be set */
	uint64_t may;    /* a bit (number % 64) of each process that may take part; more may be set */
	uint64_t
		must; /* of each process that takes part in any case; fewer may be set, none where there are more than 64 */
	union {
		struct {
			const struct hb__form *form;
			uint64_t label;   /* hash of binding and keys */
			int32_t from, to; /* to: -1 of an action */
		} atom;                   /* behind it the values of its keys: hb__atom_keys */
		struct {
			const struct hb__node *atom;
			uint64_t id; /* of its begin */
		} open;
		struct {
			const struct hb__form *form;
			const struct hb__env *env;
			const struct hb__gone *gone;   /* or NULL */
			const struct hb__node *inside; /* once looked into; of a loop from the beginning: its body */
			int64_t at;                    /* of repeat and seq: how many are through */
		} wait;
		struct {
			const struct hb__node *a, *b;
			const struct hb__map *m; /* or NULL */
		} pair;
	};
};
typedef const struct hb__node hb__node;

static inline hb__value *hb__atom_keys(hb__node *atom) { return (hb__value *)(uintptr_t)(&atom->atom + 1); }
/* Who does the end of what has begun. */
static inline int64_t hb__ends(hb__node *atom) { return atom->atom.to >= 0 ? atom->atom.to : atom->atom.from; }

static inline uint32_t hb__env_slots(const struct hb__env *env)
{
	return (uint32_t)((env->cell.bytes - sizeof *env) / sizeof *env->slot);
}
/* What is inside of one that waits, when it was looked into; else n itself. */
static inline hb__node *hb__looked_into(hb__node *n)
{
	return n->cell.kind == HB__N_WAIT && n->wait.inside ? n->wait.inside : n;
}

#define HB__CHUNK ((size_t)1 << 18)
struct hb__chunk {
	struct hb__chunk *next;
	size_t size;
};
struct hb__arena {
	struct hb__chunk *chunks, *spare;
	char *at, *end;
	size_t used, limit; /* bytes; when to copy */
};

#define HB__ALTERNATIVES 4096
struct hb__known { /* whether there is a way through a call */
	uint64_t hash;
	uint8_t answer;
};

/* What derivatives need to know, and what they tell. */
struct hb__engine {
	hb_pattern *p;
	struct hb__arena arena;
	hb_pattern_before *before;
	void *user;
	struct hb__known *known;
	size_t nknown, known_slots;
	bool assumed;           /* an answer rests on one that is just being looked for */
	uint32_t depth, asking; /* calls that are looked into, and asked about, inside of each other */
	uint32_t budget;        /* of nodes for this event */
	bool undecided;         /* too many ways */
	/* the event at hand */
	uint32_t binding;
	hb_pattern_half half;
	int64_t process, peer;
	const hb__value *key;
	uint32_t nkeys;
	uint64_t id, label, bits, process_bit;
	/* messages of one label that are on their way: asked for their order when there are several */
	bool ask_sent;
	uint64_t sent; /* one that could have been received */
	bool several_sent;
	bool misordered;
	uint64_t misordered_by;
};

extern hb__node hb__empty;

static inline uint64_t hb__process_bit(int64_t process) { return (uint64_t)1 << (process & 63); }
/* Two of the 32 bits that each half has, so that a begin is never taken for an end. */
static inline uint64_t hb__event_bits(uint64_t label, int half, int64_t process)
{
	uint64_t h = hb__mix(label, (uint64_t)process);
	return ((uint64_t)1 << (h & 31) | (uint64_t)1 << (h >> 5 & 31)) << 32 * half;
}
uint64_t hb__label(uint32_t binding, const hb__value *key, uint32_t n);

/* arena.c */
void *hb__cell(struct hb__engine *e, int kind, size_t bytes);
void hb__copy_begin(struct hb__engine *e, struct hb__arena *ret_old);
hb__node *hb__copy_node(struct hb__engine *e, hb__node *n);
void hb__copy_end(struct hb__engine *e, struct hb__arena *old);
void hb__nodes_free(struct hb__arena *arena);

/* build.c: expressions from their parts, made as simple as they are */
hb__node *hb__seq(struct hb__engine *e, hb__node *a, hb__node *b, const struct hb__map *m);
hb__node *hb__strict(struct hb__engine *e, hb__node *a, hb__node *b, const struct hb__map *m);
hb__node *hb__par(struct hb__engine *e, hb__node *a, hb__node *b);
hb__node *hb__choice(struct hb__engine *e, hb__node *a, hb__node *b);
hb__node *hb__open(struct hb__engine *e, hb__node *atom, uint64_t id);
bool hb__equal(hb__node *a, hb__node *b);
/* Of kind SEQ, STRICT, PAR or CHOICE, not made simpler. takes_b: first events of b can come now, as far as it was looked into. */
struct hb__node *hb__pair(
	struct hb__engine *e, int kind, hb__node *a, hb__node *b, const struct hb__map *m, bool takes_b);
const struct hb__map *hb__map_add(struct hb__engine *e, const struct hb__map *m, int64_t process, uint64_t id);

/* expand.c: forms to expressions */
hb__node *hb__expand(
	struct hb__engine *e, const struct hb__form *form, const struct hb__env *env, const struct hb__gone *gone);
/* A form that is looked into when something can come of it. */
hb__node *hb__wait(struct hb__engine *e, const struct hb__form *form, const struct hb__env *env,
	const struct hb__gone *gone, int64_t at);
/* What is inside of one; n itself when it is none. */
hb__node *hb__inside(struct hb__engine *e, hb__node *n);
/* What they are made of, as far as values and forms do not tell it: keys to be filled in and finished. */
struct hb__node *hb__new_atom(struct hb__engine *e, const struct hb__form *form, int32_t from, int32_t to);
hb__node *hb__finish_atom(struct hb__node *atom);
struct hb__node *hb__waiting(struct hb__engine *e, int kind, const struct hb__form *form, const struct hb__env *env,
	const struct hb__gone *gone, int64_t at);
hb__node *hb__finish_loop(struct hb__node *loop, hb__node *inside);
const struct hb__env *hb__finish_env(struct hb__env *env, uint32_t n);
/* Whether an event of b can come while a is not through: if not, b need not be looked into. */
bool hb__blocked(struct hb__engine *e, hb__node *a, hb__node *b);

/* alive.c */
bool hb__alive(struct hb__engine *e, const struct hb__form *form, const hb__value *slot, const struct hb__gone *gone);
bool hb__is_gone(const struct hb__gone *gone, int64_t process);
const struct hb__gone *hb__gone_with(struct hb__engine *e, const struct hb__gone *gone, int64_t process);
/* A process that a form names; -1 and failed when there is no such. */
int64_t hb__process_value(struct hb__engine *e, const struct hb__expr *expr, const hb__value *slot);

/* derive.c */
/* What is left of n's ways when the process takes no more part in it. */
hb__node *hb__prune(struct hb__engine *e, hb__node *n, int64_t process);
/* What is left of n behind the event at hand. */
hb__node *hb__derive(struct hb__engine *e, hb__node *n);

#endif
