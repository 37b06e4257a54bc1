/* One gdb over one gdbserver, with up to HB_GDB_MOST processes of one machine attached (place/). Speaks gdb/MI. Processes are
 * named by a number of the caller's (their rank). Each is on its own: stopping, continuing or looking at one leaves the others as
 * they are (gdb's non-stop mode).
 *
 * A process stands or runs as a whole: when one of its threads stops, the others are stopped, too, and then the stop is told.
 * Looks are at the thread that stopped last, or the first one.
 *
 * Calls wait for gdb's answer, at most the time limit of the gdb (10 s; the error says when it is over); what processes
 * do meanwhile is kept for hb_gdb_poll. HB_E_SYSTEM: gdb does not answer, or has ended; a process is gone, or may not be attached.
 * HB_E_ARGUMENT: all that gdb refuses, in its own words; a process that runs when it has to stand. A gdb that does not answer at all
 * is ended: everything is then lost (HB_GDB_LOST). Texts handed out belong to the caller unless said otherwise. Thread safety: one
 * thread at a time. When this process dies, gdb and gdbserver let go of all processes and end. */
#ifndef HBDB_SESSION_GDB_GDB_H
#define HBDB_SESSION_GDB_GDB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hbdb/format.h>

#include "session/gdb/place/place.h"

#define HB_GDB_MOST 32

typedef struct hb_gdb hb_gdb;

typedef enum hb_gdb_reason {
	HB_GDB_ASKED,      /* interrupted, or just attached */
	HB_GDB_BREAKPOINT, /* number tells which */
	HB_GDB_WATCHPOINT, /* number; old and new value; or meaning `out of scope`, and the watchpoint is gone */
	HB_GDB_STEPPED,    /* a step, next or finish is over; new_value: what the finished function returned */
	HB_GDB_SIGNAL,     /* signal tells which */
	HB_GDB_EXITED,     /* status */
	HB_GDB_KILLED,     /* signal; 0: gdb does not know */
	HB_GDB_RUNNING,    /* it goes on */
	HB_GDB_LOST,       /* gdb itself has died (id -1): no process is attached any more; meaning says why */
} hb_gdb_reason;

typedef struct hb_frame {
	uint64_t pc;
	char function[128];  /* empty: not known */
	char file[512];      /* as the compiler wrote it; empty: no line */
	char fullname[1024]; /* absolute; empty: no line */
	int line;
	char module[256]; /* the file that the code is in; empty: not known */
	bool ours; /* of hbdb's library, or of the MPI library, or what these called, or below main: not the program's */
	uint32_t level; /* number in gdb */
} hb_frame;

typedef struct hb_gdb_stop {
	hb_gdb_reason reason;
	int number; /* of the breakpoint */
	int status, signal;
	char signal_name[16], meaning[64]; /* SIGSEGV, Segmentation fault */
	char old_value[128], new_value[128], expression[128];
	hb_frame frame;
	int thread; /* gdb's number of the thread */
} hb_gdb_stop;

/* Starts both. place: where, it has to outlive the gdb; NULL: on this machine. gdb, gdbserver: programs, NULL: those in PATH there. HB_E_SYSTEM with what is missing
 * and which package has it. */
hb_status hb_gdb_open(hb_gdb_place *place, const char *gdb, const char *gdbserver, hb_gdb **ret_gdb, hb_error *err);
/* Detaches from all; they go on. */
void hb_gdb_close(hb_gdb *gdb);
/* Kills all that it has where they stand, and closes it: none of them executes another instruction. */
void hb_gdb_kill(hb_gdb *gdb);
/* gdb for one process that goes forwards and backwards: `hbdb gdbserver` (src/reverse/remote) serves it behind `address`, a Unix socket, as process
 * `server`, a child of ours that is waited for and ended with gdb. gdb has it from the beginning, and it stands. */
hb_status hb_gdb_open_served(
	const char *gdb, int32_t id, const char *address, int32_t server, hb_gdb **ret_gdb, hb_error *err);
/* A process that a program of this machine runs for another processor: that program serves it to one gdb, from before its first instruction on. */
typedef struct hb_gdb_stub {
	int32_t pid;         /* of both */
	const char *gdb;     /* that knows the processor; NULL: gdb */
	const char *address; /* of the Unix socket */
	const char *root;    /* the folder below which its libraries are, NULL: / */
	const char *program; /* absolute path; NULL: not known, and with it no symbols */
} hb_gdb_stub;
/* gdb for such a process, which it has from now on, and which stands. It stops as a whole as far as the server stops its threads. While it runs the server hears
 * nothing: it is interrupted by SIGINT, and not while it blocks that. hb_gdb_detach takes its points away and lets it go on, and gdb has it still: the server
 * takes no second one. Where gdb ends without hb_gdb_close the process does, too. */
