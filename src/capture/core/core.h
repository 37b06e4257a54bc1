/* What runs inside the target, before anything is said of MPI: the rules, a thread and its lane, a call on its way.
 *
 * The rules of src/capture, for the program belongs to somebody else:
 *  - never exit, abort or print to stdout; one line on stderr when something is lost;
 *  - no lock, no system call and no allocation on the path of a call that the
 *    lane has seen before (slow paths: a new slot, a full unit, a new thread);
 *  - when recording fails, the program goes on and the log says that it is partial;
 *  - no library of the program is linked: its functions are looked up when it is there.
 *
 * The core writes and reads what every layer has: the log, lanes, slots, rows, definitions, call sites, the clock, the record that is
 * followed, stops by a session. It knows no layer: layers call it, with neutral numbers in hand (layer.h has the few questions that
 * it asks back, none of them on the way of a call). All state of a thread is its lane. */
#ifndef HBDB_CAPTURE_CORE_H
#define HBDB_CAPTURE_CORE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "calls/meaning.h"
#include "format/row.h"

#define HB__EXPORT __attribute__((visibility("default")))

/* Everything declared from here on is ours alone: no detour through the table of addresses. */
#pragma GCC visibility push(hidden)

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

enum hb__mode { HB__OFF, HB__RECORD, HB__REPLAY };

/* What the environment asked for, read once; see docs/CONTRACTS.md. */
struct hb__config {
	enum hb__mode mode;
	bool order;     /* levels order and racing: only choices are stored */
	bool data;      /* level data: what comes into the process is kept */
	bool backwards; /* alone: somebody outside copies the process, and compares its states (hbdb gdbserver) */
	int alone;      /* replay without other processes: as which rank; -1: not so */
	bool racing;    /* level racing: every message carries what its sender knew */
	bool serial;    /* every message carries who sent it */
	bool contents;  /* store a check of contents sent */
	bool whole;     /* ... and digests of all of them, in the file of contents */
	bool remarks;   /* the recorder says what it sees, for hbdb check */
	bool inside;    /* layer sockets: also what is called inside of calls of another layer */
	bool warn;      /* replay: go on after a difference */
	enum { HB__CONTENTS_STOP, HB__CONTENTS_WARN, HB__CONTENTS_IGNORE } on_contents;
	unsigned shake; /* microseconds */
	uint64_t ring;  /* bytes of rows that the log keeps, the last ones; 0: all */
	char dir[4096], script[4096], replay_log[4096];
};
extern struct hb__config hb__config;

/* ---- the process ---- */

extern bool hb__active;       /* between its beginning and its end: recorded or replayed */
extern bool hb__finished;     /* its end was told: MPI_Finalize has returned */
extern bool hb__early_log;    /* the log was created before rank and size were known, for a remark */
extern bool hb__threaded;     /* several threads may be inside the layer's library at once: tables need their lock */
extern bool hb__many_threads; /* the program started threads of its own: what they tell each other no layer sees */
extern bool hb__postings_ordered; /* it is recorded, or repeated, which of them posts first (hb__ordering) */
/* Replay: the process that was made by fork just now, or will be next, is the one with this number; -1: none that is known. */
extern int hb__promised;
void hb__child_comes(uint32_t pid); /* ... which had this one in the recorded run; 0: none will be */
extern bool hb__spawned;            /* another process of the job made this one: its world is another */
extern int hb__rank, hb__size;
/* Of a process without a rank: the number by which a replay knows it, its record and its reports (-1: by its rank), and what it is
 * called (empty: not known). */
extern int hb__own_number;
extern char hb__own_name[40];
/* Replay, of a process whose world another process made: the number of that world, and that by which the replay knows its rank 0; both 0:
 * its world was started. */
extern int hb__world_number, hb__first_number;
/* ... as the variable says it by which it hears of that, FIRST@NUMBER. */
#define HB__WORLD "HBDB_WORLD"
/* What a process of a replay is known by. */
static inline int hb__replayed_as(void)
{
	return hb__own_number >= 0 ? hb__own_number : hb__rank < 0 ? hb__config.alone : hb__first_number + hb__rank;
}
/* "rank 3", "rank 3@1", or of a process without a rank its name; "": neither is known. Returns `name`. */
#define HB__CALLED 64
const char *hb__process_name(char name[HB__CALLED]);

