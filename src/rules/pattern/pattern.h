/* The user's own description of a correct run (docs/models.md), and a history of events checked against it.
 *
 * A pattern is read from a file of models; its declarations say which events it wants to see (bindings). A check is fed
 * those events in an order that keeps happened-before and says for each key: complete, stopped, wrong. The events come from a
 * recording (history.h), from a trace, or from a test: nothing here knows of recordings.
 *
 * Method: derivatives of expressions, one event at a time (J. Brzozowski, "Derivatives of regular expressions", 1964; sets of them
 * for what is ambiguous: V. Antimirov, 1996), with weak sequencing as in message sequence charts: an event may pass what
 * stands before it when that can do without the event's process.
 *
 * Ownership: what is handed out belongs to the pattern, the check or the verdict and holds until it is closed, or the visit
 * returns. Thread safety: one thread at a time. */
#ifndef HBDB_RULES_PATTERN_PATTERN_H
#define HBDB_RULES_PATTERN_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/model.h" /* hb_status, hb_error */

typedef struct hb_pattern hb_pattern;

/* A key's value: an integer or a text. The reader of texts interns them: see hb_pattern_text. */
typedef struct hb_pattern_value {
	bool text;
	int64_t number; /* of a text its number: hb_pattern_text */
} hb_pattern_value;

/* What the world looks like that a model is placed on. */
typedef struct hb_pattern_world {
	uint32_t processes;
	const char *const *name; /* of each process, as hb_process.name; NULL: their numbers */
	uint32_t nset;           /* --set NAME=NUMBER */
	const char *const *set_name;
	const int64_t *set_value;
} hb_pattern_world;

/* Reads and checks a model. HB_E_DAMAGED... : err has file, line and column in its message and what to do. */
hb_status hb_pattern_read(const char *file, const hb_pattern_world *world, hb_pattern **ret_pattern, hb_error *err);
/* The same of a text; `file` is what errors call it. */
hb_status hb_pattern_parse(
	const char *file, const char *text, const hb_pattern_world *world, hb_pattern **ret_pattern, hb_error *err);
void hb_pattern_close(hb_pattern *pattern);
const char *hb_pattern_name(const hb_pattern *pattern);
/* What reports call a process: the name of its role and its number ("node 3"), or "rank 3". */
const char *hb_pattern_process(const hb_pattern *pattern, uint32_t process, char *to, size_t size);

/* The number of a text, the same for the same text; the text of a number. HB_NO: out of memory. */
uint32_t hb_pattern_text(hb_pattern *pattern, const char *text);
const char *hb_pattern_text_of(const hb_pattern *pattern, uint32_t number);

/* ---- what the model wants to see ---- */

typedef enum hb_pattern_source {
	HB_PATTERN_MPI,     /* messages of MPI */
	HB_PATTERN_CHANNEL, /* what[0]: channel of hb_sent and hb_received */
	HB_PATTERN_EVENTS,  /* what[0], what[1]: names of the program's events of the two halves */
	HB_PATTERN_SPAN,    /* what[0]: name of a span */
	HB_PATTERN_EVENT,   /* what[0]: name of an event */
	HB_PATTERN_CALL,    /* what[0]: name of a call */
} hb_pattern_source;

/* The halves of a message or of an action. An action from an event has HB_PATTERN_BEGIN only. */
typedef enum hb_pattern_half { HB_PATTERN_BEGIN, HB_PATTERN_END, HB_PATTERN_HALVES } hb_pattern_half;
#define HB_PATTERN_SENT HB_PATTERN_BEGIN
#define HB_PATTERN_RECEIVED HB_PATTERN_END

typedef struct hb_pattern_binding {
	const char *name; /* in the model */
	bool message;     /* else an action */
	uint8_t halves;   /* 1 or 2 */
	hb_pattern_source source;
	const char *what[2];
	uint32_t nkeys;
	const char *const *key_name; /* nkeys */
	const char *in;              /* NULL: nothing */
	uint32_t line;               /* in the model's file */
	bool contents;               /* a clause looks at the contents of messages */
} hb_pattern_binding;
const hb_pattern_binding *hb_pattern_bindings(const hb_pattern *pattern, uint32_t *ret_n);

/* Which of its keys are those of the `each` that its events belong to, in the order of that `each`; *ret_n 0: they belong to none. */
const uint8_t *hb_pattern_each(const hb_pattern *pattern, uint32_t binding, uint32_t *ret_n);

