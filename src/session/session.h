/* A live run under control: its processes dial in (docs/control.md), are told where to stop, and are
 * looked at with gdb when somebody asks. Who starts the job is not this part's business: it gives the
 * variables that the processes need and waits for them. Nothing here prints or exits.
 *
 * Words:
 *   process  by its number. The ranks of the MPI_COMM_WORLD that was started have numbers in a row, in a replay from 0 on; processes
 *            of other worlds and those without MPI have further ones. Each has a name, which is the same in every run: hb_process_name.
 *   held     waiting inside hbdb's library after an event: MPI goes on, nothing of the program runs.
 *   broken   stopped by gdb: at a breakpoint, after a step, by a signal, because it was asked to.
 *
 * Thread safety: one thread at a time. Calls return at once unless they name a time limit or say
 * otherwise; answers of processes are taken in by hb_session_poll and by everything that waits. */
#ifndef HBDB_SESSION_SESSION_H
#define HBDB_SESSION_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hbdb/format.h>

#include "model/world/world.h"
#include "session/gdb/gdb.h"
#include "session/set.h"

typedef struct hb_session hb_session;

typedef enum hb_life {
	HB_LIFE_ABSENT,  /* has not dialled in yet */
	HB_LIFE_RUNNING, /* computing, or blocked in a call: inside tells */
	HB_LIFE_HELD,    /* see why */
	HB_LIFE_BROKEN,  /* stopped by gdb */
	HB_LIFE_EXITED,  /* said goodbye */
	HB_LIFE_DEAD,    /* ended without */
} hb_life;

typedef enum hb_why {
	HB_WHY_START,   /* at the end of MPI_Init */
	HB_WHY_AFTER,   /* the event that was asked for is over */
	HB_WHY_SIGNAL,  /* a fatal signal is about to end it */
	HB_WHY_END,     /* its record ends here; it cannot go on */
	HB_WHY_DIFFERS, /* it differs from its record; it cannot go on */
} hb_why;

/* What a thread that is under way waits for in its own code. */
typedef enum hb_hold {
	HB_HOLD_NONE, /* nothing that is known */
	HB_HOLD_CALLS, /* threads of its process each of which is inside a call, or held: it goes on when one of them has */
	HB_HOLD_STANDS /* one that stands */
} hb_hold;

/* A thread that calls MPI. */
typedef struct hb_thread {
	uint64_t event; /* events that are over */
	bool inside;    /* inside event + 1 */
	uint32_t slot;  /* ... whose slot in the log is this one */
	bool held;
	hb_why why;       /* when held */
	bool asked;       /* told to stop ... */
	uint64_t stop;    /* ... once so many events are over */
	bool stop_inside; /* ... or inside the event after that: it is expected to block there (HB_STOP_INSIDE) */
	bool stop_next;   /* ... as the next call begins, not at once */
	bool done;        /* ... and that was so: `go` then takes it further */
	bool sent;        /* ... and let go since: where it has arrived without being held, `go` takes it further */
	uint64_t ends;    /* not told to stop: it is known to make so many events; 0: that is not known */
	bool told;        /* the process was told such a stop at the last time that it was told any */
	bool lane_known;  /* false: it has made no call yet */
	hb_hold hold;     /* hb_session_hold_back */
	bool gone;        /* it was there, and has ended: it counts as arrived wherever it was to stop */
	uint64_t polls;   /* polls that were told no since the last event */
	double since;     /* seconds (hb_seconds): when event or inside changed last, or it was let go */
	double polled;    /* ... when polls changed last; 0: never */
	uint64_t task;    /* number of the thread in its system; 0: not known */
} hb_thread;

/* Whether it is to stop somewhere, or is known to have more to do. */
static inline bool hb_thread_is_awaited(const hb_thread *t) { return t->asked || t->event < t->ends; }

typedef struct hb_proc {
	int32_t rank;         /* its number: see above */
	hb_process_name name; /* "3", "3@1", "worker#2" */
	char log[64];         /* the file of its log, in the folder of logs */
	hb_life life;
	int32_t pid;
	char host[64];
	bool here;         /* on this machine */
	bool record;       /* its mode */
	uint32_t nthreads; /* thread 0 is the one that called MPI_Init */
	hb_thread *threads;
	int signal;         /* WHY_SIGNAL; DEAD: 0 when it is not known */
	bool lost;          /* DEAD: its node is lost, and nobody knows more */
	char bye[16];       /* EXITED: finalized, left, aborted */
	bool attached;      /* gdb has it */
	hb_gdb_stop broken; /* BROKEN: where and why */
	double broke;       /* ... and when (hb_seconds) */
	double seen; /* when (hb_seconds) its threads did what is said of them; of one that nobody can tell anything of: 0 */
	bool alone;         /* it goes backwards, too: hb_session_serve */
	hb_gdb_stand stand; /* ... and where it is, BROKEN */
	uint64_t changes;   /* grows with every change of the above */
} hb_proc;