/* ---- socket.c ---- */
/* False: it is no connection, or the system does not tell. */
bool hb__socket_name(int fd, char *text, size_t size);
struct sockaddr_storage;
/* ADDRESS:PORT, of version 6 [ADDRESS]:PORT. False: it is no address of the internet. */
bool hb__internet_name(const struct sockaddr_storage *address, char *name, size_t size);
/* The recorder opens and writes files, and holds locks meanwhile: a thread that the program cancels is not cancelled there, but at its next call. */
static inline int hb__uncancelled(void)
{
	int state = PTHREAD_CANCEL_ENABLE;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	return state;
}
static inline void hb__cancelled_again(int state) { pthread_setcancelstate(state, NULL); }

/* The numbers that the system gives to a connected Unix socket and to its other end. False: it does not tell. */
bool hb__unix_ends(int fd, uint64_t ret_end[2]);

struct hb__slot;
struct hb__follow;
struct hb__user;

enum {                    /* what is not to be had for the calls of a lane */
	HB__AT_ORDER = 1, /* only choices are stored */
	HB__LOCKED = 2,   /* tables of handles need their lock */
	HB__SYSTEM = 4,   /* level events: the clock is not the processor's counter */
	HB__POSTS = 8,    /* which thread posts a message first is asked */
};
#define HB__WORD_LIMIT(limit) ((uint32_t)(limit) << 24) /* ... in the word of the lane */
enum {                                                  /* who has a part in its calls */
	HB__HANDLED = 1,                                /* replay or checks; or more than events is asked for */
	HB__CARRIED = 2,                                /* level racing: what is sent along with messages */
};
/* The word of a lane whose messages carry something, and nothing else is unusual. */
#define HB__WORD_CARRIED ((uint32_t)HB__CARRIED << 16 | HB__WORD_LIMIT(HB__AT_ORDER))

/* A thread that makes events. Only its own thread touches it. */
struct hb__lane {
	union {
		struct {
			uint8_t depth;   /* > 0: inside a wrapped call */
			uint8_t special; /* calls are checked, or a session controls them */
			uint8_t handled; /* HB__HANDLED, ... */
			uint8_t limits;  /* HB__AT_ORDER, ... */
		};
		uint16_t unusual; /* depth or special */
		uint32_t word;    /* all of it: one test on the way of a call */
	};
	uint32_t lives;   /* how often a slot was given to another call */
	uint8_t *w;       /* where the next record goes in the open unit */
	uint8_t *full;    /* where no event without results is sure to fit any more */
	uint8_t *payload; /* of the unit */
	struct hb_lane_control *control;
	uint64_t last_tick;            /* exit of the last event */
	struct hb__known *known_calls; /* sockets: calls that were made before; NULL: none */
	const struct hb__here *here;   /* ... hb__here; up to this one line of memory is all that they look at */
	int nested;                    /* > 0: inside a callback of the program that such a call runs */
	bool storing;                  /* rows are written (not stopped by a full disk) */
	bool passes;          /* it has said that it stands after its last event, and stops as the next one begins */
	uint64_t passed_goes; /* how often it had been let go when it said so */
	uint16_t number;
	uint8_t *end; /* of the open unit */
	struct hb_unit_header *unit;
	uint64_t posted;  /* postings so far */
	int64_t last_ref; /* posting referred to last, for references */
	uint64_t last_wtime;
	uint32_t seq; /* rows units so far */
	struct hb__slots *slots;
	struct hb__slot *last; /* the slot of the call before; never NULL */
	uint8_t *scratch, *scratch_base, *scratch_end;
	uint64_t random;
	struct hb__follow *follow; /* replay: where the thread stands in its record */
	uint64_t thread;
	uint32_t epoch;  /* carried: the last collective of all processes that is known here to be over */
	uint32_t *known; /* carried: of each process the last message whose begin is known here */
	uint32_t made[5],
		found[5]; /* handles by enum hb__numbered: those it made, those of unknown origin that it used first */
	struct hb__user *user;    /* what the program said by itself, user/ */
	struct hb__call *checked; /* check: the call under way, for an error that ends the process in it */
	struct hb__lane *next;
};

/* What nearly every call looks at, of a thread, in one line of memory. */
struct hb__mine {
	struct hb__lane *lane; /* NULL: none */
	uint8_t apart;         /* HB__APART_... */
	/* it is one of the program that was made after the record began, or the one by which it began: what it does with other threads can be told
	 * from its beginning on */
	bool ordered;
	unsigned vforks; /* > 0: it is that of a child made by vfork, in the memory of its parent: it has no lane */
} __attribute__((aligned(16)));
extern __thread struct hb__mine hb__mine __attribute__((tls_model("initial-exec")));
#define hb__self hb__mine.lane
#define hb__apart hb__mine.apart
#define hb__ordered hb__mine.ordered
#define hb__vforks hb__mine.vforks

