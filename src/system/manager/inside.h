/* What the files of manager/ share. */
#ifndef HBDB_SYSTEM_MANAGER_INSIDE_H
#define HBDB_SYSTEM_MANAGER_INSIDE_H

#include <sys/types.h>

#include "system/manager/manager.h"

#define HB__TICK_MS 200
#define HB__HELLO_S 30.0    /* that a node may take until its agent has said hello */
#define HB__SILENT_S 30.0   /* without an answer a node is down */
#define HB__PS_S 1.0        /* how often an agent is asked for all that it has */
#define HB__BACK_OFF_S 30.0 /* between attempts to reach a node, at most */
#define HB__CONSOLES 256
#define HB__FLOOD (16u << 20) /* bytes: who asks so much and reads nothing is let go */
#define HB__EVENTS_KEPT 100000

struct hb_manager;

struct hb__node {
	struct hb_manager *manager;
	int64_t number;
	char *name, *platform, *address;
	hb_wire *wire;  /* NULL: none */
	pid_t pid;      /* of the command that keeps the connection; 0: none */
	int errors;     /* its standard error; -1: none */
	char said[200]; /* the last line of that */
	bool up, gone;  /* up: its agent has said hello; gone: it is to be forgotten */
	bool decided;   /* whether it is up or down has been seen */
	bool asking;    /* for `ps` */
	double since, asked, answered, next,
		wait; /* since: the command was begun; next: attempt; wait: before the one after that */
	struct hb__watched {
		char *folder;
		bool needed; /* by a program */
		bool there;  /* its agent has said so */
	} * watched;         /* recordings that were asked for */
	size_t nwatched, room;
};

struct hb__console {
	struct hb_manager *manager;
	hb_wire *wire;
	int number;
	char user[64];
	bool follows;
	int64_t told; /* the last event that it was told */
	bool full;    /* it does not read: news wait in the database */
};

/* A child that gets an event on its standard input, or runs for a reaction. */
struct hb__child {
	pid_t pid;
	char what[120];
};

struct hb_manager {
	hb_manager_options options;
	hb_complex *complex;
	int inner, signals, timer, listener, lock;
	struct hb__node **node;
	size_t nnodes, node_room;
	struct hb__console **console;
	size_t nconsoles, console_room;
	int consoles; /* that there ever were */
	struct hb__child *child;
	size_t nchildren, child_room;
	struct hb__later *later;
	size_t nlater, later_room;
	uid_t *allowed;
	size_t nallowed;
	char user[64];
	int64_t reacted; /* the last event that the reactions were asked about */
	double ticked, pruned, modelled;
	double pulse;  /* of systemd's watchdog; 0: there is none */
	int64_t *rule; /* numbers of the reactions in the database */
	bool ending;
};

