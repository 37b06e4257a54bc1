/* The one way from a command to its processes under hbdb: recorded, replayed, under control. */
#ifndef HBDB_MAKING_LAUNCH_H
#define HBDB_MAKING_LAUNCH_H

#include "../job/run.h"
#include "../job/setup.h"

typedef struct hb_launch {
	const hb_command_line *line; /* what hb__read_command_line found of `command` */
	char **command;
	hb_setup
		setup; /* what its processes are to do; `mpi` and `sanitized` are taken from the line, `out` from below */
	bool keep_others;  /* a process that dies does not take the others along: they are to be looked at */
	const char *input; /* these as in hb_job */
	int out;
	bool aslr;
	bool (*watch)(void *user);
	void (*ending)(void *user);
	void (*starting)(void *user); /* called when all is ready, before the first process is there; may be NULL */
	void *user;
} hb_launch;

/* Runs the command to its end, or starts it beside us where ret_started is not NULL: end it with hb__job_finish then;
 * *ret_started is NULL when it could not be started. 0, also where the command could not be run, which was said and stands in
 * *ret_end; or an exit code when its environment could not be made, after having said why. */
int hb__launch(const hb_launch *launch, hb_job_end *ret_end, hb_started **ret_started);

#endif