struct hb_growing; /* format/growing/growing.h */

/* Other machines that processes of the run are on, by whoever has a way to them. */
typedef struct hb_session_nodes {
	int incoming; /* a pipe from which descriptors (int) of connections are read, each of a process that dials in; it stays the caller's, they become the session's */
	/* Has processes dial in on all machines where some may be, this one as well, with this secret. What HBDB_CONTROL and HBDB_CONTROL_SECRET_FILE are to be: to be freed. */
	hb_status (*listen)(void *user, const char *secret, char **ret_address, char **ret_file, hb_error *err);
	/* The place of another machine, as a process there names it; NULL: nobody has a way there. Holds as long as the session. */
	hb_gdb_place *(*place)(void *user, const char *host);
	/* Whether it cannot be reached any more. */
	bool (*lost)(void *user, const char *host);
	/* NULL: the logs are in the session's folder. Else what the threads of a process do, as hb_growing_look has it, by its machine and the name of its log. now: its machine is
	 * asked, and waited for; else the last answer, and the next one is asked for. *ret_asked: when (hb_seconds) that was asked, so that it is not older. False: nothing is known. */
	bool (*lanes)(
		void *user, const char *host, const char *log, bool now, struct hb_growing *growing, double *ret_asked);
	void *user;
} hb_session_nodes;

typedef struct hb_session_options {
	int32_t size;              /* ranks expected; 0: the first that dials in tells */
	const char *const *others; /* names of further processes, behind them */
	size_t nothers;
	const char *
		logs; /* absolute: where the processes keep their logs (rank.N.log); NULL: nobody can tell what is inside */
	const char *
		tcp; /* NULL: a Unix socket without a name in the file system; else the address of this machine to listen at */
	const hb_session_nodes *nodes; /* NULL: this machine alone, or tcp; has to outlive the session */
	const char *gdb, *gdbserver;   /* programs; NULL: those in PATH */
	/* Why gdb is not to be attached to a process, as "is run by ...", which is freed; NULL: nothing speaks against it. May be NULL itself. */
	char *(*beyond)(int32_t pid);
} hb_session_options;

/* Listens. HB_E_SYSTEM when that is not possible. *ret_session: hb_session_close, which lets go of everything. */
hb_status hb_session_open(const hb_session_options *options, hb_session **ret_session, hb_error *err);
void hb_session_close(hb_session *session);
/* "NAME=VALUE", NULL ended: what every process of the run needs in its environment. Owned by the session. */
char *const *hb_session_environment(const hb_session *session);
/* Takes in processes that do not dial in, as they run without hbdb: by rank, as many as the session expects. hosts: on which machines, as their places
 * (hb_session_nodes) are found; NULL: all here. gdb can have them, and nothing else is known of them. */
void hb_session_adopt(hb_session *session, const int32_t *pids, const char *const *hosts);
/* Process 0 is one that does not dial in: it goes forwards and backwards, and gdb has it from now on (hb_gdb_open_served). It is BROKEN, or runs. */
hb_status hb_session_serve(hb_session *session, const char *address, int32_t server, hb_error *err);
/* gdb has a process of another processor by the stub of what runs it, from before it dials in; it goes on. Looks and stops are as with any other. */
hb_status hb_session_stub(hb_session *session, const hb_gdb_stub *stub, hb_error *err);
/* Has that one go to an event of its own, "START" or "END", and waits for that: hb_gdb_jump. */
hb_status hb_session_jump(
	hb_session *session, const char *where, bool (*interrupted)(void *user), void *user, hb_error *err);
/* What was said about it since the last time: hb_gdb_notes. */
char *hb_session_notes(hb_session *session);
/* Kills the processes that run here, by force and all at once: whether gdb has stopped them or they are held, none of them
 * executes another instruction of the program. */
void hb_session_kill(hb_session *session);
/* gdb lets go of all; they go on. */
void hb_session_let_go(hb_session *session);
/* The run has ended or is to be run anew: forgets its processes and their gdb, and goes on listening with another secret
 * (the environment changes). logs: where those of the next run will be, or NULL for the same. */
hb_status hb_session_again(hb_session *session, const char *logs, hb_error *err);

int32_t hb_session_size(const hb_session *session); /* 0: not known yet */
/* How many of them are ranks of the world that was started; *ret_first: the number of its rank 0. */
int32_t hb_session_ranks(const hb_session *session, int32_t *ret_first);
const hb_proc *hb_session_proc(const hb_session *session, int32_t rank);
/* The number of a process by the first `length` bytes of its name; -1: there is none of that name. */
int32_t hb_session_find(const hb_session *session, const char *name, size_t length);
/* Sets as they are written: ranks as hb_set_read and hb_set_write have them, and names, as in "0:3,worker#2". */
const char *hb_session_read_set(const hb_session *session, const char *text, hb_set *to, const char **ret_at);
char *hb_session_write_set(const hb_session *session, const hb_set *set, char *buffer, size_t size);

