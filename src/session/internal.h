/* What the files of the session share. */
#ifndef HBDB_SESSION_INTERNAL_H
#define HBDB_SESSION_INTERNAL_H

#include <poll.h>

#include <hbdb/control.h>

#include "format/growing/growing.h"
#include "session/session.h"

#define HB__LANES_MOST 1024 /* threads of a process that are followed */

struct hb__process {
	hb_proc p;
	int fd;              /* of its connection, -1: none */
	int alive;           /* a pidfd of one that runs here, -1: none */
	bool adopted;        /* runs without hbdb */
	bool go_ahead;       /* let go before it had dialled in */
	bool named;          /* stops were asked for, perhaps before it dialled in */
	hb_gdb *gdb;         /* the one it is attached to; NULL: none */
	hb_gdb_place *place; /* where it runs; NULL: here, or where nobody has a way to */
	size_t home;         /* which of the gdbs is for it, from 1 on; 0: not known yet */
	hb_growing log;      /* what its threads do, as it says */
	uint64_t steps;      /* events and polls, the last time */
	double moved;        /* seconds: when that, or whether it is inside a call, changed last */
};

struct hb__connection {
	int fd;
	int32_t rank; /* -1: has not said hello */
	char pending[HB_CONTROL_LINE];
	size_t n;
};

/* A gdb, and whom it is for. */
struct hb__home {
	hb_gdb *gdb;         /* NULL: not needed yet, or it could not be opened */
	hb_gdb_place *place; /* NULL: here */
	size_t n;            /* processes that it is for */
	bool standing;       /* one that stands by SIGSTOP: its gdb is for nobody else */
};

struct hb_session {
	int listener;
	char where[300], secret[40];
	char *secret_file; /* NULL: there is none */
	char *environment[3];
	char *logs, *tcp, *gdb, *gdbserver;
	char *(*beyond)(int32_t pid); /* hb_session_options */
	int32_t size, most;           /* processes, and how many there is room for: they stay where they are */
	int32_t first, ranks;         /* numbers of those of the world that was started */
	struct hb__process *process;
	struct hb__connection *connection;
	size_t nconnections, room;
	struct hb__home *homes;
	size_t nhomes, homes_room;
	const hb_session_nodes *nodes; /* NULL: there are none */
	struct hb__stub **stubs;
	size_t nstubs, room_stubs;
	uint64_t changes, departures;
	double looked; /* when the lane controls were read last */
};

/* Counts a change of a process. */
void hb__changed(hb_session *session, struct hb__process *process);
/* Somebody was let go, or stepped: who was held back may not be any more. */
void hb__departed(hb_session *session);
/* What it is called in a sentence: two arguments for "%s%s". */
#define HB__CALLED(process) hb_rank_word((process)->p.name), (process)->p.name
struct hb__process *hb__process_of(const hb_session *session, int32_t rank); /* NULL: no such */
hb_thread *hb__thread_of(struct hb__process *process, uint32_t lane);        /* made when it is new; NULL: too many */
hb_status hb__session_fail(hb_error *err, hb_status status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* ---- named.c ---- */
/* Room for so many ranks, and as many processes again as are told by their names. False: no memory. */
bool hb__room_for(hb_session *session, int32_t ranks);
/* One of that name; NULL: there is no room. */
struct hb__process *hb__add_process(hb_session *session, const char *name);
/* All but what it is called. */
void hb__forget_process(struct hb__process *process);

/* ---- dial.c ---- */
hb_status hb__listen(hb_session *session, hb_error *err);
/* Nobody else is to dial in: its file goes, and what processes left there. */
void hb__forget_secret(hb_session *session);
void hb__hang_up(hb_session *session);
void hb__accept(hb_session *session);
void hb__hear(hb_session *session, size_t connection);
__attribute__((format(printf, 2, 3))) void hb__tell(const struct hb__process *process, const char *format, ...);
/* Sends what its threads are asked for. */
void hb__tell_stops(struct hb__process *process);

/* ---- lanes.c ---- */
/* Reads the lane controls of all processes that run here. */
void hb__read_lanes(hb_session *session);
/* Of one: before it is gone, so that what it did last is known. */
void hb__read_lanes_of(hb_session *session, struct hb__process *process);
/* Inside the call in which it is to stop. */
bool hb__blocks_there(const hb_thread *thread);
/* The signal that ended a process, 0 when nobody can tell any more. */
int hb__died_of(int32_t pid);

/* ---- step.c ---- */
/* Asks gdb where the one that goes back is. */
void hb__see_where(struct hb__process *process);

/* ---- attach.c ---- */
/* Its first gdb is this one. False: no memory. */
bool hb__take_gdb(hb_session *session, hb_gdb *gdb);
/* News of a process that is attached. */
void hb__heard(hb_session *session, int32_t rank, const hb_gdb_stop *stop);
void hb__poll_gdbs(hb_session *session);
/* close: hb_gdb_close or hb_gdb_kill */
void hb__close_gdbs(hb_session *session, void (*close)(hb_gdb *gdb));
/* Lets a broken process go on. */
bool hb__go_on(hb_session *session, struct hb__process *process);
/* The same without gdb, which makes a process slow: each library that it loads or unloads is a stop to gdb. */
void hb__leave(hb_session *session, struct hb__process *process);

/* ---- stub.c ---- */
/* The gdb that a process has by the stub of what runs it; NULL: it has none. */
hb_gdb *hb__stub_gdb(const hb_session *session, const struct hb__process *process);
/* One has dialled in: its stub may be known already. */
void hb__stub_dialled(hb_session *session, const struct hb__process *process);
void hb__poll_stubs(hb_session *session);
void hb__close_stubs(hb_session *session, void (*close)(hb_gdb *gdb));
/* What is waited for of them, nstubs: how many. */
size_t hb__stub_waits(const hb_session *session, struct pollfd *ret);

#endif
