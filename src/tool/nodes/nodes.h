/* A recording of several nodes: what their processes write stays on the node until the job is over; then it is sealed there and
 * fetched, a file for each node (docs/system/nodes.md). */
#ifndef HBDB_TOOL_NODES_H
#define HBDB_TOOL_NODES_H

#include "../store/logs.h"
#include "../store/manifest.h"
#include "hosts.h"
#include "system/link/link.h"
#include "system/platforms/platform.h"

#define HB_NODE_FOLDER "/tmp" /* in which a node's part of a recording is made, where --local says no other */

/* How the agent of a node is reached, as its platform says: this machine's, one of Slurm's (in the job that SLURM_JOB_ID names), or ssh. NULL: why not. Free it with
 * hb_platform_words_free. */
char **hb__reach(const char *node, bool slurm, char ret_why[HB_PLATFORM_WHY]);

typedef struct hb_node {
	char *name;    /* as the launcher is told */
	char *host;    /* as it calls itself */
	hb_link *link; /* NULL: not connected */
	char *lost;    /* why it cannot be reached, or its part not fetched; NULL: it can, and it was */
	double late;   /* hb__nodes_together: seconds after the others at which it was asked */
} hb_node;

typedef struct hb_nodes {
	hb_node *at;
	size_t n;
	char *folder; /* the same on all of them */
	char *slurm;  /* number of a job of Slurm's; NULL: ssh */
} hb_nodes;

/* Connects to the agents of all hosts. Those that are one machine are one node. 0, or an exit code after having said which cannot be reached and why:
 * nothing is connected then. Where all of them are this machine alone, ret->n is 0. */
int hb__nodes_open(const hb_hosts *hosts, hb_nodes *ret);
/* Connects to those nodes of a recording whose part is not here, through the job of Slurm's that it was made in, or over ssh; those that cannot be reached are lost. Only
 * after hb__trust_nodes. */
void hb__nodes_reopen(const hb_manifest *m, hb_nodes *ret);
/* together/: the same, and each node that is connected is asked, by a thread of its own: all at the same moment, when the last one is connected or cannot be, but for those that are
 * slow to answer. What does not go well stands in its `lost`. */
typedef void hb_node_does(hb_node *node, void *user);
void hb__nodes_together(const hb_manifest *m, hb_node_does *does, void *user, hb_nodes *ret);
/* Connects to the agent of one. NULL, or why it is not connected; to be freed. hb__catch_pipes was called before. */
char *hb__node_connect(const char *node, bool slurm, hb_link **ret);
/* A command that reaches a node may end while it is written to: that is no end of hbdb. */
void hb__catch_pipes(void);
/* Makes the folder on each: PARENT/hbdb-ID. 0, or an exit code after having said why. */
int hb__nodes_make(hb_nodes *nodes, const char *parent, const char *id);
/* Each node's part, which stands in this folder there, is sealed (seal), fetched into the recording and removed there, all nodes at the same time. What does not come stands in
 * the nodes' `lost`. */
void hb__nodes_fetch(hb_nodes *nodes, const char *folder, const char *recording, bool seal);
/* The logs in a folder of a node become its file in the recording; the folder stays. NULL, or why not; to be freed. */
char *hb__node_fetch_logs(hb_node *node, const char *folder, const char *recording);
/* The ranks of the first world that have no log, as in "2-3,6"; NULL: none. To be freed. Of logs that are listed. */
char *hb__ranks_without_logs(const hb_logs *logs);
/* Says which nodes are lost and why, and which ranks are missing. How many nodes. */
size_t hb__nodes_say_lost(const hb_nodes *nodes, const char *recording);
/* What the manifest says of them: those that are lost are told as missing. all: nothing has been fetched yet. */
void hb__nodes_describe(const hb_nodes *nodes, bool all, hb_manifest *m);
void hb__nodes_close(hb_nodes *nodes);

/* replaying/put.c: files of this machine, on each node in a folder there that ends with its connection; the inverse of fetching. */
typedef struct hb_putting {
	const char *folder; /* on the nodes: .../hbdb-ID, made with the first of its files */
	const char *into;   /* the folder in it; NULL: it itself */
	hb_strings path;    /* the files here, also within files of nodes ... */
	hb_strings
		name; /* ... and what they are to be called there. Logs and contents (rank.N.log, rank.N.data) become raw ones */
} hb_putting;
void hb__put_add(hb_putting *putting, const char *path, const char *name);
void hb__put_free(hb_putting *putting);
/* On all nodes that are not lost, at the same time; one that does not get them is lost. How many bytes went to each. */
uint64_t hb__nodes_put(hb_nodes *nodes, const hb_putting *putting);

/* follow.c: what is written in a folder of all nodes, seen in a folder here, which is made where it is not there. files: all files of it as they come and change; else the
 * logs as they grow. Before the nodes are closed. */
typedef struct hb_following hb_following;
hb_following *hb__nodes_follow(const hb_nodes *nodes, const char *there, const char *folder, bool files);
/* The logs of a recording that is being made on several nodes, in a temporary folder here, to be freed: connects to the nodes and follows them. NULL: they stand in the recording, or
 * it is over, or may not be trusted, which was said. elsewhere: as in hb__trust_nodes. *ret_nodes and *ret_following are to be ended. */
char *hb__nodes_mirror(const char *recording, bool elsewhere, hb_nodes *ret_nodes, hb_following **ret_following);
/* Nothing more is written there, or what has been written is enough: waits for the rest, of those nodes that can be reached. */
void hb__nodes_followed(hb_following *following);
/* remove: the folder here, too. NULL is let pass. */
void hb__nodes_unfollow(hb_following *following, bool remove);

#endif
