/* Runs a job as if hbdb were not there: same terminal, same stdin, every signal once. */
#ifndef HBDB_JOB_RUN_H
#define HBDB_JOB_RUN_H

#include <sys/types.h>

#include "launcher.h"

typedef struct hb_job {
	char **argv;
	char **variables;   /* set in the job's environment; NULL: none */
	const char *folder; /* to run in, NULL: here */
	hb_launcher_kind launcher;
	const char *input;          /* a file for its standard input, NULL: ours */
	int out;                    /* descriptor for what it prints on both of its outputs, 0: ours */
	bool aslr;                  /* leave address space randomisation as it is */
	bool (*watch)(void *user);  /* called every 50 ms when not NULL; true ends the job */
	void (*ending)(void *user); /* called before it gets a signal that asks for its end, when not NULL */
	void *user;
} hb_job;

typedef struct hb_job_end {
	int status;      /* exit status; 128 + signal when killed; 126, 127: did not start */
	int signal;      /* that killed it, or 0 */
	int error;       /* errno of the start, or 0 */
	int interrupted; /* the signal that was handed on to it and asks for an end, or 0 */
	bool ended;      /* watch ended it */
	bool random;     /* randomisation could not be switched off */
	double seconds;
} hb_job_end;

void hb__run(const hb_job *job, hb_job_end *ret);

/* The processes below `root`; free *ret. */
size_t hb__processes_below(pid_t root, pid_t **ret);

/* A job that runs beside us: in a process group of its own, so that what is typed does not reach it. */
typedef struct hb_started hb_started;
/* NULL: not started, ret_end->error says why. */
hb_started *hb__job_start(const hb_job *job, hb_job_end *ret_end);
/* Whether it is over, without waiting. */
bool hb__job_over(hb_started *started);
/* Before its processes are killed: the launcher stands until hb__job_finish, and says nothing about their deaths. What they
 * started is known from then on. */
void hb__job_freeze(hb_started *started);
/* Ends it when it is not over: asked first, then by force, with everything that it started. Frees it. */
void hb__job_finish(hb_started *started, hb_job_end *ret_end);

#endif
