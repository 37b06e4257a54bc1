/* Writing the raw log: docs/man/hbdb-recording.5 says what the bytes mean. */
#ifndef HBDB_CAPTURE_RECORD_RECORD_H
#define HBDB_CAPTURE_RECORD_RECORD_H

#include <sys/types.h>

#include "capture/core/core.h"
#include "capture/core/record/clock.h"
#include "capture/core/record/tables.h"

#pragma GCC visibility push(hidden)

/* ---- log.c: the file and its units ---- */

/* Creates the log of this process. `discard`: rows are thrown away, only the
 * header and the lane controls are kept (replay without a record of its own).
 * False: recording is not possible, said on stderr; lanes still work. */
bool hb__log_create(const char *dir, bool discard);
void hb__log_finish(uint32_t state);
/* Of a log that was created before this was known: rank and size, and whether a layer (MPI) gave them; its file gets another name. */
void hb__log_identity(bool layer);
uint64_t hb__log_began(void); /* when the process did, in nanoseconds since the epoch */
/* The process was forked just now: the log is its parent's, and it has none. The same of lane.c, define.c and site.c. */
void hb__log_forked(void);
void hb__lanes_forked(void);
void hb__definitions_forked(void);
void hb__sites_forked(void);
void hb__definitions_again(void); /* ... and begins one: nothing is defined in it yet */
void hb__log_state(uint32_t state);
/* Which program this is, for a log that begins where /proc is not to be seen (chroot). */
void hb__log_remember_program(void);
/* Makes the log grow by 4 MiB of which nothing is used yet. */
void hb__log_ahead(void);
/* Gives the file of the log to another user, who will have to open it. (uid_t)-1: nothing is done. */
void hb__log_give(uid_t user);
void hb__log_signal(uint32_t signal, uint32_t lane); /* lane: its number plus 1, or 0 */
void hb__log_thread_level(int level);
void hb__log_postings(void); /* it tells which thread posted first */
/* The next unit of the file, zeroed, or NULL when recording had to stop. */
void *hb__log_unit(void);
void hb__log_unit_done(struct hb_unit_header *unit);
void hb__log_lost(void);
bool hb__log_stops(void);               /* it gives no units any more */
void hb__log_account(uint64_t account); /* of a ring: which one is in force */
bool hb__log_discards(void);
const char *hb__log_file(void); /* its name in its folder, as of now */

/* ---- ../ring ---- */
/* The same for rows where hb__config.ring: a unit that was used before, when all of the ring is. */
void *hb__ring_unit(void);
void hb__ring_unit_done(struct hb_unit_header *unit);
void hb__ring_function(const struct hb__fn *fn); /* it has been defined */
void hb__ring_forked(void);
uint64_t hb__ring_asked(void); /* the size that HBDB_RING asks for; 0: none */

/* ---- lane.c ---- */
/* number -1: the next one. */
struct hb__lane *hb__lane_create(uint64_t thread, int number);
/* Numbers below n are given by the caller. */
void hb__lanes_reserve(unsigned n);
extern struct hb__lane *hb__lanes;
/* From here on the calls of all lanes are special. */
void hb__lanes_special(void);
void hb__lanes_locked(void);
void hb__lanes_posting(void); /* there are several threads now, or their postings are ordered now */
/* ... others have a part in: the handlers call them, no call goes a quick way. */
void hb__lanes_handled(uint8_t by);
/* Zeroed memory that a thread has for itself as long as it lives, made when it is first asked for; `at` is a pointer of the thread.
 * Only such pointers are thread-local: what is thread-local the C library takes from the stack of every thread, and programs make
 * threads with the smallest stack there may be. NULL: memory is gone. */
void *hb__thread_room(void **at, size_t bytes);
/* Scratch of a call: stays valid until hb__scratch_release(mark). NULL only when memory is gone. */
void *hb__scratch_more(struct hb__lane *lane, size_t bytes);
static inline void *hb__scratch(struct hb__lane *lane, size_t bytes)
{
	uint8_t *p = lane->scratch;
	bytes = (bytes + 15) & ~(size_t)15;
	if (unlikely((size_t)(lane->scratch_end - p) < bytes))
		return hb__scratch_more(lane, bytes);
	lane->scratch = p + bytes;
	return p;
}
static inline void hb__scratch_release(struct hb__lane *lane, uint8_t *mark)
{
	/* A mark in an older region: this region was begun inside the call that ends. */
	bool here = mark >= lane->scratch_base && mark <= lane->scratch_end;
	lane->scratch = here ? mark : lane->scratch_base;
}

