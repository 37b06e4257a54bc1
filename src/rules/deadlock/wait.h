/* Who waits for whom: the graph, and what the files of this rule share.
 *
 * A *wait* is a lane that is inside a blocking call, or polls. It has *needs*: what must come for the call to return, all of
 * them or one. Each needs a *node* of the graph to go on: a process, one of a group, or all processes missing from a
 * collective. Nodes from which nothing can start any more are stuck; this is the usual AND/OR reduction
 * (Knapp 1987; for MPI Hilbrich, de Supinski, Schulz, Mueller 2009). */
#ifndef HBDB_RULES_DEADLOCK_WAIT_H
#define HBDB_RULES_DEADLOCK_WAIT_H

#include <stdlib.h>
#include <string.h>

#include "rules/deadlock/deadlock.h"
#include "rules/finding.h"

typedef enum hb__state {
	HB__RUNS,    /* computes, or is in a call that returns by itself, or its log is not known to its end */
	HB__BLOCKED, /* inside a call whose needs are known */
	HB__POLLS,   /* asked, and was told no; not inside a call */
	HB__UNSURE,  /* inside a call that waits for others, but for which ones is not known */
	HB__OVER,    /* in MPI_Finalize or past it, or left without */
	HB__DEAD,    /* aborted, or in a call that ends the process */
} hb__state;

typedef enum hb__want {
	HB__WANT_MESSAGE,    /* id: receive, or HB_NO: a probe */
	HB__WANT_RECEIVE,    /* that the message is received; id: send */
	HB__WANT_COLLECTIVE, /* id: collective */
	HB__WANT_UNLOCK,     /* that the peer gives back its lock on a process, id */
	HB__WANT_POST,       /* that it calls the other side of a window's epoch: these three */
	HB__WANT_START,
	HB__WANT_COMPLETE,
	HB__WANT_THREAD, /* that a thread of its process wakes it, or id, a line: ends */
	HB__WANT_READY,  /* that its own process marks partitions ready */
	HB__WANT_PEER,   /* that one of those who have a stream puts something in, or takes something out */
	HB__WANT_CHILD,  /* that a process that it made ends */
	HB__WANT_OTHER,
} hb__want;

struct hb__need {
	hb__want want;
	uint32_t id, node;
	uint32_t peer;  /* process; HB_NO: any of the group */
	uint32_t group; /* HB_NO: not known */
	int32_t tag;
};

struct hb__wait {
	uint32_t line, process;
	hb__state state;
	bool any;          /* one of the needs is enough */
	bool poll;         /* it asks again and again */
	bool asleep;       /* in no call */
	bool over;         /* its thread has ended, and the process has not */
	bool done;         /* what it needs is there: it goes on */
	uint32_t need, n;  /* its needs: the first, how many */
	uint32_t requests; /* it waits for requests: how many */
	uint32_t site, function;
	const char *name;        /* of the call; NULL: none */
	const hb_meaning *means; /* of the call; NULL: none */
	int64_t comm;            /* its number in the log; -1: none */
	bool on_window, on_file, completes;
	char unready[64]; /* partitions */
	int64_t object;   /* the window, as the call was given it; -1: not told */
	int64_t rank;     /* of the window; -1: none, or all */
};

/* A node is free when `needs` of its inputs are. */
struct hb__node {
	uint32_t kind, id; /* HB__NODE_ */
	uint32_t needs;    /* HB_NO: never */
	uint32_t left;     /* while it is reduced: so many are not free yet */
	uint32_t first, n; /* inputs */
};
enum {
	HB__NODE_PROCESS, /* id: process; inputs: its lines */
	HB__NODE_LINE,    /* id: line */
	HB__NODE_ANY,     /* id: group, HB_NO: none; inputs: processes */
	HB__NODE_PARTS,   /* id: collective; inputs: the processes that are missing from it */
};

struct hb__wait_edge {
	uint32_t node, input, need;
};

struct hb__graph {
	hb_model *m;
	hb_case *c;            /* NULL: only the graph is wanted */
	bool hanging;          /* nothing moves: what might return in a moment does not */
	bool soft;             /* waits that poll, or are not sure, count as blocked */
	struct hb__wait *wait; /* by line */
	hb__state *process;    /* by process */
	struct hb__need *need;
	size_t needs, needs_room;
	struct hb__node *node; /* processes, then lines, then the others */
	size_t nodes, nodes_room;
	struct hb__wait_edge *edge; /* sorted by node */
	size_t edges, edges_room;
	uint32_t *out_first, *out; /* by input: places of edges */
	bool *free;                /* by node: it can go on */
	uint8_t *forced;           /* by line: taken as free */
	uint32_t *queue;
	uint32_t *any_node; /* by group, twice: members, remote; 0: none */
	struct hb__collective_node {
		uint32_t collective, node;
		char call[40];
		int64_t root;
	} * parts; /* nodes of collectives */
	size_t nparts, parts_room;
	/* messages under way: tail.c */
	uint8_t *sent, *got;         /* by send: received, or may be; by receive: something is there for it */
	uint32_t *in_first, *in;     /* by process: sends to it that no completed receive took */
	uint32_t *open_first, *open; /* by process: receives under way, in the order of posting */
	bool no_memory;
};

