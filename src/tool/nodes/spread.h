/* A job that runs on several nodes, from before it to after it. */
#ifndef HBDB_NODES_SPREAD_H
#define HBDB_NODES_SPREAD_H

#include "nodes.h"

typedef struct hb_spread {
	hb_nodes nodes; /* none: the job runs here, or all of it writes into the recording */
	char *given;    /* number of a job of Slurm's that was begun for it; NULL: none */
} hb_spread;

/* Finds the nodes, asks Slurm for them where srun would, and connects to their agents. local: as in hb_making. 0, or an exit code after having said why. */
int hb__spread_open(const char *local, const hb_command_line *line, char **argv, hb_spread *ret);
/* ... and makes the folder of a recording on each. local: as in hb_making. What the manifest says of the nodes is added. 0, or an exit code after having said why. */
int hb__spread_begin(const char *local, const hb_command_line *line, char **argv, hb_manifest *m, hb_spread *ret);
/* What the nodes have is fetched into the recording. True: all of it; else which nodes are lost has been said. */
bool hb__spread_fetch(hb_spread *spread, const char *recording, bool seal, hb_manifest *m);
void hb__spread_end(hb_spread *spread);

#endif