/* ---- rows.c ---- */

/* Checksums of a unit to which nothing more is written. */
void hb__unit_sum(struct hb_unit_header *unit);
uint64_t hb__header_sum(const struct hb_log_header *header);
/* The same of the last units of this thread, or of all that are in no call: the process has ended MPI. */
void hb__lanes_sum(bool all);

/* Makes room for a record of at most `need` bytes; false when nothing can be stored. */
bool hb__row_room(struct hb__lane *lane, size_t need);
/* Makes what was written visible: one store. */
static inline void hb__row_commit(struct hb__lane *lane, uint8_t *w)
{
	uint8_t *payload = lane->payload;
	struct hb_unit_header *unit = (void *)(payload - HB_UNIT_PAYLOAD);
	lane->w = w;
	HB_STORE(unit, committed, (uintptr_t)w - (uintptr_t)payload, __ATOMIC_RELEASE);
}
void hb__row_note(const char *text);
/* The name that the program gave to a communicator, datatype or window: "name WHAT NUMBER TEXT". */
void hb__name_note(const char *what, int number, const char *name);
/* A remark as the bytes of its record, in two pieces; NULL: of the process. */
void hb__row_remark(struct hb__lane *lane, const uint8_t *head, size_t n, const uint8_t *rest, size_t m);
/* The same in the lane, before its next event. */
void hb__row_lane_note(struct hb__lane *lane, const char *text);

/* Contents of a collective, sides.c: one piece, or blocks as arrays among the arguments say. */
struct hb__part {
	bool there;
	bool holes;                         /* it is there, but nothing can be said of it */
	uint8_t buf, counts, displs, types; /* numbers of arguments; 0: there is none (but buf) */
	uint8_t count, type;                /* likewise, where they are no arrays; with holes, too */
	int first, blocks;                  /* elements of the arrays; no blocks: one piece */
	int times;                          /* ... of so many counts, from count `first` on; with holes, too */
	uint64_t nobodys;                   /* blocks that are no process's, a bit each */
	int64_t from, bytes,
		unit; /* bytes: of all or, without counts, of a block; unit: of a count of 1, 0: as types says */
};

/* check: a block of malloc. What was said of it, or of other memory, holds as long as *turn is `was`; turn NULL: not any longer. */
struct hb__block {
	uintptr_t start, end; /* 0: no block that is known */
	uint32_t life;
	const uint64_t *turn;
	uint64_t was;
};

/* Where short contents lay the last time: in one page that could be read. They may lie anywhere in it, as long as the slot's `changes`
 * is what hb__page_changes is. */
struct hb__seen {
	uintptr_t from; /* where the page begins; no address that there is: nothing was seen */
	uint32_t last;  /* how far behind that they may begin at most */
	uint32_t bytes;
};

