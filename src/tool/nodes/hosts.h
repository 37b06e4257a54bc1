/* On which nodes a command runs, as far as its words and the job that it stands in say. */
#ifndef HBDB_NODES_HOSTS_H
#define HBDB_NODES_HOSTS_H

#include "../job/launcher.h"

typedef struct hb_hosts {
	hb_strings name; /* each once, in the order in which they are named; none: it runs here */
	char *slurm;     /* number of the job of Slurm that they belong to; NULL: none */
	bool to_come;    /* srun will ask for nodes of its own: nobody knows them yet */
} hb_hosts;

/* 0, or an exit code after having said which file of hosts cannot be read. Nodes of a job of Slurm's come from `scontrol show hostnames`. */
int hb__find_hosts(const hb_command_line *line, char **argv, hb_hosts *ret);
void hb__run_hosts_free(hb_hosts *hosts);

/* Adds the names of a list, as in --host n1:2,n2: without what stands behind a colon. */
void hb__add_hosts(const char *list, hb_hosts *ret);
/* The nodes that Slurm's short form stands for, n[1-4,7]. 0, or an exit code after having said why. */
int hb__expand_hosts(const char *list, hb_hosts *ret);

/* says.c: what a program writes on both of its outputs, as far as there is room. 0; -1: it failed; an errno: it could not be run. */
int hb__answer_of(char *const *argv, char *ret, size_t size);

#endif
