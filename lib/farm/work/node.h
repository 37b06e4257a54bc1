/* A node of the tree: takes tasks from its parent, computes some, hands others to its children, split or whole, and
 * passes the results back. */
#ifndef FARM_NODE_H
#define FARM_NODE_H

#include "../wire/link.h"
#include "cost.h"
#include "queue.h"
#include "window.h"

struct slot { /* a task that a child has */
	struct entry entry;
	int child;     /* -1: free */
	int stale;     /* the parent that wanted it is dead */
	uint32_t next; /* in the list of free ones */
};

struct node {
	struct link up;     /* the parent; of node 0 the generator, if that is another process */
	struct link *back;  /* where results go; null: they stay here (host = one) */
	struct link keeper; /* node 0: the receiver */
	struct link *child;
	int children;
	int weight;            /* nodes of its subtree */
	struct queue incoming; /* of which is not decided whether they are split */
	struct queue ready;
	struct queue suspects;  /* tasks of children that died */
	struct queue dangerous; /* the same, given to this node alone */
	struct queue results;   /* node 0: for a receiver that has no room, or is this process */
	struct slot *slot;
	uint32_t slots, slots_free;
	struct parcel *arena;    /* what is made here */
	struct window window;    /* of tasks for itself */
	struct window kept;      /* node 0: the same, of tasks that stay there or are not given to any node yet */
	struct cost cost;        /* of a task that it computes */
	int keeps;               /* its tasks, for they cost less than their way */
	int64_t reach;           /* as many more, for the way from node 0 is long */
	int64_t reach_most;      /* that of the last node */
	int64_t asked;           /* tasks asked for that have not come */
	uint32_t steps;          /* since it last looked for messages */
	int64_t finished, total; /* node 0: tasks that are done with; in all, -1: not known */
	int64_t aside;           /* those without a result */
	int stopped, receiver_left;
};
extern struct node node __attribute__((visibility("hidden")));

void node_start(void);
void node_end(void);

/* Until the farm is at its end. */
void node_run(void);
/* Looks for messages, decides, hands on, and computes a task if there is one; else waits for a message. */
void node_step(void);
int node_is_full(void);
/* Whether tasks that cost less than their way stay here: in node 0 of a farm, if the specification does not say how many a node has ahead. */
int node_may_keep(void);
/* Takes all messages that are there. */
void node_look(void);
/* To a child, from now on noted in a slot. */
void node_give(struct entry entry, int child);
void free_slot(uint32_t number);

/* An item that this process makes, in memory of its own; the parcel is not held for the caller. */
struct item *node_item(uint64_t size, struct parcel **ret_parcel);

/* task.c: the user's functions on a task; the entry is used up. */
void task_compute(struct entry entry);
/* Its parts are put into `ready`. */
void task_split(struct entry entry);
/* The result of a task is here: for a join, or on the way back. */
void task_is_done(struct entry entry, struct parcel *parcel, struct item *result);
/* There will be no result. */
void task_put_aside(struct entry entry);
/* The same, of a child's task. */
void task_is_aside(struct entry entry);
void task_forget(void);

#endif