hb_status hb_gdb_open_stub(const hb_gdb_stub *stub, int32_t id, hb_gdb **ret_gdb, hb_error *err);
/* Whether a process stands by SIGSTOP, or another signal that stops. place: where it is, NULL: here. */
bool hb_gdb_stands(hb_gdb_place *place, int32_t pid);
/* gdb for one such process, which it has from now on where it stands: it executes nothing before hb_gdb_go. Let go of, or when gdb ends, it stands again, unless
 * it was told HB_GDB_CONTINUE: then it has got SIGCONT, and goes on. SIGSTOP sent meanwhile stops it, and is not passed on. place, programs, errors: as hb_gdb_open. */
hb_status hb_gdb_open_standing(hb_gdb_place *place, const char *gdb, const char *gdbserver, int32_t id, int32_t pid,
	hb_gdb **ret_gdb, hb_error *err);
/* Whether it is such a gdb; *ret_stands (may be NULL): its process was not told to go on yet. */
bool hb_gdb_is_standing(const hb_gdb *gdb, bool *ret_stands);
/* Another number for a process of the caller's. */
void hb_gdb_rename(hb_gdb *gdb, int32_t id, int32_t new_id);
/* Where such a process is that goes backwards. */
typedef struct hb_gdb_stand {
	bool counted;       /* events are, by the recorder in it ... */
	uint64_t event;     /* ... and so many are over */
	bool at;            /* it stands exactly where the last one is told, not behind that */
	bool begin, end;    /* it goes no further in this direction */
	bool failed;        /* what was asked could not be; a note says why */
	int signal, status; /* at its end: what ends it, 0 where it exits with `status` */
	bool cut;           /* ... or its recording ends, and nobody knows how it went on */
	int32_t pid;        /* of the system: another one after each way back */
} hb_gdb_stand;
hb_status hb_gdb_where(hb_gdb *gdb, int32_t id, hb_gdb_stand *ret, hb_error *err);
/* Has it go to an event, "START" or "END", and waits for that. interrupted (may be NULL) is asked meanwhile. */
hb_status hb_gdb_jump(
	hb_gdb *gdb, int32_t id, const char *where, bool (*interrupted)(void *user), void *user, hb_error *err);
/* What was said about it since the last time, lines; NULL: nothing. Free it. */
char *hb_gdb_notes(hb_gdb *gdb);
/* Readable: hb_gdb_poll has something to do, also what other calls have taken in. It has to be called then: it sees to stops that
 * gdb forgets and to processes that die while they stand. */
int hb_gdb_fd(const hb_gdb *gdb);
/* Takes in what gdb says without waiting. visit is called for each stop, exit and continuation since the last time. */
typedef void hb_gdb_visit(void *user, int32_t id, const hb_gdb_stop *stop);
void hb_gdb_poll(hb_gdb *gdb, hb_gdb_visit *visit, void *user);
/* The time limit of single calls in seconds. */
void hb_gdb_patience(hb_gdb *gdb, double seconds);

/* Attaches to processes; afterwards those are stopped (HB_GDB_ASKED is told). ret_failed[i]: not attached (NULL: not told); err says
 * why the first was not. One that stands by SIGSTOP is refused: it takes hb_gdb_open_standing. */
hb_status hb_gdb_attach(
	hb_gdb *gdb, const int32_t *ids, const int32_t *pids, size_t n, bool *ret_failed, hb_error *err);
void hb_gdb_detach(hb_gdb *gdb, int32_t id);
bool hb_gdb_has(const hb_gdb *gdb, int32_t id);
bool hb_gdb_stopped(const hb_gdb *gdb, int32_t id);

