/* `hbdb agent`: what an agent does with recordings. */
#ifndef HBDB_TOOL_AGENT_H
#define HBDB_TOOL_AGENT_H

#include "../tool.h"
#include "../watch/lanes.h"
#include "system/agent/agent.h"

/* ---- watching.c ---- */

typedef struct hb_watching hb_watching;
hb_watching *hb__watching_new(void);
void hb__watching_free(hb_watching *watching);
/* Looks at what is watched, and tells what has changed. */
void hb__watching_tick(hb_agent *agent, hb_watching *watching);
/* A connection is gone: what it alone watched is not watched any more. */
void hb__watching_gone(hb_watching *watching, hb_wire *wire);
/* A process of a recording that is watched. Lent until the loop turns. */
typedef struct hb_watched {
	const hb_process_now *now;
	const struct tracked *of; /* watching.c's */
	size_t at;
} hb_watched;
/* Those of a recording (folder; NULL: of all) that were seen on this node, by pid and path of their logs. *ret_all: free it. False: it is not watched. */
bool hb__watched_all(const hb_watching *watching, const char *folder, hb_watched **ret_all, size_t *ret_n);
/* As news have it. cJSON_Delete. */
cJSON *hb__watched_describe(const hb_watched *process);
hb_agent_ask hb__ask_watch, hb__ask_unwatch;

/* ---- lists.c ---- */

/* Processes that are told in parts: where in `all` the part that is asked for begins. */
size_t hb__list_from(const cJSON *ask, const hb_watched *all, size_t n);
/* Into the answer: that there is more, from behind this one on. */
void hb__list_more(cJSON *answer, const hb_watched *last);
hb_agent_ask hb__ask_ps;

/* ---- rates.c ---- */

/* Of a process; begins as zeroes, ends with hb__rates_free. */
typedef struct hb_rates {
	double when; /* of the last look; 0: there was none */
	uint64_t events, messages;
	double event_rate, message_rate; /* per second, between the last two looks */
	unsigned char *kind;             /* by number of a function: whether it sends; NULL: not known of any */
} hb_rates;
/* Looks once a second, however often it is called. */
void hb__rates_look(hb_rates *rates, const hb_process_now *process);
void hb__rates_free(hb_rates *rates);

/* ---- parts.c ---- */

hb_agent_ask hb__ask_seal, hb__ask_fetch, hb__ask_follow, hb__ask_drop;
/* A child that works on the answer to an ask, while the agent goes on. In the child: a descriptor for hb__work_done, or for a line that says why not, before it exits
 * with another status than 0. -1: this is the agent, and there is nothing more to do. */
int hb__work_for(hb_agent *agent, hb_wire *wire, uint64_t id);
_Noreturn void hb__work_done(int said, cJSON *answer);
/* A child that has its end of the channel of an ask: what it writes there is sent, and what the other side sends it reads, up to the end of file. The ask is answered. In
 * the child: its descriptor; it ends by exit, with 0 or with a status that the other side is told. -1: this is the agent, and there is nothing more to do. said: a file
 * (memfd) into which a child that fails writes why; the agent's from here on; -1: none. */
int hb__channel_for(hb_agent *agent, hb_wire *wire, uint64_t id, const cJSON *ask, int said);
/* The folder that an ask names, where it is this user's; NULL: the ask has been refused. */
const char *hb__the_folder(hb_wire *wire, uint64_t id, const cJSON *ask);
/* Whether a folder of this name was made for a node's part of a recording, or of a replay. */
bool hb__is_part_of_node(const char *name);
/* A connection is gone: nobody waits for its answers any more. */
void hb__parts_gone(hb_wire *wire);

/* ---- kept.c ---- */

hb_agent_ask hb__ask_keep, hb__ask_unrecord;

/* ---- deaths.c ---- */

hb_agent_ask hb__ask_deaths;

/* ---- put.c ---- */

hb_agent_ask hb__ask_put;
/* Makes it where it is not there yet, for this user alone: it ends with the connection. One that was there, that of a recording, does not. False: the ask has been refused. */
bool hb__lend_folder(hb_wire *wire, uint64_t id, const char *folder);
/* A connection is gone, or all are (NULL): the folders that were made for it end with it. */
void hb__put_gone(const hb_wire *wire);
/* Waits until they are removed. */
void hb__put_wait(void);

/* ---- state.c ---- */

hb_agent_ask hb__ask_state;

/* ---- lanes.c ---- */

hb_agent_ask hb__ask_lanes, hb__ask_inside, hb__ask_calls;
/* A connection is gone: what was found for it is forgotten. */
void hb__lanes_gone(const hb_wire *wire);

/* ---- agent.c ---- */

typedef struct hb_tool_agent {
	hb_watching *watching;
	int notes; /* the socket of libhbdb-self's notifications; -1: none */
	char *notes_path;
} hb_tool_agent;

/* Serves the connection on these descriptors, or, where `socket` is not NULL, as a service there. 0, or an exit code after having said why. */
int hb__serve_agent(int in, int out, const char *socket);

#endif