/* Takes in what processes and gdb say, for at most `ms` milliseconds (0: only what is there, -1: until something comes).
 * Returns how many changes there were. */
int hb_session_poll(hb_session *session, int ms);

/* ---- stops by events ---- */

/* Where a process is to stop: thread `lane` once `event` events of it are over; inside: it is expected to block in the event after that one. */
typedef struct hb_target {
	int32_t rank;
	uint32_t lane;
	bool free; /* not at all: it runs to its end, after `event` events (0: nobody knows how many) */
	bool inside;
	bool next; /* not at once when the event is over but when the next call begins: so that it starts the threads it is to start before */
	uint64_t event;
} hb_target;

/* Tells processes where to stop; nobody moves by that. Threads of the ranks named that are not named themselves run free.
 * May be called before they dial in. */
hb_status hb_session_stop_at(hb_session *session, const hb_target *targets, size_t n, hb_error *err);
/* Lets the processes of the set go on: held ones leave their stop, broken ones go on under gdb. A process that waits for
 * ever (END, DIFFERS) stays. Returns how many moved. */
int hb_session_go(hb_session *session, const hb_set *set);
/* How often processes were let go, or stepped: the way that was under way is another one then. */
uint64_t hb_session_departures(const hb_session *session);
/* Who knows more than the session says what a thread waits for: while that is one that stands it counts as blocked, while it is calls as
 * inside one itself, until somebody is let go, or something else is said. */
void hb_session_hold_back(hb_session *session, int32_t rank, uint32_t lane, hb_hold hold);
/* Asks running processes to stop: by gdb where it can attach, which stops them wherever they are; else after their next event. */
hb_status hb_session_halt(hb_session *session, const hb_set *set, hb_error *err);

typedef enum hb_arrival {
	HB_ARRIVED, /* held, broken, exited or dead, or inside the event where it was expected to block */
	HB_BLOCKED, /* inside a call, and nothing moves any more: what it waits for comes from a process that stands; or held back */
	HB_UNDERWAY, /* neither yet */
} hb_arrival;
hb_arrival hb_session_arrival(hb_session *session, int32_t rank);
/* Waits until no process of the set is under way, at most `seconds` (< 0: for ever; 0: looks once). still: for how long nothing
 * must have moved before a process inside a call counts as blocked, in seconds; 0: half a second. interrupted may be NULL; it is asked between. True: nobody is. */
bool hb_session_wait(hb_session *session, const hb_set *set, double seconds, double still,
	bool (*interrupted)(void *user), void *user);

/* ---- gdb ---- */

/* The gdb of a process, attached to it when it was not yet, and the process broken: what is asked of it then is asked with
 * `hb_gdb_...(gdb, rank, ...)`. Takes some 0.1 s the first time. Errors: not here, gone, ptrace forbidden (the message says what to do). */
hb_status hb_session_gdb(hb_session *session, int32_t rank, hb_gdb **ret_gdb, hb_error *err);
/* The same for many at once, which is quicker. Those that could not be attached are not in *ret_failed's complement: the set of them, and why the first. */
hb_status hb_session_attach(hb_session *session, const hb_set *set, hb_set *ret_failed, hb_error *err);
/* gdb lets go of a process; it goes on as it was: held where it was held. */
void hb_session_detach(hb_session *session, const hb_set *set);
typedef enum {
	HB_RETURN_NONE,    /* it was in the program already */
	HB_RETURN_CALL,    /* behind the call that the program had made, in its line */
	HB_RETURN_LINE,    /* that call was the last of its line: it stands where the next one begins */
	HB_RETURN_STOPPED, /* something stopped it on the way or there, which is to be told: a point, a signal */
} hb_returned;
/* A held process returns from hbdb's and MPI's frames to the program's own, and is broken there: as `finish` up to it. Waits for that.
 * HB_E_ARGUMENT when it cannot go on. Before a step this is what makes `step` mean the next line of the program. */
hb_status hb_session_return(hb_session *session, int32_t rank, double seconds, hb_returned *ret, hb_error *err);

/* Steps a broken process, which then runs until the step is over; does not wait. As hb_gdb_go; the session knows at once that it moves. */
hb_status hb_session_step(
	hb_session *session, int32_t rank, hb_gdb_step how, uint32_t level, uint32_t times, hb_error *err);
/* A process that was broken only to be looked at goes on as it was: a held one is held again, and keeps MPI going. */
void hb_session_resume(hb_session *session, int32_t rank);

#endif
