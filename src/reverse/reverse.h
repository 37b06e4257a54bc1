/* One process that goes forwards and backwards. It must do the same whenever it runs: then it can be copied by fork at any moment, and to go
 * back is to run a copy. A copy is a stopped process; nothing of it is on disk. Everything here runs in one thread, which becomes the ptrace
 * parent of the process and of its copies; they end with it. It waits with the timer ITIMER_REAL and SIGALRM, which are its own meanwhile. */
#ifndef HBDB_REVERSE_H
#define HBDB_REVERSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct user_regs_struct;

typedef struct hb_reverse hb_reverse;

typedef struct hb_reverse_setup {
	char *const *argv;
	char *const *environment; /* NULL: ours */
	int in, out;              /* its standard input and output */
	bool clocks; /* they are the same each time to its end; else to the program's entry. Not for one that starts others */
	uint64_t budget; /* bytes that the checkpoints may take besides what the process itself takes */
	void (*note)(void *user, const char *text); /* a whole sentence for whoever uses it */
	bool (*cancel)(void *user);                 /* asked every few milliseconds while it runs: whether to stop */
	void *user;
} hb_reverse_setup;

typedef enum {
	HB_STOP_STEP,   /* it did what was asked */
	HB_STOP_BREAK,  /* at a breakpoint, before its instruction */
	HB_STOP_WATCH,  /* forwards: after the access; backwards: before it */
	HB_STOP_SIGNAL, /* before it gets a signal */
	HB_STOP_BEGIN,  /* at its first instruction: it goes back no further */
	HB_STOP_END,    /* at its last: the crash, the call that ends it, or where its record ends */
	HB_STOP_CANCEL, /* `cancel` said so */
	HB_STOP_NONE,   /* backwards with `stay`: there was no hit; it stands where it stood */
	HB_STOP_FAILED, /* it stands where it stood; why was noted */
	HB_STOP_GONE,   /* killed by somebody else */
} hb_stop_kind;

typedef struct hb_stop {
	hb_stop_kind kind;
	pid_t thread;
	int signal;       /* HB_STOP_SIGNAL, HB_STOP_END: 0 where it exits */
	bool dies;        /* HB_STOP_SIGNAL: after its handler it ends by this signal, as is known from its end */
	int status;       /* HB_STOP_END without a signal: its exit status */
	bool cut;         /* HB_STOP_END: the record of the recorder in it ends here; how it went on is not known */
	uint64_t address; /* HB_STOP_WATCH: of what is watched */
} hb_stop;

typedef enum { HB_POINT_CODE, HB_POINT_WRITE, HB_POINT_ACCESS } hb_point_kind;

/* Starts the command and stops it before its first instruction. NULL: *ret_why (to be freed, NULL when there is no memory) says why. */
hb_reverse *hb_reverse_start(const hb_reverse_setup *setup, char **ret_why);
/* Kills it, with its copies and its children. */
void hb_reverse_end(hb_reverse *r);

/* The number of the process, as it sees it itself and the same in every copy; the number of the process as the system knows it now. */
pid_t hb_reverse_pid(const hb_reverse *r);
pid_t hb_reverse_real(const hb_reverse *r);
/* Its threads, as the system knows them, but the first, which has the number of the process. How many. */
size_t hb_reverse_threads(const hb_reverse *r, pid_t *ret, size_t room);

/* 0, or -1: no such thread, no such memory. Registers of the processor's floating point: the area of XSAVE, *size bytes. Writing makes an
 * offshoot, which knows nothing of its past: going back drops it and goes from where it began. */
int hb_reverse_registers(hb_reverse *r, pid_t thread, struct user_regs_struct *ret);
int hb_reverse_floats(hb_reverse *r, pid_t thread, void *ret, size_t *size);
int hb_reverse_set_registers(hb_reverse *r, pid_t thread, const struct user_regs_struct *regs);
int hb_reverse_set_floats(hb_reverse *r, pid_t thread, const void *area, size_t size);
/* How much could be read. */
size_t hb_reverse_read(hb_reverse *r, uint64_t at, void *ret, size_t size);
int hb_reverse_write(hb_reverse *r, uint64_t at, const void *from, size_t size);

/* -1: it does not fit into the processor (four places of up to 8 bytes), or is not there. */
int hb_reverse_plant(hb_reverse *r, hb_point_kind kind, uint64_t at, size_t size);
int hb_reverse_remove(hb_reverse *r, hb_point_kind kind, uint64_t at, size_t size);

/* Forwards. signal: to be delivered first, 0 for none. A step goes on while the thread is in [low, high). */
hb_stop hb_reverse_continue(hb_reverse *r, int signal);
hb_stop hb_reverse_step(hb_reverse *r, pid_t thread, int signal, uint64_t low, uint64_t high);
/* Backwards: to the last hit of a breakpoint or watchpoint before now, and without one to the beginning; stay: or not at all, which is
 * HB_STOP_NONE. By one instruction. */
hb_stop hb_reverse_continue_back(hb_reverse *r, bool stay);
hb_stop hb_reverse_step_back(hb_reverse *r);

/* What the recorder in the process counts, docs/man/hbdb-gdbserver.1: false when it has no such counter. An event is at the moment
 * when the counter has become its number. */
bool hb_reverse_event(hb_reverse *r, uint64_t *ret_event);
/* Whether it stands where the recorder tells an event, however it came there. */
bool hb_reverse_at_event(hb_reverse *r);
hb_stop hb_reverse_to_event(hb_reverse *r, uint64_t event);
/* The same, of a process that has just been started, and whose beginning may not be the same each time (that of MPI looks at the machine): from
 * now on it goes back to there without running again what was before. */
hb_stop hb_reverse_begin_at(hb_reverse *r, uint64_t event);
hb_stop hb_reverse_to_start(hb_reverse *r);
/* Where a handler had the signal before it ended the process: to where the handler was about to get it, which is HB_STOP_SIGNAL. */
hb_stop hb_reverse_to_end(hb_reverse *r);

typedef struct hb_reverse_checkpoint {
	uint64_t event;
	double seconds; /* of processor time from the start */
	uint64_t bytes; /* that it shares with no other copy, when last looked at */
	bool end;
} hb_reverse_checkpoint;
size_t hb_reverse_checkpoints(const hb_reverse *r, hb_reverse_checkpoint *ret, size_t room);

#endif
