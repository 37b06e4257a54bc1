/* What the files of agent/ share. */
#ifndef HBDB_SYSTEM_AGENT_INSIDE_H
#define HBDB_SYSTEM_AGENT_INSIDE_H

#include "system/agent/agent.h"

#define HB__TICK_MS 200

struct hb__child {
	int32_t pid;
	hb_agent_ended *ended;
	void *user;
};

struct hb__listened { /* a descriptor of the tool's */
	int fd;
	hb_agent_heard *heard;
	void *user;
};

struct hb__door { /* a socket at which processes dial in */
	int fd;
	hb_wire *wire;       /* who gets them */
	char *path, *folder; /* of the socket; folder: made for it */
	char *secret;        /* a file in it; NULL: none */
	char *name;          /* NULL: none */
};

struct hb_agent {
	hb_agent_options options;
	int inner, signals, timer, listener;
	hb_wire **wire;
	size_t nwires, wire_room;
	struct hb__child *child;
	size_t nchildren, child_room;
	struct hb__listened *listened;
	size_t nlistened, listened_room;
	struct hb__door *door;
	size_t ndoors, door_room;
	bool ending;
};

bool hb__agent_watch(hb_agent *agent, int fd);

/* process.c, run.c, start.c, dial.c, watched.c: rows of the table */
hb_agent_ask hb__ask_signal, hb__ask_stop, hb__ask_go, hb__ask_run, hb__ask_start, hb__ask_dial, hb__ask_await,
	hb__ask_look, hb__ask_rouse;

/* run.c: a child that begins a command: its descriptors are `in` (0), `out` (1), `error` (2), in a session of its own. tied: it gets SIGHUP when this process dies. -1: errno tells. */
int32_t hb__begin(char *const *argv, const char *cwd, const cJSON *environment, int in, int out, int error, bool tied);
void hb__runs_end(hb_agent *agent, hb_wire *wire);

/* started.c: the folder of what was started, made when it is not there; an object as a file in it, as a whole or not at all (errno tells). */
#define HB__STARTED_FOLDER 3500 /* bytes of its path: names of files go behind it */
bool hb__started_folder(const hb_agent *agent, char *ret, size_t size);
bool hb__started_write(const char *folder, const char *name, const cJSON *object);

/* dial.c */
void hb__doors_close(hb_agent *agent, hb_wire *wire); /* NULL: all */
bool hb__door_opens(hb_agent *agent, int fd);         /* whether the descriptor is a door's, and somebody was let in */

#endif
