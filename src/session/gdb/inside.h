/* What the files of this folder share. */
#ifndef HBDB_SESSION_GDB_INSIDE_H
#define HBDB_SESSION_GDB_INSIDE_H

#include <sys/types.h>

#include "session/gdb/gdb.h"
#include "session/gdb/mi/mi.h"
#include "session/gdb/place/place.h"

/* What gdb does of itself (to attach, to stop a process) comes to an end, but on a busy machine it takes its time: so many times
 * patience. */
#define HB__GDB_WORK 6

struct hb__gdb_thread {
	int number; /* gdb's */
	bool running;
	bool called; /* a function of the program was called in it since it went last */
	hb_gdb_stop *
		kept; /* it stopped for a reason of its own while another stop was told: told when the process is to go on */
};

enum hb__gdb_state {
	HB__RUNNING,
	HB__STOPPING, /* one thread has stopped, the others are asked to */
	HB__STOPPED,
};

/* A process under gdb: an "inferior". */
struct hb__inferior {
	bool used;
	int32_t id, pid;
	int group; /* its number in gdb */
	enum hb__gdb_state state;
	struct hb__gdb_thread *threads;
	size_t nthreads, cap;
	int thread;    /* the one that stopped last, or the first */
	bool has_stop; /* stop: why it is stopping */
	hb_gdb_stop stop;
	bool attaching, detaching;
	bool asking;   /* interrupt was sent ... */
	int tries;     /* ... so many times more */
	bool muted;    /* its breakpoints are off meanwhile */
	bool back;     /* ... backwards */
	bool stepping; /* it was let go for a step, not to go on */
	int roused;    /* ... and got signals, as gdb did not stop it: so many were not reported yet */
	int life;      /* readable when it has ended; -1 */
	bool calling;  /* an expression is being evaluated: the stops of a function called are gdb's own business */
	bool dying;    /* it has exited; gdb has not said how yet */
};

/* A breakpoint or watchpoint. */
struct hb__point {
	int number;
	int32_t id;
	bool watch, enabled;
};

struct hb__told {
	int32_t id;
	hb_gdb_stop stop;
};

struct hb_gdb {
	/* gdb itself */
	hb_gdb_place *place;
	hb_gdb_child *child, *server;
	bool one;       /* of one process that goes forwards and backwards: gdb stops all its threads at once */
	int32_t served; /* ... by this child of ours */
	bool stub;      /* one, and what runs it serves it: it goes forwards alone, and hears nothing while it runs */
	bool standing;  /* one, attached to where it stood by SIGSTOP ... */
	bool let_go;    /* ... and it was told to go on since */
	int halts;      /* the signal that stops its process, of one that gdb is not to interrupt; 0: gdb does it */
	bool moved;     /* ... which has gone since it was asked where it is */
	hb_gdb_stand stand;
	char *notes;              /* that it said meanwhile */
	int process, server_life; /* readable when they have ended; -1 */
	int socket;               /* its standard input and output */
	int inner;                /* an epoll of these, of `timer` and of the processes attached */
	int timer;                /* interrupts are repeated when it fires */
	int news;                 /* an eventfd: readable while `told` has something */
	int waiting;              /* what hb_gdb_fd gives: an epoll of inner and news */
	bool lost;
	double patience; /* seconds for what a user asks for, which may never end */
	bool python;     /* for conditions */
	/* what it says */
	char *in;
	size_t in_at, in_n, in_cap;
	struct hb__mi record;
	char words[256]; /* the last line that is no record: why it died, perhaps */
	/* the answer waited for */
	int64_t token, want;
	bool answered;
	struct hb__mi answer;
	char *answer_line;
	bool collecting; /* what commands print */
	char *said;
	size_t said_n, said_cap;
	/* what it knows */
	struct hb__inferior at[HB_GDB_MOST];
	struct hb__point *points;
	size_t npoints, cap_points;
	struct hb__told *told;
	size_t ntold, cap_told;
};

