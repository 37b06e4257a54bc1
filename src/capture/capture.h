/* Everything that runs inside the target.
 *
 * The rules of this folder, for the program belongs to somebody else:
 *  - never exit, abort or print to stdout; one line on stderr when something is lost;
 *  - no lock, no system call and no allocation on the path of a call that the
 *    lane has seen before (slow paths: a new slot, a full unit, a new thread);
 *  - when recording fails, the program goes on and the log says that it is partial;
 *  - nothing of libmpi is linked: its functions are looked up when it is there.
 *
 * A call goes: generated wrapper -> hb__wrap (nesting, counting) -> the handler
 * of its class (wrap/) -> the next definition of the same function. Handlers
 * ask replay/ what to answer and give record/ what was answered; track/ knows
 * the handles that are alive. All state of a thread is its lane.
 */
#ifndef HBDB_CAPTURE_CAPTURE_H
#define HBDB_CAPTURE_CAPTURE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#define OMPI_OMIT_MPI1_COMPAT_DECLS 0
#include <mpi.h>

#include "calls/meaning.h"
#include "format/row.h"
#include "mpi_ids.h"

#define HB__EXPORT __attribute__((visibility("default")))

/* Everything declared from here on is ours alone: no detour through the table of addresses. */
#pragma GCC visibility push(hidden)

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

enum hb__mode { HB__OFF, HB__RECORD, HB__REPLAY };

/* What the environment asked for, read once; see docs/CONTRACTS.md. */
struct hb__config {
	enum hb__mode mode;
	bool order;    /* levels order and racing: only choices are stored */
	bool racing;   /* level racing: every message carries what its sender knew */
	bool serial;   /* every message carries who sent it */
	bool contents; /* store a check of contents sent */
	bool remarks;  /* the recorder says what it sees, for hbdb check */
	bool warn;     /* replay: go on after a difference */
	enum { HB__CONTENTS_STOP, HB__CONTENTS_WARN, HB__CONTENTS_IGNORE } on_contents;
	unsigned shake; /* microseconds */
	char dir[4096], script[4096], replay_log[4096];
};
extern struct hb__config hb__config;

/* True between MPI_Init and MPI_Finalize in a process that is recorded or replayed. */
extern bool hb__active;
extern bool hb__finished;     /* MPI_Finalize has returned */
extern bool hb__early_log;    /* the log was created before MPI_Init returned, for a remark */
extern bool hb__threaded;     /* MPI_THREAD_MULTIPLE: tables need their lock */
extern bool hb__many_threads; /* the program started threads of its own: what they tell each other MPI does not see */
extern bool hb__spawned;      /* MPI_Comm_spawn made this process: its world is another */
extern int hb__rank, hb__size;

struct hb__slot;
struct hb__follow;
struct hb__user;

/* A thread that calls MPI. Only its own thread touches it. */
struct hb__lane {
	union {
		struct {
			uint16_t depth;   /* > 0: inside a wrapped call */
			uint16_t special; /* calls are checked, or a session controls them */
		};
		uint32_t unusual; /* either: one test on the way of a call */
	};
	int nested;           /* > 0: inside a callback of the program that such a call runs */
	bool storing;         /* rows are written (not stopped by a full disk) */
	bool passes;          /* it has said that it stands after its last event, and stops as the next one begins */
	uint64_t passed_goes; /* how often it had been let go when it said so */
	uint16_t number;
	uint8_t *w, *end; /* where the next record goes in the open unit */
	struct hb_unit_header *unit;
	struct hb_lane_control *control;
	uint64_t last_tick; /* exit of the last event */
	uint64_t posted;    /* postings so far */
	int64_t last_ref;   /* posting referred to last, for references */
	uint64_t last_wtime;
	uint32_t seq; /* rows units so far */
	struct hb__slots *slots;
	uint8_t *scratch, *scratch_base, *scratch_end;
	uint64_t random;
	struct hb__follow *follow; /* replay: where the thread stands in its record */
	uint64_t thread;
	uint32_t epoch;  /* carried: the last collective of all processes that is known here to be over */
	uint32_t *known; /* carried: of each process the last message whose begin is known here */
	uint32_t made[5],
		found[5]; /* handles by enum hb__numbered: those it made, those of unknown origin that it used first */
	struct hb__user *user; /* what the program said by itself, user/ */
	struct hb__lane *next;
};

extern __thread struct hb__lane *hb__self __attribute__((tls_model("initial-exec")));

/* One call on its way through a handler. */
struct hb__call {
	const struct hb__fn *fn;
	uintptr_t *a;
	hb__function next;
	struct hb__lane *lane;
	const void *pc, *cfa; /* return address and stack pointer of the caller */
	const struct hb__slot *slot;
	bool choice;   /* stored at level order too */
	bool followed; /* replay: the lane's row is this call's counterpart */
	bool deferred; /* replay: its row comes after those of calls its callbacks make */
	uint16_t check;
	bool has_recorded; /* replay: the row has a check, too: */
	uint16_t recorded;
	uint64_t enter, outer_inside;
	bool again;              /* check: a poll that asks what the one before asked */
	bool settled;            /* check: there is nothing to be said of its arguments */
	bool watched;            /* check: registers watched memory when it began */
	uintptr_t ending;        /* check: the handle that the call is about to end */
	const void *ending_made; /* check: and which making of it */
	int64_t *results;
	size_t nresults;
	uint8_t *mark; /* scratch is given back to here */
};

static inline int hb__role(const struct hb__call *c, enum hb_role role) { return c->fn->role[role] - 1; }
static inline bool hb__has(const struct hb__call *c, enum hb_role role) { return c->fn->role[role] != 0; }
static inline uintptr_t hb__arg(const struct hb__call *c, enum hb_role role) { return c->a[c->fn->role[role] - 1]; }
static inline int hb__invoke_next(struct hb__call *c) { return c->fn->invoke(c->next, c->a); }

/* The process runs on the other family's library: every call goes straight through. */
extern bool hb__foreign;
/* There is no MPI in this process: what is recorded are the program's own events. */
extern bool hb__without_mpi;

/* The functions of the library, past every wrapper: PMPI(Comm_rank)(comm, &rank). */
enum hb__entry { HB_ENTRY_MPI, HB_ENTRY_PMPI };
extern hb__function hb__next[2][HB_FN_COUNT]; /* by the name under which it was called */
extern const struct hb__fn *const hb__fns[HB_FN_COUNT];
#define PMPI(name) ((__typeof__(&MPI_##name))hb__next[HB_ENTRY_PMPI][HB_FN_MPI_##name])

/* Memory that is never given back to malloc: zeroed pages, NULL when there are none. */
void *hb__pages(size_t bytes);
/* Not every version of a library has every function. fn may be NULL: the header does not have it either. */
bool hb__library_has(const struct hb__fn *fn);
/* MPI_BUFFER_AUTOMATIC, which only later versions have: no buffer, an impossible address. */
static inline bool hb__buffer_automatic(uintptr_t buffer) { return (intptr_t)buffer < 0 && (intptr_t)buffer > -4096; }
/* A line on stderr, with the rank; for what the user must know. */
void hb__say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* start.c */
bool hb__find_library(void);                    /* fills hb__mpi and hb__pmpi; false: no MPI, or the other one */
void hb__begin_process(int thread_level);       /* after MPI_Init */
bool hb__begin_without_mpi(void);               /* at the program's first event, where no MPI is there; false: it is */
void hb__end_process(uint32_t state);           /* after MPI_Finalize, or when the process leaves without */
struct hb__lane *hb__lane_of_this_thread(void); /* NULL when there can be none */

#pragma GCC visibility pop

#endif
