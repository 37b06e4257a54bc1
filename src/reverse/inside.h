/* What the files of this folder share. */
#ifndef HBDB_REVERSE_INSIDE_H
#define HBDB_REVERSE_INSIDE_H

#include <sched.h>
#include <signal.h>
#include <sys/user.h>

#include "reverse.h"

/* An open regular file of a copy: copies share the place where it is read and written until it is opened anew. */
typedef struct hb_open_file {
	int fd, flags;
	bool close_on_exec;
	int64_t offset;
} hb_open_file;

/* How it ends, when it stands at its end. */
typedef enum {
	HB_ENDS_NOT,
	HB_ENDS_BY_SIGNAL,
	HB_ENDS_BY_EXIT,
	HB_ENDS_WITH_RECORD, /* the recorder in it says that nobody knows how it went on */
} hb_ends;

/* A process that is stopped, or runs for us; it has one thread when it is a checkpoint. */
typedef struct hb_copy {
	pid_t pid;
	int memory; /* /proc/PID/mem */
	uint64_t calls, prints,
		draws; /* trapped system calls until now; among them those that printed, and those for random bytes */
	uint64_t appends; /* how often it opened a file to append to */
	uint64_t times;   /* how often it looked at the processor's clock while that was trapped */
	uint64_t born;    /* when it was copied, on the line of time, in ns of processor time */
	uint64_t
		reached; /* the event at which the recorder told that it was reached: its way there was another one than without */
	bool entered; /* past the program's entry: see hb__at_entry */
	hb_ends ends;
	int status; /* the signal or the exit status of its end */
	hb_open_file *files;
	size_t nfiles;
} hb_copy;

typedef struct hb_drawn hb_drawn;

typedef struct hb_mark {
	hb_copy copy;
	uint64_t event, when; /* when: ns of processor time from the start */
	int64_t steps;        /* instructions from the mark before to this one; -1: not known */
	uint64_t bytes;
	bool keep;
	int fault; /* it stands at an instruction that gets this signal; 0: not known */
} hb_mark;

enum {
	HB_FOR_USER = 1,
	HB_FOR_GUARD = 2,
	HB_FOR_EVENT = 4, /* the recorder's "reached" */
	HB_FOR_ENTRY = 8, /* the program's entry, where everything is loaded */
	HB_FOR_REST = 16, /* behind an instruction that repeats itself */
};

typedef struct hb_point {
	hb_point_kind kind;
	uint64_t at;
	uint32_t size, users; /* users: how often the user wants it */
	int whose;            /* HB_FOR_... */
	int slot;             /* of the processor, -1: none */
	bool planted;
	unsigned char covered;
} hb_point;

typedef struct hb_thread {
	pid_t tid;
	bool running;
	bool arrived; /* told to stop, it stands where a point is, which it has not met yet */
	bool waiting; /* it stopped while another one was looked at: */
	int status;
	int signal; /* to be delivered when it goes on */
} hb_thread;

enum { HB_POINTS_MAX = 256, HB_THREADS_MAX = 1024, HB_OTHERS_MAX = 256, HB_SLOTS = 4, HB_MARKS_MAX = 160 };