/* ---- slots.c: calls with the same function, place and arguments share a slot ---- */
enum { HB__NOT_IN_A_ROW = 255 };
struct hb__slot {
	/* What each call looks at stands first. */
	const struct hb__fn
		*quick; /* the function, when the layer says that a call may go the quick way; NULL: not so */
	const void *pc;
	uint64_t epoch;
	struct hb__slot *after; /* the slot of the call that came next, the last time; never NULL */
	uint32_t inside;        /* 1 + id, as the control of the lane has it */
	uint16_t row;           /* how the row of an event without results begins ... */
	uint8_t row_bytes;      /* ... one byte, or two */
	uint8_t flags;
	uint64_t changes;     /* of the program's mappings, when `seen` and `got` were set; 0: never */
	struct hb__seen seen; /* what is sent or, of a collective with two buffers, given */
	uint32_t id;
	uint8_t answers;     /* of the layer: what a quick call of it answers */
	bool dense;          /* alone: the buffer of `bytes` has no holes */
	uint8_t check_arg;   /* with the flag check: the contents sent lie in one piece from this argument on */
	int64_t bytes;       /* of one buffer of the first (for receives: last) count; -1 unknown */
	int64_t check_bytes; /* 0: not so */
	uintptr_t key[HB_MAX_RECORDED];
	struct hb__seen got; /* what comes out of a collective with two buffers */
	const struct hb__fn *fn;
	bool plain;    /* the key is the arguments as they stand */
	uint8_t first; /* ... and they stand one behind the other, from this argument on; HB__NOT_IN_A_ROW: not so */
	uint32_t open; /* arguments that may change from call to call (tags), a bit each; bucket is of the others */
	uint32_t site;
	uint8_t nargs;
	uint32_t next; /* in its bucket: 1 + slot, 0 at the end */
	uint32_t bucket;
	uint32_t settled; /* check: nothing more is to be said of such a call; how many handles had ended, plus 1 */
	uintptr_t settled_buffer; /* check: with this buffer, 0: with any */
	struct hb__block memory;  /* check: that it is there was seen with this buffer ... */
	uintptr_t memory_of;
	uint64_t memory_bytes;             /* ... and so many bytes of it; 0: the call uses none */
	int64_t arg[HB_MAX_RECORDED];      /* neutral */
	uint64_t followed;                 /* replay: the definition of a record's slot that was found equal */
	struct hb__part in, in_place, out; /* collectives: what goes in, the same with MPI_IN_PLACE, what comes out */
};
#define HB__SLOTS 4096u
struct hb__slots {
	uint32_t bucket[HB__SLOTS]; /* 1 + slot, 0 at the end */
	uint32_t used, hand;
	uint32_t lives; /* how often a slot was given to another call */
	struct {
		const void *pc;
		uint32_t site;
	} place[64]; /* numbers of call sites, by hash */
	struct {
		uint32_t hash;
		uint32_t n;
	} tags[256];          /* slots that differ in their tags alone, by hash of the rest: how many were made */
	struct hb__slot none; /* of no call */
	struct hb__slot slot[HB__SLOTS];
};
extern uint64_t hb__epoch; /* grows when handles die */

/* A slot that is looked for. The layer says what tells calls apart: `key` has a number for each recorded argument, as it stands or,
 * where it does not tell calls apart (an array, the address of a handle), another one that does. */
struct hb__wanted {
	const void *pc; /* the program's call site; level order: NULL, and no key */
	bool plain;     /* the key is the arguments as they stand, and pc is where the wrapper was called */
	uint32_t tags;  /* arguments of which some programs have a new value at each call, a bit each */
	uintptr_t key[HB_MAX_RECORDED];
};
/* The slot with this key, or a new one: then *ret_new is true, the caller fills `arg` and what belongs to it, and calls
 * hb__slot_define. With tags the slot may be one in which they are open; *ret_changed has a bit for each that is another than in the call
 * before: the caller says so by hb__slot_change. Never NULL. */
struct hb__slot *hb__slot_search(
	const struct hb__call *c, const struct hb__wanted *w, bool *ret_new, uint32_t *ret_changed);
/* Level order: the slot of the function. */
static inline void hb__wanted_function(struct hb__wanted *w)
{
	w->pc = NULL;
	w->plain = false;
	w->tags = 0;
}
/* ... where it is known already; NULL: not so. */
static inline struct hb__slot *hb__slot_of_function(struct hb__lane *lane, const struct hb__fn *fn)
{
	struct hb__slots *t = lane->slots;
	uint32_t at = t->bucket[fn->id];
	struct hb__slot *s = at ? &t->slot[at - 1] : NULL;
	return likely(s && s->fn == fn) ? s : NULL;
}
/* Writes its definition into the lane. */
void hb__slot_define(struct hb__lane *lane, const struct hb__slot *slot);
/* An open argument is another than in the call before: what the key has, and its neutral value. */
void hb__slot_change(struct hb__lane *lane, struct hb__slot *slot, unsigned argument, uintptr_t key, int64_t value);
/* Without a loop, for a send has five of them. */
static inline __attribute__((always_inline)) bool hb__same_arguments(
	const uintptr_t *key, const uintptr_t *a, unsigned n)
{
	uintptr_t other = 0;
	switch (n) {
	default:
		for (; n > 6; n--)
			other |= key[n - 1] ^ a[n - 1];
		__attribute__((fallthrough));
	case 6:
		other |= key[5] ^ a[5];
		__attribute__((fallthrough));
	case 5:
		other |= key[4] ^ a[4];
		__attribute__((fallthrough));
	case 4:
		other |= key[3] ^ a[3];
		__attribute__((fallthrough));
	case 3:
		other |= key[2] ^ a[2];
		__attribute__((fallthrough));
	case 2:
		other |= key[1] ^ a[1];
		__attribute__((fallthrough));
	case 1:
		other |= key[0] ^ a[0];
		__attribute__((fallthrough));
	case 0:
		return !other;
	}
}

