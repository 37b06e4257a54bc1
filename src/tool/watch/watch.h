/* Noticing that a job hangs, while it runs. */
#ifndef HBDB_WATCH_WATCH_H
#define HBDB_WATCH_WATCH_H

#include <stdio.h>

#include "../run/run.h"
#include "lanes.h"
#include "rules/deadlock/deadlock.h"

typedef enum hb_on_hang {
	HB_ON_HANG_LEAVE,  /* say it and let the job be */
	HB_ON_HANG_STACKS, /* also where each process stands, by gdb */
	HB_ON_HANG_KILL,   /* end it */
} hb_on_hang;

typedef enum hb_moving {
	HB_MOVES,    /* something happened, or did a moment ago */
	HB_COMPUTES, /* no MPI call began or ended for a while, and some process computes: nobody can tell */
	HB_WAITS,    /* nobody computes, and it is not long enough, or not sure */
	HB_HANGS,
	HB_NOBODY, /* no process that could */
} hb_moving;

#define HB_WATCH_PATIENCE 10 /* seconds, unless told */

/* Erroneous arguments, told while the job runs. */
struct hb_faults {
	uint64_t seen, told; /* remarks about them */
	double since;        /* when the first was seen that has not been told */
	double asked, cost;  /* when the rules were asked last, and what that took: seconds */
	uint64_t *print;     /* of the findings told */
	size_t n;
};

typedef struct hb_watch {
	double patience; /* seconds without a step that are called a hang when it cannot be proven; 0: hangs are not looked for */
	hb_on_hang then;
	bool quiet;                  /* the verdict comes from someone else, later */
	const char *name;            /* how the user named the recording; NULL: not at all */
	struct hb_quiets *quiets;    /* suppressions of what is told while the job runs, or NULL */
	struct hb_model_wish *model; /* a model that the job is held against while it runs; NULL: none */
	/* ---- what was seen ---- */
	hb_lanes lanes;
	double looked;
	double asked; /* of which standstill the deadlock rule was asked: when it began */
	double cost;  /* seconds that it took */
	hb_stuck stuck;
	bool hung;       /* now: it has been said */
	bool ever, left; /* it hung; its processes had gone and the launcher had not */
	struct hb_faults faults;
} hb_watch;

/* Takes a look and judges. */
hb_moving hb__watch_look(hb_watch *watch, const char *recording);
/* Fits hb_making.watch: looks now and then, says what is to be said; true ends the job. */
bool hb__watch(void *watch, const char *recording, bool launched);
void hb__watch_close(hb_watch *watch);

/* ---- verdict.c ---- */
/* The live logs of a recording as a run, without a word; .model NULL: there is none yet. hb__close_run. */
void hb__live_run(const char *recording, hb_run *ret);
/* Whether it is proven that nothing moves any more. Takes in what the logs hold now. */
hb_stuck hb__ask_deadlock(const hb_lanes *lanes);
/* Whether a process of the run is this one. */
bool hb__is_now(const hb_process *process, const hb_process_now *now);
/* Tells the run which threads were seen to sleep, where their logs still stand where they stood. */
void hb__tell_asleep(hb_run *run, const hb_lanes *lanes);
/* After a look: says which calls have erroneous arguments, once for each place. Not of a job that ends at once: who started it
 * tells, or can ask. */
void hb__tell_faults(hb_watch *watch);
/* Prints the verdict over a job that hangs, and what each process is in; true: there was one of the rules. */
void hb__put_verdict(hb_watch *watch, FILE *to);

/* ---- doing.c ---- */
/* A line for each thing that processes are doing. */
void hb__put_doing(hb_run *run, const hb_lanes *lanes, FILE *to);

/* ---- stacks.c ---- */
/* The stacks of the processes that are on this machine: they are stopped for a moment. */
void hb__put_stacks(const hb_lanes *lanes, FILE *to);

#endif