hb_status hb__gdb_fail(hb_error *err, hb_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* ---- process.c ---- */

/* Has inner wait for a file descriptor, too. */
bool hb__gdb_watch(hb_gdb *gdb, int fd);
/* A gdb that has not begun yet. NULL: no memory. place: NULL: here. */
hb_gdb *hb__gdb_new(hb_gdb_place *place, hb_error *err);
/* Begins it, where both programs are found. */
hb_status hb__gdb_start(hb_gdb *gdb, const char *program, const char *server, hb_error *err);
/* Starts gdbserver and connects gdb with it. how: `remote` or `extended-remote`. */
hb_status hb__gdb_connect_server(hb_gdb *gdb, char *const *argv, const char *how, hb_error *err);
/* Ends it, by force when it does not end by itself within `seconds`. */
void hb__gdb_end(hb_gdb *gdb, double seconds);
bool hb__gdb_signal(hb_gdb *gdb, int signal);

/* ---- one/one.c ---- */

/* Connects gdb with the one process behind this socket. */
hb_status hb__gdb_connect_one(hb_gdb *gdb, int32_t id, int32_t server, const char *address, hb_error *err);
/* The same behind the socket of what runs it. */
hb_status hb__gdb_connect_stub(hb_gdb *gdb, int32_t id, const hb_gdb_stub *stub, hb_error *err);
/* Before a process of hb_gdb_open_standing goes on, or a function of it is called: whether its other threads go, too. */
void hb__gdb_others_go(hb_gdb *gdb, bool go);
/* Whether its SIGSTOP stops it for gdb: while one that hbdb sends is waited for. Any other belongs to its standing, and gdb goes on over it.
 * Waits for gdb's answer. */
void hb__gdb_stops_by(hb_gdb *gdb, bool stops);
/* Before it is let go of where it stands: gdbserver would give a thread the signal by which the call of a function ended. */
void hb__gdb_calm(hb_gdb *gdb, struct hb__inferior *inferior);
/* Before it is told to go on for good: the system forgets that it was stopped. */
void hb__gdb_wake(hb_gdb *gdb, const struct hb__inferior *inferior);
/* It goes on without points, and gdb stays. */
void hb__gdb_leave_stub(hb_gdb *gdb, struct hb__inferior *inferior);
/* Has the place of the one process known where it has moved: its number, and so its map, are others. */
void hb__gdb_follow(hb_gdb *gdb, struct hb__inferior *inferior);
/* What the server says of itself. */
void hb__gdb_note(hb_gdb *gdb, const char *text);

/* ---- command.c ---- */

/* Has what commands print kept in gdb->said from now on. */
void hb__gdb_collect(hb_gdb *gdb, bool on);

/* Sends a command and waits for its answer, which is gdb->answer until the next call. An error of gdb's becomes HB_E_ARGUMENT with its
 * text; no answer or a dead gdb HB_E_SYSTEM. */
hb_status hb__gdb_ask(hb_gdb *gdb, hb_error *err, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Sends a command; returns its token, for hb__gdb_answer; -1: lost. Not waited for: its answer is ignored. */
int64_t hb__gdb_send(hb_gdb *gdb, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* seconds: after which gdb is asked to end the command. */
hb_status hb__gdb_answer(hb_gdb *gdb, int64_t token, double seconds, hb_error *err);
/* Takes in one line; waits for it until `until` (see hb__gdb_now). False: none came. */
bool hb__gdb_take(hb_gdb *gdb, double until);
/* gdb is of no use any more: ends it and tells that all is lost. */
void hb__gdb_lose(hb_gdb *gdb, const char *why);

/* ---- state.c ---- */

/* A file descriptor of inner is readable: the timer, or a process, or gdbserver, has died. */
void hb__gdb_noticed(hb_gdb *gdb, int fd);
/* Asks all threads of a process to stop; again, when they do not. */
void hb__gdb_ask_to_stop(hb_gdb *gdb, struct hb__inferior *inferior);
void hb__gdb_heard(hb_gdb *gdb, const struct hb__mi *record); /* * and = records, text and prompts */
void hb__gdb_tell(hb_gdb *gdb, int32_t id, const hb_gdb_stop *stop);
/* A process was let go: stops of before are no longer told. That it has ended is. */
void hb__gdb_untell(hb_gdb *gdb, int32_t id);
struct hb__inferior *hb__gdb_find(hb_gdb *gdb, int32_t id);
/* The process, which has to be attached (and stopped). */
struct hb__inferior *hb__gdb_process(hb_gdb *gdb, int32_t id, bool stopped, hb_error *err);
void hb__gdb_forget(hb_gdb *gdb, struct hb__inferior *inferior);
/* Tells the stop when all threads stand. */
void hb__gdb_settled(hb_gdb *gdb, struct hb__inferior *inferior);
bool hb__gdb_all_stopped(const struct hb__inferior *inferior);

/* ---- frames.c ---- */

void hb__gdb_read_frame(const struct hb__mi *mi, const struct hb__mi_value *tuple, hb_frame *ret_frame);
/* Fills in module and ours of a stack, innermost first. whole: it reaches to the outermost frame. */
void hb__gdb_place_frames(hb_gdb *gdb, const struct hb__inferior *inferior, hb_frame *frames, size_t n, bool whole);

/* ---- attach.c ---- */

/* Says why a process cannot be attached, when that can be seen from outside. */
bool hb__gdb_hindered(hb_gdb *gdb, int32_t id, int32_t pid, hb_error *err);

/* ---- break.c ---- */

/* After a process was attached: breakpoints of others are not to stop it. */
void hb__gdb_narrow_all(hb_gdb *gdb);
/* Switches the breakpoints of a process off for a while, and on again. */
void hb__gdb_mute(hb_gdb *gdb, int32_t id, bool off);
/* Has gdb look anew at what is watched: it takes what it saw last for the value before a store. */
void hb__gdb_watch_anew(hb_gdb *gdb, int32_t id);
void hb__gdb_forget_point(hb_gdb *gdb, int number);
void hb__gdb_forget_points(hb_gdb *gdb, int32_t id); /* -1: all */

#endif