struct hb_reverse {
	hb_reverse_setup setup;
	pid_t pid;                      /* what the process takes itself for */
	uint64_t gateway;               /* address of a system call instruction */
	uint64_t entry, clock, reached; /* addresses; 0: not known */
	uint64_t look, look_end;        /* where the recorder's registers know which event is asked for */
	hb_copy now;
	hb_thread *threads;
	size_t nthreads;
	pid_t others[HB_OTHERS_MAX]; /* children of the program */
	size_t nothers;
	pid_t early[HB_OTHERS_MAX]; /* stopped, and nobody has told yet who made them */
	size_t nearly;
	hb_copy before;       /* where an offshoot began; pid 0: there is none */
	int64_t before_steps; /* as `steps`, of it */
	hb_mark *marks;       /* in the order of time; the first is the start */
	size_t nmarks, base;  /* marks[base] is the last one that is not after now */
	size_t floor;         /* marks[floor] is the first that is gone back to */
	bool caught;          /* the signal that ends it met a handler before */
	int64_t steps;        /* instructions from there to now; -1: not known */
	double fork_seconds;  /* how long a copy takes */
	hb_point *points;
	size_t npoints;
	bool planted;     /* the points are in the memory of now */
	int64_t *printed; /* what the calls that print answered, in their order */
	size_t nprinted, printed_room;
	struct hb_drawn {
		void *bytes;
		size_t size;
		int64_t answer;
	} * drawn; /* random bytes and times, in the order of the calls */
	size_t ndrawn, drawn_room;
	uint64_t *appended; /* how long the files were that it opened to append to */
	size_t nappended, appended_room;
	uint64_t *times; /* what it was told of the processor's clock */
	size_t ntimes, times_room;
	uint64_t differs;          /* the page that differed when two were compared last */
	cpu_set_t mask, its, ours; /* processors at the start; of now and of ourselves while pinned */
	int loading;               /* the processor on which everything is loaded */
	pid_t pinned_pid;
	bool sharing; /* a child of the program runs in its memory (vfork): no points there */
	bool pinned, told_threads;
	uint64_t told_files; /* of which files it was said that they are shared, a bit each */
	bool searching;      /* now runs what ran already */
	char *why;
};

#define HB_MULTITHREADED(r) ((r)->nthreads > 1)

/* tracee.c: one stopped process. */
int hb__registers(pid_t pid, struct user_regs_struct *ret);
int hb__set_registers(pid_t pid, const struct user_regs_struct *regs);
size_t hb__read(const hb_copy *c, uint64_t at, void *ret, size_t size);
int hb__write(const hb_copy *c, uint64_t at, const void *from, size_t size);
/* Has it make a system call; -errno as the system has it. */
int64_t hb__call(hb_reverse *r, const hb_copy *c, long number, const uint64_t argument[6]);
/* One stop of this thread; the status of waitpid, -1: it is gone. */
int hb__wait_for(pid_t tid);
/* Goes on by a request of ptrace up to its next stop, as hb__wait_for. */
int hb__resume(pid_t tid, int request);
uint64_t hb__processor_time(pid_t pid);
bool hb__maps(pid_t pid, char **ret_text);
uint64_t hb__auxiliary(pid_t pid, uint64_t type);
/* Signals that it handles, and that it ignores: bit 0 is signal 1. */
void hb__dispositions(pid_t pid, uint64_t *ret_caught, uint64_t *ret_ignored);
bool hb__fatal(pid_t pid, int signal);
/* Whether a thread that is not stopped waits for something in the system. */
bool hb__sleeps(pid_t tid);

/* start.c */
int hb__launch_stopped(hb_reverse *r, pid_t *ret_pid);
uint64_t hb__find_gateway(const hb_copy *c);

/* copy.c: copies. */
int hb__copy_of(hb_reverse *r, const hb_copy *from, hb_copy *ret);
/* A copy that may run: its files are its own. */
int hb__running_copy_of(hb_reverse *r, const hb_copy *from, hb_copy *ret);
void hb__note_files(hb_copy *c);
void hb__drop(hb_copy *c);
/* This copy is now: what was now is killed unless it is `keep`. */
void hb__become(hb_reverse *r, const hb_copy *c, bool kill_old);

/* same.c */
/* x and y: of two copies, of which b has none of our instructions in its memory. */
bool hb__same_registers(const hb_copy *b, const struct user_regs_struct *x, const struct user_regs_struct *y);
/* b has not been asked to tell an event, and has no points; a may have. */
bool hb__same(hb_reverse *r, const hb_copy *a, const hb_copy *b);

/* saved.c: whether a handler of the program gets this signal; a thread has come to the first instruction of one. */
bool hb__has_handler(const hb_reverse *r, int signal);
void hb__handler_entered(hb_reverse *r, pid_t tid);
/* Whether bytes [from, to) of x and y, `size` bytes each from address `at` of two processes, are the same but for registers that were saved
 * there and have the same values. */
