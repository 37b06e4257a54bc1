/* What an agent does (docs/system/agent.md). One thread, one loop: connections, processes that it runs, and a tick of 200 ms. What needs
 * recordings is the tool's, which hands rows of asks to it. */
#ifndef HBDB_SYSTEM_AGENT_H
#define HBDB_SYSTEM_AGENT_H

#include "system/wire/wire.h"

typedef struct hb_agent hb_agent;

/* An ask that has come: to be answered or refused, now or later. The object holds until the call returns. */
typedef void hb_agent_ask(hb_agent *agent, hb_wire *wire, uint64_t id, const cJSON *ask);
typedef struct hb_agent_row {
	const char *name; /* NULL ends a table */
	hb_agent_ask *ask;
} hb_agent_row;

typedef struct hb_agent_options {
	int in, out;         /* the connection; -1: a service */
	const char *socket;  /* a service: the path of the Unix socket, in a folder of this user's alone */
	const char *state;   /* folder for what outlives the agent: started programs; made when it is not there */
	const char *program; /* absolute path of hbdb here */
	const char *notify;  /* what HBDB_SELF_NOTIFY is for what is started; NULL: nothing */
	const hb_agent_row *rows;
	void (*tick)(hb_agent *agent);
	void (*gone)(hb_agent *agent, hb_wire *wire); /* a connection has ended */
	void *user;
} hb_agent_options;

/* Serves until its connection ends, or, a service, until it gets SIGTERM, SIGINT or SIGHUP. What it had run (ask `run`) is ended then; what it had started
 * goes on. HB_E_SYSTEM: it could not begin, the socket is in use; for a connection that ended otherwise than by the other side, why. */
hb_status hb_agent_serve(const hb_agent_options *options, hb_error *err);

void *hb_agent_user(const hb_agent *agent);
const hb_agent_options *hb_agent_given(const hb_agent *agent);
/* News to all connections. news: taken over. */
void hb_agent_tell(hb_agent *agent, const char *name, cJSON *news);
/* Who waits for the end of a process that this one has made, from the loop. */
typedef void hb_agent_ended(hb_agent *agent, void *user, int32_t pid, int status, int signal);
bool hb_agent_wait_for(hb_agent *agent, int32_t pid, hb_agent_ended *ended, void *user);

/* Calls `heard` from the loop once, when something can be read from the descriptor, which stays the caller's. It has to be let go of before it is closed, also after
 * that. False: it cannot be watched. */
typedef void hb_agent_heard(hb_agent *agent, void *user, int fd);
bool hb_agent_listen(hb_agent *agent, int fd, hb_agent_heard *heard, void *user);
void hb_agent_let_go(hb_agent *agent, int fd);

/* ---- process.c ---- */

/* A process of this machine, told by pid and began (and boot). */
typedef struct hb_agent_process {
	int32_t pid;
	uint64_t began;
} hb_agent_process;
/* The process that an ask names, if it is there and that one: else the ask has been refused, and false. */
bool hb_agent_the_process(hb_wire *wire, uint64_t id, const cJSON *ask, hb_agent_process *ret);
/* pid, began, boot, state (running, stopped, ended), threads, used, memory, program, machine of a process of this machine. NULL: there is none, or it is one of another user's. */
cJSON *hb_agent_describe(int32_t pid);

/* ---- start.c ---- */

/* Programs that agents of this user have started, and how they ended, as objects of docs/system/agent.md: an array. Those that ended more than a day ago are forgotten. */
cJSON *hb_agent_started(hb_agent *agent);

#endif