/* The slot of the call that comes next, most likely: programs go in loops, and the call that followed the last one before follows it
 * again. NULL: it is another one, to be searched for. *ret_changed as above. */
static inline struct hb__slot *hb__slot_guess(const struct hb__call *c, uint32_t *ret_changed)
{
	struct hb__slot *s = c->lane->last->after;
	if (unlikely(s->pc != c->pc || s->fn != c->fn || !s->plain || s->epoch != hb__epoch))
		return NULL;
	const struct hb__fn *fn = c->fn;
	uint32_t changed = 0;
	*ret_changed = 0;
	if (likely(s->first != HB__NOT_IN_A_ROW && hb__same_arguments(s->key, c->a + s->first, s->nargs)))
		return c->lane->last = s;
	for (unsigned i = 0; i < fn->nrecorded; i++) {
		if (likely(s->key[i] == c->a[fn->recorded[i].arg]))
			continue;
		changed |= 1u << i;
		if (!(s->open & changed & 1u << i))
			return NULL;
	}
	if (unlikely(changed && c->lane->nested)) /* the call around it may stand in the same slot */
		return NULL;
	*ret_changed = changed;
	return c->lane->last = s;
}
/* The slot has a digest of what the argument points to, or names. */
static inline bool hb__is_digest(unsigned kind)
{
	return kind == HB_RECORDED_DIGEST || kind == HB_RECORDED_DIGEST_TYPES || kind == HB_RECORDED_DIGEST_GROUP;
}
/* A handle died or changed its meaning: slots made before are not reused. */
void hb__slots_outdated(void);
struct hb__slots *hb__slots_create(void);

/* The event of a call that is over: its rows. error: its class as the recording has it (HB_ERR_...), 0: it succeeded. */
void hb__row_event(struct hb__call *c, uint64_t exit, int error);

/* The same where it does not fit what hb__row_quick takes for granted. */
void hb__row_unusual(struct hb__lane *lane, const struct hb__slot *slot, uint64_t enter, uint64_t exit, uint16_t check,
	const int64_t *results, size_t n);

/* The two bytes of a uv between 1 << 7 and 1 << 14. */
static inline uint32_t hb__two_bytes(uint32_t v) { return (v + (v & ~0x7fu)) | 0x80; }

static inline __attribute__((always_inline)) uint8_t *hb__row_time(uint8_t *w, uint64_t t)
{
	if (unlikely(t < 0x80 || t >= 1 << 14))
		return hb_put_uv(w, t);
	hb_put16(w, (uint16_t)hb__two_bytes((uint32_t)t));
	return w + 2;
}

/* How a row begins: the slot as its number stands there, and two times; NULL: they do not fit what is taken for granted here. Writes up to
 * HB__ROW_PLAIN bytes. */
#define HB__ROW_PLAIN (4 * HB_UV_MAX)
static inline __attribute__((always_inline)) uint8_t *hb__row_head(
	uint8_t *w, uint16_t row, uint8_t row_bytes, uint64_t gap, uint64_t took, bool results)
{
	hb_put16(w, row | results); /* the lowest bit of a uv is that of its first byte */
	w += row_bytes;
	if (likely((gap | took) < 0x80)) {
		w[0] = (uint8_t)gap;
		w[1] = (uint8_t)took;
		w += 2;
	} else if (gap < 0x80 && took < 1 << 14) { /* what stands behind may be overwritten, too */
		hb_put32(w, (uint32_t)gap | hb__two_bytes((uint32_t)took) << 8);
		w += 3;
	} else {
		if (unlikely((int64_t)(gap | took) < 0))
			return NULL;
		w = hb__row_time(w, gap);
		w = hb__row_time(w, took);
	}
	return w;
}