bool hb__same_but_for_saved(const char *x, const char *y, size_t size, uint64_t at, size_t from, size_t to);

/* trap.c: system calls that are trapped. */
int hb__filter(void);
typedef enum { HB_TRAPPED_BEFORE, HB_TRAPPED_AFTER, HB_TRAPPED_END } hb_trapped;
/* At such a stop of a thread: it stands before the end of the call then, after it, or at its own end. */
hb_trapped hb__trapped(hb_reverse *r, pid_t tid);

/* The processor's clock: the loader looks at it and keeps what it saw, and so do libraries; it is told the same each time. At a
 * SIGSEGV of a thread: whether it was such a look, which is over then. */
bool hb__told_time(hb_reverse *r, pid_t tid);
void hb__trap_time(hb_reverse *r, const hb_copy *c, bool on);

/* clock.c */
void hb__find_clock(hb_reverse *r);
uint64_t hb__event(const hb_reverse *r, const hb_copy *c);
uint64_t hb__counter(const hb_reverse *r); /* its address */
/* The event that the recorder in it is to tell, 0: none. What we write there is no state of the program: marks have 0 there. */
void hb__stop_at(const hb_reverse *r, const hb_copy *c, uint64_t event);
uint64_t hb__asked(const hb_reverse *r, const hb_copy *c);
/* Whether the recorder in it has come to the end of its record. */
bool hb__cut(const hb_reverse *r, const hb_copy *c);

/* points.c */
hb_point *hb__point(hb_reverse *r, hb_point_kind kind, uint64_t at, size_t size, int whose, bool make);
void hb__forget(hb_reverse *r, hb_point *p, int whose);
void hb__plant_all(hb_reverse *r);
/* Those whose memory was not there. */
void hb__plant_rest(hb_reverse *r);
void hb__lift_all(hb_reverse *r);
/* Takes them out of a process that was forked off with them inside. */
void hb__cleanse(const hb_reverse *r, pid_t child);
void hb__plant_slots(hb_reverse *r, pid_t tid);
hb_point *hb__watch_hit(hb_reverse *r, pid_t tid);
hb_point *hb__code_at(hb_reverse *r, uint64_t at);

/* run.c: what made it stop. */
typedef enum {
	HB_HIT_POINT, /* at the place of points, before the instruction */
	HB_HIT_WATCH,
	HB_HIT_SIGNAL,
	HB_HIT_END,
	HB_HIT_SLICE, /* it has run as long as it should */
	HB_HIT_CANCEL,
	HB_HIT_GONE,
	HB_HIT_STEP,
	HB_HIT_CALL, /* as many trapped calls are over as wanted */
} hb_hit_kind;
typedef struct hb_hit {
	hb_hit_kind kind;
	pid_t tid;
	int whose; /* HB_HIT_POINT, HB_HIT_WATCH */
	uint64_t address;
	int signal;
} hb_hit;
typedef struct hb_order {
	uint64_t slice; /* ns of processor time, 0: no end */
	bool fine;      /* slice to be kept to the microsecond: costs a processor */
	uint64_t calls; /* stop when so many trapped calls are over; 0: no matter */
	bool single;    /* HB_HIT_SLICE when it has no more than one thread */
	bool others;    /* as single; its first thread stands meanwhile. Also HB_HIT_SLICE when all others sleep */
} hb_order;
/* Runs now until something happens. Points stay planted: hb__lift_all before anything else is done with it. */
hb_hit hb__run_on(hb_reverse *r, const hb_order *order);
/* One instruction of a thread; the points are not in the way. */
hb_hit hb__step(hb_reverse *r, pid_t tid);
/* points.c: whether anything is watched. One instruction of a thread; what is watched is watched meanwhile, and is HB_HIT_WATCH. */
bool hb__watched(const hb_reverse *r);
hb_hit hb__step_watching(hb_reverse *r, pid_t tid);
/* On one processor with the tracee: half of the time of a stop goes into waking another one. */
void hb__pin(hb_reverse *r, bool on);
/* Until its entry the program is kept from what differs from run to run: the processor's clock, and which processor it is on (the loader keeps
 * the number). Now has come to the entry. */