/* Stops a process (all its threads) and waits for that. */
hb_status hb_gdb_interrupt(hb_gdb *gdb, int32_t id, hb_error *err);
/* The same without waiting, for many at once: its stop is told by hb_gdb_poll. */
hb_status hb_gdb_halt(hb_gdb *gdb, int32_t id, hb_error *err);
typedef enum hb_gdb_step {
	HB_GDB_CONTINUE,
	HB_GDB_STEP,
	HB_GDB_NEXT,
	HB_GDB_FINISH,
	HB_GDB_STEPI,
	HB_GDB_NEXTI,
	HB_GDB_UNTIL, /* as NEXT, but not back to the beginning of a loop */
	/* of one that goes back: to the last hit of a point, to the line before, to the call of the frame's function, by an instruction */
	HB_GDB_BACK_CONTINUE,
	HB_GDB_BACK_STEP,
	HB_GDB_BACK_NEXT,
	HB_GDB_BACK_FINISH,
	HB_GDB_BACK_STEPI,
	HB_GDB_BACK_NEXTI,
} hb_gdb_step;
/* Lets it go on; does not wait for the next stop. FINISH: out of frame `level`. times: of steps, 1 and more. CONTINUE: all its threads. */
hb_status hb_gdb_go(hb_gdb *gdb, int32_t id, hb_gdb_step how, uint32_t level, uint32_t times, hb_error *err);

/* How many threads a process has; *ret_chosen (may be NULL): which of them, counted from 1, looks and steps are for. */
uint32_t hb_gdb_threads(const hb_gdb *gdb, int32_t id, uint32_t *ret_chosen);
/* Chooses another one, until the process goes on. */
hb_status hb_gdb_choose_thread(hb_gdb *gdb, int32_t id, uint32_t thread, hb_error *err);
/* The stack, innermost first, at most `most` frames. Free *ret_frames. */
hb_status hb_gdb_stack(hb_gdb *gdb, int32_t id, uint32_t most, hb_frame **ret_frames, size_t *ret_n, hb_error *err);
/* Whether it stands at the first instruction of a line of the source. */
bool hb_gdb_begins_line(hb_gdb *gdb, int32_t id);
typedef struct hb_variable {
	char *name, *type, *value; /* value as gdb prints it, cut at some length; NULL: not to be had */
	bool argument;
} hb_variable;
/* Arguments and variables of a frame, those of inner blocks first. Free with hb_gdb_free_variables. */
hb_status hb_gdb_variables(
	hb_gdb *gdb, int32_t id, uint32_t level, hb_variable **ret_variables, size_t *ret_n, hb_error *err);
void hb_gdb_free_variables(hb_variable *variables, size_t n);
/* The value of an expression of the program's language in a frame, as gdb prints it. An assignment is an expression, too. A function of
 * the program may be called; only its thread runs. When it crashes or does not return in time, everything is put back. */
hb_status hb_gdb_evaluate(
	hb_gdb *gdb, int32_t id, uint32_t level, const char *expression, char **ret_value, hb_error *err);
/* The output of a command of gdb's command line (`info registers`, `ptype x`), in a frame. Not those that read further lines, or that
 * take the process away (`quit`, `detach`, `run`, ...). */
hb_status hb_gdb_command(
	hb_gdb *gdb, int32_t id, uint32_t level, const char *command, char **ret_output, hb_error *err);

typedef struct hb_gdb_breakpoint {
	const char *location;  /* as gdb takes it: file.c:12, function */
	const char *condition; /* or NULL */
	uint32_t ignore;       /* how many times it lets pass */
	bool temporary;
} hb_gdb_breakpoint;
/* A breakpoint in one process, which ends with it. *ret_number is gdb's. A location not known (yet) is an error. ret_where (may be NULL):
 * where it came to be. */
hb_status hb_gdb_break(hb_gdb *gdb, int32_t id, const hb_gdb_breakpoint *breakpoint, int *ret_number,
	hb_frame *ret_where, hb_error *err);
/* A watchpoint: stops when the value of the expression, seen from a frame, changes. The processor watches, at most four places of 8
 * bytes in each process; what it cannot watch is an error. */
hb_status hb_gdb_watch(hb_gdb *gdb, int32_t id, uint32_t level, const char *expression, int *ret_number, hb_error *err);
/* The same of the memory where the value is now, wherever the expression has a meaning later. as_c: it is written in C, whatever the program's
 * language is: gdb knows places in no other one. */
hb_status hb_gdb_watch_place(
	hb_gdb *gdb, int32_t id, uint32_t level, const char *expression, bool as_c, int *ret_number, hb_error *err);
/* How many of both a process has. */
uint32_t hb_gdb_points(const hb_gdb *gdb, int32_t id);
hb_status hb_gdb_delete(hb_gdb *gdb, int number, hb_error *err);
hb_status hb_gdb_enable(hb_gdb *gdb, int number, bool enable, hb_error *err);

#endif