/* ---- tail.c: which messages under way belong to which receives under way ---- */
bool hb__tail(struct hb__graph *g);
/* A message under way that a probe by this spec would see; HB_NO: none. */
uint32_t hb__tail_probe(const struct hb__graph *g, uint32_t process, uint32_t group, uint32_t source, int32_t tag);

/* ---- calls.c: the calls that the lanes are in ---- */
bool hb__read_waits(struct hb__graph *g, hb_error *err);

/* ---- collective.c ---- */
/* Adds the need of a line that is inside a collective; false: it needs nobody. */
bool hb__need_collective(struct hb__graph *g, struct hb__wait *w, uint32_t id, const hb_event *e);
/* The node of all but those in the same call; HB_NO: nobody is missing. */
uint32_t hb__parts_node(struct hb__graph *g, uint32_t process, uint32_t id);

/* ---- windows/: needs of calls on windows and files, by the remarks; once all calls are known ---- */
bool hb__need_objects(struct hb__graph *g, hb_error *err);

/* ---- graph.c ---- */
hb_status hb__graph_make(hb_model *m, bool hanging, hb_case *c, struct hb__graph **ret, hb_error *err);
void hb__graph_free(struct hb__graph *g);
void hb__need(struct hb__graph *g, struct hb__wait *w, struct hb__need need);
uint32_t hb__node_new(struct hb__graph *g, uint32_t kind, uint32_t id, uint32_t needs);
void hb__edge_new(struct hb__graph *g, uint32_t node, uint32_t input, uint32_t need);
uint32_t hb__any_node(struct hb__graph *g, uint32_t group, bool members);
/* What this member of the group did in it is not known: it is not in this recording, or may know it as another one. */
static inline bool hb__unknown(const struct hb__graph *g, uint32_t group, uint32_t process)
{
	return process == HB_NO || !hb_model_shares(g->m, group, process);
}
static inline uint32_t hb__line_node(const struct hb__graph *g, uint32_t line)
{
	return hb_model_get_info(g->m)->processes + line;
}
/* Which nodes can go on. dead: processes that died count as if they could. */
void hb__reduce(struct hb__graph *g, bool dead);
/* The line waits, and cannot go on (after hb__reduce). */
bool hb__is_stuck(const struct hb__graph *g, uint32_t line);
bool hb__has_state(const struct hb__graph *g, uint32_t line); /* it counts as blocked */

/* ---- cycle.c ---- */
struct hb__step {
	uint32_t line, need; /* the line waits by this need for the next one */
};
/* A short cycle of stuck lines; steps has room for all lines. 0: none. */
uint32_t hb__cycle(struct hb__graph *g, struct hb__step *ret_steps);
/* Nobody is left who could give what the line needs: they are over, or itself. *ret_need: the need. */
bool hb__is_orphan(const struct hb__graph *g, uint32_t line, uint32_t *ret_need);

/* ---- words.c ---- */
struct hb__text {
	char at[900];
	size_t n;
};
void hb__phrase(struct hb__text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "rank 3", "ranks 0, 1 and 4-7": processes in the order given, which is ascending. */
void hb__phrase_ranks(struct hb__text *t, const struct hb__graph *g, const uint32_t *process, size_t n);
/* "to send tag 5 on WORLD", and so on. */
void hb__phrase_need(
	struct hb__text *t, const struct hb__graph *g, const struct hb__wait *w, const struct hb__need *need);
/* "rank 3", or "thread 1 of rank 3" of a process with several. */
void hb__phrase_who(struct hb__text *t, const struct hb__graph *g, uint32_t line);
/* What a process does: "is in MPI_Barrier on WORLD", "has finished". */
void hb__phrase_state(struct hb__text *t, const struct hb__graph *g, uint32_t process);
/* What a line waits for, by all its needs. */
void hb__phrase_wait(struct hb__text *t, const struct hb__graph *g, const struct hb__wait *w);
const char *hb__named(const struct hb__graph *g, uint32_t process);
hb_point hb__point_of(const struct hb__graph *g, uint32_t line);

/* ---- near.c: what would have released a wait, had it been a little different ---- */
/* A point for it, and a sentence. */
bool hb__near_miss(const struct hb__graph *g, const struct hb__wait *w, hb_point *ret_point, struct hb__text *ret);

#endif