void hb__at_entry(hb_reverse *r);
/* Whether it has, just now. */
bool hb__comes_to_entry(const hb_reverse *r);

/* marks.c */
/* Makes now a mark behind marks[base]; it is the base then. False: it could not be. */
bool hb__mark(hb_reverse *r);
/* Now is about to go on with nobody who asks for an event. A recorder with a look of its own leaves nothing behind by telling one: from anywhere else
 * its way is that on which none was asked for. */
void hb__goes_on(hb_reverse *r);
/* Whether now stands at marks[base]. */
bool hb__at_mark(hb_reverse *r);
/* The length of an instruction that repeats itself, where now stands at one and may be in its middle: no breakpoint would find that place
 * again, and no mark is made there. 0: it stands at none. */
unsigned hb__repeats(const hb_reverse *r);
void hb__unmark(hb_reverse *r, size_t i);
/* Now is a new copy of marks[i]. */
int hb__from_mark(hb_reverse *r, size_t i);
/* After a run forward: which mark is the last before now. */
void hb__rebase(hb_reverse *r);
uint64_t hb__when(const hb_reverse *r);
/* How long it runs between two checkpoints, in ns. */
uint64_t hb__slice(const hb_reverse *r);
void hb__within_budget(hb_reverse *r);

/* seek.c: to where a process stands, from a mark before. */
typedef enum {
	HB_MET,
	HB_MET_POINT, /* a breakpoint of the user, or the access to what is watched */
	HB_MET_WATCH,
	HB_MET_MISS, /* at the instruction, but not in the state */
	HB_MET_SLICE,
	HB_MET_NEVER, /* it can come no more: the program does not do the same again */
	HB_MET_CANCEL,
} hb_met;
typedef struct hb_seek {
	const hb_copy *target;
	struct user_regs_struct regs; /* of the target */
	uint64_t event;               /* of it */
	bool user;                    /* the user's points count, too */
	bool misses;                  /* HB_MET_MISS is told */
	uint64_t halt;                /* HB_MET_SLICE when so many events are over; 0: no matter */
	bool armed, there, blind;
} hb_seek;
/* The target must not be what is now, which is a fresh copy of a mark before it. */
void hb__seek_begin(hb_reverse *r, hb_seek *s, const hb_copy *target);
hb_met hb__seek_on(hb_reverse *r, hb_seek *s, const hb_order *order);
void hb__seek_end(hb_reverse *r, hb_seek *s);
/* What could not be gone back to, in words. */
void hb__say_never(hb_reverse *r, hb_met how);

/* near.c: to the instruction before the target, which is after marks[i] and is not after a later mark. 0; -1: *ret_how says why. */
int hb__step_back_from(hb_reverse *r, size_t i, const hb_copy *target, hb_met *ret_how);
/* To `steps` instructions after marks[i], with marks on the way, ever nearer; reached: as in the copy to go to. */
int hb__from_mark_steps(hb_reverse *r, size_t i, int64_t steps, uint64_t reached);
/* Has the recorder tell this event, if it is yet to come, or has been counted and not told yet. */
void hb__ask_for(hb_reverse *r, uint64_t event);

/* What is now, put aside while it is searched for. */
typedef struct hb_aside {
	hb_copy copy;
	size_t base;
	int64_t steps;
	pid_t mark; /* marks[base] */
} hb_aside;
void hb__put_aside(hb_reverse *r, hb_aside *a);
/* It is done with: the search has found what it looked for; or back to it. */
void hb__leave_aside(hb_reverse *r, hb_aside *a);
void hb__take_aside(hb_reverse *r, hb_aside *a);

/* forward.c. Drops an offshoot; notes one sentence. */
void hb__on_course(hb_reverse *r);
void hb__note(hb_reverse *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