/* What this thread does is not the program's: */
enum {
	/* a library of a layer (MPI) made the thread */
	HB__APART_THREAD = 1,
	/* it is inside a call of such a library, which its lane does not tell, for it has none yet */
	HB__APART_CALL = 2,
	/* it is inside of ours */
	HB__APART_OURS = 4,
	/* it is in a handler of the program, perhaps inside of a call; what is called there is the program's */
	HB__APART_HANDLER = 8,
	/* ... which came while the thread was inside of ours, and may hold a lock of ours: no event can be made */
	HB__APART_WITHIN = 16,
};
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
	bool deferred; /* replay: its row comes after those of calls its callbacks make; error class that it will have: */
	int64_t deferred_code;
	uint16_t check;
	uint32_t digests;  /* of whole contents: how many the thread had gathered before this call */
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
	void *own;     /* of the layer's own way of the call, where it has one */
};

static inline int hb__role(const struct hb__call *c, enum hb_role role) { return c->fn->role[role] - 1; }
static inline bool hb__has(const struct hb__call *c, enum hb_role role) { return c->fn->role[role] != 0; }
static inline uintptr_t hb__arg(const struct hb__call *c, enum hb_role role) { return c->a[c->fn->role[role] - 1]; }
static inline int hb__invoke_next(struct hb__call *c) { return c->fn->invoke(c->next, c->a); }

/* Memory that is never given back to malloc: zeroed pages, NULL when there are none. */
void *hb__pages(size_t bytes);
/* A line on stderr, with the rank; for what the user must know. */
void hb__say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- process.c ---- */
/* Opens the log, and in replay the record, of this process, whose rank and size are set; this thread becomes its first lane.
 * thread_level: 0 to 3 as MPI counts them. A process that has begun once, or whose parent has, does not begin again. False: it is
 * neither recorded nor replayed. */
bool hb__begin_record(int thread_level);
/* A process without another layer: begins at the program's first event. False: another layer begins it. */
bool hb__begin_alone(void);
/* The lane of this thread in a record that begins now, or began, with an event before the layer with a life of its own (MPI) has: that
 * layer sees no lane, and nothing is held or followed by it, until it calls hb__begin_record. NULL: there is no such record. */
struct hb__lane *hb__early_lane(void);
bool hb__begun_early(void);
/* Fork made this process, of one that is recorded, and it is not one of another layer (yet). */
bool hb__forked(void);
/* In a child that no handler of forks has told of itself: it takes itself for its parent until it is asked. */
void hb__notice_fork(void);
/* In a page that the system empties in every child. */
struct hb__here {
	volatile bool is;
	/* of a layer, which sets it where its calls may go a quick way: no process but this one, nothing unusual is asked for, and the clock is
	 * as it stands here */
	volatile bool usual;
	/* ... and the clock is the processor's counter, and nobody wants to know that a call is over */
	volatile bool straight;
	bool counter;
	unsigned shift;
	uint64_t zero;
};
extern struct hb__here *hb__here; /* NULL: no child is told apart */
/* Something unusual is asked for from now on. */
static inline void hb__here_unusual(void)
{
	if (hb__here)
		hb__here->usual = hb__here->straight = false;
}
/* Another program is about to take the place of this one (begins: true; false: it could not). Whether a log was told its end by that. */
bool hb__process_replaced(bool begins);
/* The recording goes on through programs that hand on other variables, change their user or forbid system calls to themselves: how processes talk
 * is recorded, so that servers are. */
extern bool hb__descends;
/* vfork, called at pc, has made a child, and this is the parent again: returns the number that the program is told. NULL: nobody wants to know. */
extern int32_t (*hb__vfork_made)(int32_t child, const void *pc, const void *cfa);
bool hb__began(void);       /* this process, or its parent before a fork, has begun, whether it has ended or not */
bool hb__began_alone(void); /* without another layer */
void hb__end_process(uint32_t state);           /* its end was told, or it leaves without */
struct hb__lane *hb__lane_of_this_thread(void); /* NULL when there can be none */
/* The lane of this thread for an event of the program that no layer with a life of its own makes: the record begins now where it can. NULL: it is
 * not recorded. */
struct hb__lane *hb__lane_now(void);
/* The lane that this thread has already; NULL: none. Of a child by fork, and of a process of a launcher before its layer begins, it is not hb__self. */
struct hb__lane *hb__lane_so_far(void);
/* A lane of the thread with this identity, which may be another one than this. */
struct hb__lane *hb__lane_new(uint64_t thread);
/* A layer made the lane of this thread before it needed one; NULL: nobody did. */
extern struct hb__lane *(*hb__promised_lane)(void);
uint64_t hb__thread_identity(void); /* the same in every run; 0: the first thread */

#pragma GCC visibility pop

#endif