/* Begins the row of an event that succeeded, of up to n results; NULL: it does not fit what is taken for granted here. checked: 1 or 0
 * where the caller knows whether the slot has a check, -1: it is asked. What follows, when there are results: their number in a
 * byte, and they. */
static inline __attribute__((always_inline)) uint8_t *hb__row_begin(struct hb__lane *lane,
	const struct hb_lane_control *control, const struct hb__slot *slot, uint64_t enter, uint64_t exit, int checked,
	uint16_t check, size_t n, bool results)
{
	uint8_t *w = lane->w;
	if (unlikely(w + n * HB_UV_MAX >= lane->full || control->polls))
		return NULL;
	w = hb__row_head(w, slot->row, slot->row_bytes, enter - lane->last_tick, exit - enter, results);
	if (unlikely(!w))
		return NULL;
	if (checked > 0 || (checked < 0 && slot->flags & HB_SLOT_CHECK)) {
		hb_put16(w, check);
		w += 2;
	}
	lane->last_tick = exit;
	return w;
}

static inline void hb__row_done(struct hb__lane *lane, struct hb_lane_control *control, uint8_t *w)
{
	hb__row_commit(lane, w);
	control->events++;
}

#define HB__ROW_QUICK 127 /* results of an event at most: their number is one byte */
/* The row of an event that succeeded, n <= HB__ROW_QUICK results. */
static inline __attribute__((always_inline)) void hb__row_quick(struct hb__lane *lane, const struct hb__slot *slot,
	uint64_t enter, uint64_t exit, uint16_t check, const int64_t *results, size_t n)
{
	struct hb_lane_control *control = lane->control;
	uint8_t *w = hb__row_begin(lane, control, slot, enter, exit, -1, check, n, n > 0);
	if (unlikely(!w)) {
		hb__row_unusual(lane, slot, enter, exit, check, results, n);
		return;
	}
	if (n)
		*w++ = (uint8_t)n;
	for (size_t i = 0; i < n; i++)
		w = hb_put_sv(w, results[i]);
	hb__row_done(lane, control, w);
}

/* Of any event, quick where it is a usual one without results. */
static inline void hb__row_usual(struct hb__call *c, uint64_t exit, int error)
{
	if (likely(!(c->nresults | (unsigned)error)))
		hb__row_quick(c->lane, c->slot, c->enter, exit, c->check, NULL, 0);
	else
		hb__row_event(c, exit, error);
}

/* Level order: the row of a choice. */
static inline void hb__row_choice(struct hb__call *c, int error)
{
	struct hb__lane *lane = c->lane;
	size_t n = c->nresults;
	bool usual = !(lane->control->polls | (unsigned)error) && n - 1 < HB__ROW_QUICK &&
		     (size_t)(lane->end - lane->w) >= (2 + n) * HB_UV_MAX;
	if (unlikely(!usual)) {
		hb__row_event(c, 0, error);
		return;
	}
	uint8_t *w = lane->w;
	hb_put16(w, c->slot->row | 1);
	w += c->slot->row_bytes;
	*w++ = (uint8_t)n;
	for (size_t i = 0; i < n; i++)
		w = hb_put_sv(w, c->results[i]);
	hb__row_done(lane, lane->control, w);
}

/* ---- define.c: definitions of the whole process ---- */
void hb__define_function(const struct hb__fn *fn);
/* Events of the program itself: what the results of a function are (HB_TYPE_INTEGER and so on); a text. */
void hb__define_values(unsigned function, unsigned n, const uint8_t *type, const char *const *name);
void hb__define_text(uint32_t number, const char *text);

/* ---- texts.c: of the whole process; each is defined when it gets its number ---- */
struct hb__text {
	uint32_t number;
	struct hb__text *next; /* in its bucket */
	char is[];
};
#define HB__TEXT_HASH 1469598103934665603u
/* FNV-1a from h on, of at most so many bytes. */
uint64_t hb__text_hash(uint64_t h, const char *s, size_t most);
bool hb__is_text(const struct hb__text *t, const char *s); /* t may be NULL */
/* The text with this hash; it is kept for ever. NULL: memory is gone. Takes a lock. */
const struct hb__text *hb__text_of(const char *s, uint64_t hash);
void hb__texts_again(void); /* of a process that was forked: it has none */
void hb__define_datatype(int number, uint64_t size, const char *name);
/* The sequence of basic datatypes of one that was defined: elements and digest of all, and its first n runs. */
struct hb__signature_run {
	uint32_t basic;
	uint64_t elements;
};
#define HB__SIGNATURE_RUNS 1024u /* that fit a unit */
void hb__define_signature(
	int number, uint64_t elements, uint64_t digest, const struct hb__signature_run *run, unsigned n);
