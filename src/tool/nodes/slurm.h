/* Nodes that srun would ask Slurm for. */
#ifndef HBDB_NODES_SLURM_H
#define HBDB_NODES_SLURM_H

#include "hosts.h"

/* Asks Slurm for the nodes that this srun would ask for: number and nodes of the job in *ret. Where it gives none ahead of
 * srun that is said, and *ret has none. 0, or an exit code after having said why. */
int hb__slurm_allocate(const hb_command_line *line, char **argv, hb_hosts *ret);
/* Gives them back. */
void hb__slurm_release(const char *job);

#endif