/* Asks for a value of the event at hand by the name that a clause uses ("task", "tag"; "int32" with offset: contents at this byte).
 * False: the event has none of that name. */
typedef bool hb_pattern_ask(void *user, const char *name, int64_t offset, hb_pattern_value *ret_value);
/* Evaluates the clauses of a binding on an event: HB_OK and *ret_fits whether `where` holds; keys[nkeys]; *ret_peer by `to` or `from`, -1 without
 * such a clause. An error names the clause's line and the name that the event does not have. */
hb_status hb_pattern_bind(hb_pattern *pattern, uint32_t binding, hb_pattern_half half, hb_pattern_ask *ask, void *user,
	bool *ret_fits, hb_pattern_value *keys, int64_t *ret_peer, hb_error *err);

/* ---- checking ---- */

typedef struct hb_pattern_event {
	uint32_t binding;
	hb_pattern_half half;
	uint32_t process;
	int64_t peer;                /* the other process of a message where it is known; -1 */
	const hb_pattern_value *key; /* nkeys of the binding */
	uint64_t id;                 /* the caller's name for it: comes back in verdicts and in `before` */
} hb_pattern_event;

/* Whether event a happened before event b, or at the same point; both were fed. Asked for strict sequences, and of a receive when several
 * sends could be meant, or its sender is not known: where only one can be, that was before it. NULL for such: the order of feeding. */
typedef bool hb_pattern_before(void *user, uint64_t a, uint64_t b);

typedef struct hb_pattern_check hb_pattern_check;
hb_status hb_pattern_begin(
	hb_pattern *pattern, hb_pattern_before *before, void *user, hb_pattern_check **ret_check, hb_error *err);
/* In an order that keeps happened-before. What is wrong comes in the verdicts; HB_E_DAMAGED is for what is wrong with the model, seen only now
 * (a recursion that never ends, a process that is not there): err says where. */
hb_status hb_pattern_feed(hb_pattern_check *check, const hb_pattern_event *event, hb_error *err);

typedef enum hb_pattern_state {
	HB_PATTERN_COMPLETE,
	HB_PATTERN_STOPPED,
	HB_PATTERN_WRONG,
	HB_PATTERN_UNDECIDED, /* ambiguous in so many ways that it was given up */
} hb_pattern_state;

/* What should come next: one half of an interaction or action. */
typedef struct hb_pattern_next {
	uint32_t binding;
	hb_pattern_half half;
	uint32_t process;
	int64_t peer;                /* the other process of a message, -1 */
	const hb_pattern_value *key; /* nkeys of the binding */
	uint32_t line;               /* in the model's file: where the pattern names it */
	uint64_t after; /* id of the last event that fitted which it follows; HB_PATTERN_NONE: it is the first */
} hb_pattern_next;
#define HB_PATTERN_NONE UINT64_MAX

typedef struct hb_pattern_verdict {
	hb_pattern_state state;
	uint32_t nkeys; /* of the `each`; 0: of all that is not under one */
	const hb_pattern_value *key;
	const char *const *key_name;
	bool ambiguous; /* STOPPED, WRONG: an event fitted in more than one way, and none of them has turned out since; the first such: */
	uint64_t ambiguous_at; /* its id */
	uint64_t events;       /* that fitted */
	uint64_t wrong;        /* WRONG: id of the event; HB_PATTERN_NONE otherwise */
	bool misordered; /* WRONG: it came, but happened-before does not order it behind what a strict sequence wants before it */
	uint64_t misordered_by; /* then: the event that it had to come after */
	uint32_t nnext;         /* STOPPED: the frontier. WRONG: what would have been allowed instead */
	const hb_pattern_next *next;
} hb_pattern_verdict;
typedef bool hb_pattern_visit(void *user, const hb_pattern_verdict *verdict); /* false: stop */
typedef struct hb_pattern_sum {
	uint64_t keys, complete, stopped, wrong, undecided, events,
		foreign; /* foreign: events of the history under no key of any `each` */
} hb_pattern_sum;
/* Judges: all that were fed is all there is. Those complete are visited only with `all`. In the order of keys. */
hb_status hb_pattern_end(
	hb_pattern_check *check, bool all, hb_pattern_visit *visit, void *user, hb_pattern_sum *ret_sum, hb_error *err);
void hb_pattern_check_close(hb_pattern_check *check);

#endif