/* ---- manager.c ---- */
bool hb__manager_watch(struct hb_manager *m, int fd, uint32_t events);
void hb__manager_say(struct hb_manager *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Says what could not be done, where it was not. */
bool hb__manager_fine(struct hb_manager *m, hb_status status, const hb_error *err);
void hb__manager_note(struct hb_manager *m, const char *kind, const char *weight, int64_t node, int64_t program,
	int64_t process, const char *format, ...) __attribute__((format(printf, 7, 8)));
const char *hb__manager_text(const cJSON *object, const char *name); /* "" where there is none */
int64_t hb__manager_int(const cJSON *object, const char *name);      /* 0 where there is none */

/* ---- door.c ---- */
hb_status hb__door_open(struct hb_manager *m, hb_error *err);
void hb__door_close(struct hb_manager *m);
void hb__let_in(struct hb_manager *m);
void hb__console_end(struct hb_manager *m, size_t index);
/* Tells those who follow what has happened. */
void hb__consoles_tell(struct hb_manager *m);

/* ---- asks.c ---- */
void hb__console_asked(void *user, hb_wire *wire, uint64_t id, const char *name, const cJSON *ask);
/* The ring of a program (a row) is kept on every node; console: who waits for the answer to this ask, 0: nobody. output: NULL: where the agent puts it. */
void hb__manager_keep(struct hb_manager *m, const cJSON *program, int console, uint64_t id, const char *output);

/* ---- later.c ---- */
/* Whether the ask has to wait until its node is up or down: then it is asked again by hb__asks_resume. */
bool hb__ask_later(struct hb__console *c, uint64_t id, const char *name, const cJSON *ask);
void hb__asks_resume(struct hb_manager *m);
void hb__asks_forget(struct hb_manager *m);

/* ---- nodes.c ---- */
/* Makes the nodes those of the database. */
void hb__manager_nodes_read(struct hb_manager *m);
void hb__manager_nodes_tick(struct hb_manager *m, double now);
/* Its connection, or its standard error, has something. */
bool hb__node_heard(struct hb_manager *m, int fd);
void hb__node_lose(struct hb__node *n, const char *why);
void hb__manager_nodes_close(struct hb_manager *m);
struct hb__node *hb__node_of(struct hb_manager *m, int64_t number);
void hb__node_watch(struct hb__node *n, const char *folder);
/* The command that kept a connection has ended. True: it was one. */
bool hb__node_reaped(struct hb_manager *m, pid_t pid);

/* ---- programs.c ---- */
void hb__programs_tick(struct hb_manager *m);
/* What an agent has started: whether one of our programs is among it. */
void hb__programs_started(struct hb__node *n, const cJSON *started);
hb_status hb__program_begin(struct hb_manager *m, int64_t program, hb_error *err);
hb_status hb__program_end(struct hb_manager *m, int64_t program, bool again, hb_error *err);

/* ---- move.c: what moves processes ---- */
/* Asks the agent of a process; answered may be NULL; signal < 0: for its process group, too. HB_E_ARGUMENT: it has ended, or its node is not there. */
hb_status hb__process_ask(struct hb_manager *m, const cJSON *process, const char *ask, int signal,
	hb_wire_answered *answered, void *user, hb_error *err);
/* An object with pid, began and boot of a row of `processes`. */
cJSON *hb__process_named(const cJSON *row);
/* A command on a node, its output as one text when it has ended, at most `most` bytes of it. status < 0: it could not be run. */
typedef void hb__manager_ran(void *user, int status, const char *output);
void hb__manager_run_on(struct hb__node *n, const char *const *argv, size_t most, hb__manager_ran *ran, void *user);
/* Of runs whose output has come. */
bool hb__manager_run_heard(struct hb_manager *m, int fd);
void hb__manager_runs_close(void);

/* ---- react.c ---- */
/* What an earlier manager knew: which states hold, what happened within the time that a rule looks back. */
void hb__manager_react_anew(struct hb_manager *m);
/* Asks the reactions about what has happened since. */
void hb__manager_react(struct hb_manager *m);
void hb__manager_react_tick(struct hb_manager *m, double now);

/* ---- cut.c ---- */
/* What is done to those who are stopped. */
struct hb__stop_how {
	bool leave;       /* they are held */
	const char *whom; /* for whom; NULL: the manager's user */
	const char *why;
	bool stacks; /* gdb says where they stand */
};
/* Stops who has an event in the past of the last one of the process of this event. */
void hb__stop_past(struct hb_manager *m, const cJSON *event, const struct hb__stop_how *how);
void hb__stop_one(struct hb_manager *m, const cJSON *row, const struct hb__stop_how *how);
/* Its stacks become an event; left: it stays stopped, held for this user, and how it is taken over is told. NULL: it is not. */
void hb__manager_stacks(struct hb_manager *m, const cJSON *row, const char *left);

/* ---- notify.c ---- */
void hb__notify_command(struct hb_manager *m, char *const *argv, const cJSON *event, const char *what);
void hb__notify_datagram(struct hb_manager *m, const char *where, const cJSON *event);
void hb__notify_journal(struct hb_manager *m, const cJSON *event);
bool hb__child_reaped(struct hb_manager *m, pid_t pid, int status);

#endif
