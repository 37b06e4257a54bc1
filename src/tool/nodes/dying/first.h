/* Which process of a job on several nodes died first: each node tells the first of its own, and the clocks are compared by questions and answers. */
#ifndef HBDB_NODES_FIRST_H
#define HBDB_NODES_FIRST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hb_nodes; /* ../nodes.h */
typedef struct hb_first_death hb_first_death;

/* Has all nodes look at the processes that write into the folder there. */
hb_first_death *hb__first_death_begin(const struct hb_nodes *nodes);
/* The job is over: the rank of the process that came to an end first before its MPI_Finalize; -1: there is none, or it cannot be told: two nodes had one within the
 * uncertainty of their clocks, or a node is lost. Frees. NULL is let pass. Before the nodes are closed. */
int32_t hb__first_death_end(hb_first_death *first);

/* What a node told, its times in those of the clock here. */
typedef struct hb_node_deaths {
	bool known, any;
	int32_t first;
	double clean_least; /* s: until then, at least, nobody of the node had died */
	double by_most;     /* then, at the latest, its first one had */
	size_t recorded, size;
} hb_node_deaths;
/* judge.c: the first of all, or -1. */
int32_t hb__first_of_nodes(const hb_node_deaths *node, size_t n);

#endif
