/* A replay over several nodes where they share no folder: what its processes follow is put on each node before the command begins, and what they write is seen here while it
 * runs. Of `hbdb replay` and of `hbdb debug`. */
#ifndef HBDB_NODES_DISTRIBUTE_H
#define HBDB_NODES_DISTRIBUTE_H

#include "../../store/replayed/folder.h"
#include "../spread.h"

typedef struct hb_distributed {
	hb_spread spread; /* no nodes: all runs here, and the paths that follow are those of the folder here */
	/* For hb_setup: the same on each node. files, traced, log: NULL where there are none */
	char *folder, *script, *files, *traced, *log;
	char *logs;     /* where the logs that the processes write now are seen here */
	uint64_t bytes; /* that went to each node */
	/* ---- its own ---- */
	const char *here; /* hb_replay_folder.folder */
	hb_following *reports, *written;
	char *run; /* the folder of this run in that of the replay; NULL: they are one */
	unsigned runs;
	hb_strings turns; /* files by which processes tell each other that it is their turn, that were handed on */
	bool ended;       /* the processes were told that the job is ended */
} hb_distributed;

/* local: --local, as in hb_making. Finds the nodes of the command, connects to their agents, and puts there what the folder has. inputs: what the program asked the system for, and
 * the files that it read (recording/files), too. new_recording: where the replay is to be recorded; NULL: nowhere. 0, or an exit code after having said why;
 * hb__distribute_end in either case. The folder is to outlive it. */
int hb__distribute(const char *local, const hb_command_line *line, char **argv, const hb_replay_folder *folder,
	bool inputs, const char *new_recording, hb_distributed *ret);
/* The same is run once more, or is about to be run for the first of several times: each run has a folder of its own on the nodes, which `folder` is from here on; what the one before has written is
 * removed there; what stands of it in the folder here is the caller's to remove. Not with a new recording. */
void hb__distributed_again(hb_distributed *d);
/* To be called every 50 ms or so while the job runs: what some processes write for others is handed on. True: a node is lost, which stands in its
 * `lost`, and the job is to be ended. */
bool hb__distributed_look(hb_distributed *d);
/* The job is about to be ended by a signal: processes are told, as in hb__reports_ending, after which this is called. */
void hb__distributed_ending(hb_distributed *d);
/* The job is over: what its processes wrote last is here when it returns. */
void hb__distributed_over(hb_distributed *d);
/* ... and what was recorded of it is fetched into the new recording. */
void hb__distributed_fetch(hb_distributed *d, const char *new_recording);
/* Says which nodes are lost, and why. How many. */
size_t hb__distributed_say_lost(const hb_distributed *d);
/* "n1: ranks 0-1; n2: ranks 2-3", of processes that came up; NULL: there are no nodes, or nobody came up. Free it. name: by number, as hb_replay_folder has them. */
char *hb__distributed_places(const hb_distributed *d, char *const *name, int32_t size);
/* Ends the connections: with them the folders on the nodes go, and what still runs in them. */
void hb__distribute_end(hb_distributed *d);

#endif