void hb__define_op(int number, const char *name);
/* What an array of counts or types held whose digest stands in a slot; n up to HB__ARRAY_MAX. */
#define HB__ARRAY_MAX 2048
void hb__define_array(uint64_t digest, const int64_t *value, int n);
/* Which thread made the handle with a number, and as which: hbdb-recording(5), origin. */
void hb__define_origin(unsigned kind, int number, struct hb__origin from);
/* A communicator: hbdb-recording(5), comm. */
struct hb__comm_told {
	int number, parent, leader, rank;
	uint64_t index;
	bool inter;
	int size, remote_size;
	const int *member, *remote; /* ranks in the world, NULL: not known */
};
void hb__define_comm(const struct hb__comm_told *comm);
/* Which process this is, and for which processor: hbdb-recording(5), process and processor. Once, as soon as it is known. */
struct hb__process_told {
	const char *world, *maker; /* empty: not known */
	int maker_rank;            /* -1: not known */
	bool spawned, forked;
};
void hb__define_process(const struct hb__process_told *process);
/* Where it stands in the tree of creation, from the process that hbdb started to itself: hbdb-recording(5), place. */
#define HB__ANCESTORS_MOST 32u
struct hb__ancestor {
	uint64_t started;
	uint32_t pid;
	char name[20];
};
void hb__define_place(const struct hb__ancestor *ancestor, unsigned n);
/* Which network namespace it is in: hbdb-recording(5), network. */
void hb__define_network(uint64_t number);
/* A communicator leads to processes of another world: hbdb-recording(5), bridge. */
struct hb__bridge {
	int comm, root; /* root: as members of communicators are written; -1: none */
	unsigned kind;  /* enum hb_bridge_kind */
	uint64_t entered, returned;
	const char *port; /* NULL: none */
};
void hb__define_bridge(const struct hb__bridge *bridge);
uint32_t hb__define_site(const void *pc);
/* A kind of remarks, once. */
void hb__define_remark(const uint8_t *body, size_t bytes, bool *told);
/* A note and its call site fit without another unit: the file may have got its last length. */
bool hb__definitions_room(void);
void hb__definitions_sum(void);

/* ---- site.c ---- */
/* The program's call site: `pc` itself, or past the frames of language bindings. */
const void *hb__site_of(const void *pc, const void *cfa);
/* True for an address inside the library of a layer (not its language bindings). */
bool hb__in_library(const void *pc);
/* True for an address inside such a language binding. */
bool hb__in_binding(const void *pc);
/* For which layers the call at pc is the program's. What was found is kept by address: one word each, so that no lock is needed. */
enum {
	HB__BRINGS_INPUTS = 1,
	HB__ORDERS_THREADS = 2,
	HB__TALKS = 4,             /* over sockets and pipes */
	HB__TALKS_WITHOUT_MPI = 8, /* ... where no library of MPI is loaded that stands on it */
};
#define HB__CALLER_BITS 4
unsigned hb__of_program(const void *pc);
/* The same by the path of a module: a call from there is the program's, and not one by which a library of MPI talks. */
bool hb__path_talks(const char *path);
/* The nearest of the callers of this thread that brings inputs and is no recorder; found by the unwinder, some microseconds. NULL: none. */
const void *hb__program_above(void);
/* A library of ours that is loaded to record. */
bool hb__is_recorder(const char *path);
void hb__learn_modules(void);
void hb__learn_codes(
	void); /* a layer came: of what was learned before, too, where a constructor asked for an address earlier */
/* Path and load address of the module of an address; false when there is none. */
const char *hb__build_id(uintptr_t base);
bool hb__module_of(const void *pc, const char **ret_path, uintptr_t *ret_base, uintptr_t *ret_end);

#pragma GCC visibility pop

#endif
