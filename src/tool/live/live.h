/* A job under control: starts it with the variables of a session, keeps it in view, ends it, starts it again. For `hbdb debug`
 * and `hbdb view`, which only differ in how they ask and show. */
#ifndef HBDB_LIVE_LIVE_H
#define HBDB_LIVE_LIVE_H

#include "../monitor/event.h"
#include "../options.h"
#include "../run/run.h"
#include "session/session.h"
#include "../recorded/serve.h"
#include "../recorded/trust.h"

typedef struct hb_live hb_live;

typedef struct hb_live_options {
	const char *recording; /* path of a recording to replay; NULL: a live run of `command` */
	char **command;        /* NULL: the recorded one */
	hb_trust trust;        /* in the recorded command */
	const char *mpi;       /* or NULL: found out */
	const char *tcp;       /* for jobs over several machines */
	const char *
		local; /* over nodes: where on each the folder for what its processes write and follow is made; "off": they share that of the session, NULL: /tmp */
	hb_run *run;   /* of the recording, for cuts; NULL without a recording */
	const char *input;  /* a file for the standard input of the job; NULL: none */
	int out;            /* descriptor for what the job prints; 0: where we print */
	const char *output; /* live run: the name of the recording it makes, or NULL */
	const char *attach; /* the pid of a job that runs without hbdb; NULL: none. Nothing else is needed then */
	bool attach_any;    /* attach: also to a process that is none of an MPI job, alone */
	const hb_event_process
		*processes; /* else these, of which some are on other nodes, through the manager; NULL: none */
	size_t nprocesses;
	/* One process alone, forwards and backwards; it stays the caller's. NULL: a job. Its folder: a descriptor */
	const hb_one *one;
	int one_folder;
	uint64_t budget; /* of its checkpoints, in bytes */
	bool waits; /* look for threads that wait for who stands; then the model belongs to the thread that calls hb__live_poll */
} hb_live_options;

/* Prepares; starts nothing. 0, or an exit code after having said why. Close in any case. */
int hb__live_open(const hb_live_options *options, hb_live **ret);
/* Ends the job when it runs, keeps the recording of a live run, removes what was temporary. */
void hb__live_close(hb_live *live);

hb_session *hb__live_session(hb_live *live);
/* Starts the job, or starts it again from the beginning. 0, or an exit code after having said why. */
int hb__live_start(hb_live *live);
void hb__live_end(hb_live *live);
bool hb__live_running(const hb_live *live);
/* It was attached to: the job runs without hbdb, and is left as it is at the end. */
bool hb__live_attached(const hb_live *live);
/* It is one process alone. */
bool hb__live_alone(const hb_live *live);
/* Status of the command once it has ended; 128 + signal. */
int hb__live_status(const hb_live *live);
/* The number that a process of the model has in the session; -1: it is not replayed. And back; HB_NO: the recording does not have it. */
int32_t hb__live_number(hb_live *live, uint32_t process);
uint32_t hb__live_process(hb_live *live, int32_t number);
/* Takes in what happened, waiting at most `ms`. To be called often while something runs: the job's signals and reports are looked at in it. */
int hb__live_poll(hb_live *live, int ms);
/* Stops of a cut (arrays by line of the model, from hb_cut) as targets of the session. */
int hb__live_stop_at(hb_live *live, const uint32_t *event, const hb_stop *stop);
/* Sets the cut of `at`; starts the job, or starts it anew when some process has already passed the cut; lets all go. Does not wait.
 * *ret_restarted says that it began anew. */
int hb__live_run_to(hb_live *live, hb_at at, bool *ret_restarted);
/* The same with the cut of `at` already computed (hb_cut): the lists of lines and processes are all that is asked of the model. */
int hb__live_run_to_cut(hb_live *live, hb_at at, const uint32_t *event, const hb_stop *stop, bool *ret_restarted);
/* Waits until every process of the set has arrived, is blocked, or ended; false: interrupted (Ctrl-C) or `seconds` (< 0: no limit) passed. */
bool hb__live_wait(hb_live *live, const hb_set *set, double seconds);
/* Seconds that the last way took, until all had arrived, with the start of the job when it began with that; < 0: not there yet. */
double hb__live_reached(const hb_live *live);
/* Seconds since the start of the job; < 0: none runs. */
double hb__live_seconds(const hb_live *live);
/* Some process differed from its record: the replay is not the recorded run any more. */
bool hb__live_differs(const hb_live *live);
/* Lets all processes go on, also those that have not come up yet, and takes the time until all have arrived. */
void hb__live_go_all(hb_live *live);
/* A thread under way that will not get to its next event, because what it waits for in its own code stands. */
typedef struct hb_waits {
	int32_t rank;
	uint32_t lane;
	hb_at next,
		needs; /* by the recording: its next event, and the one of the other thread that this needs; lines HB_NO: the thread sleeps */
	int32_t by; /* who stands ... */
	uint32_t by_lane;
	uint64_t missing; /* ... and how many events later than where it stands is the one needed; not when it sleeps */
	uint32_t others;  /* further threads of other processes that are needed and stand */
	bool joins;       /* it sleeps until that thread ends */
} hb_waits;
/* Of a process the first such thread; NULL: none. Holds until the next hb__live_poll. */
const hb_waits *hb__live_waits(const hb_live *live, int32_t rank);
/* What a process is inside of, by its log: the MPI function and, of a receive, what it waits for: "MPI_Recv from 3". Static until the next call. */
const char *hb__live_inside(hb_live *live, int32_t rank);
/* The function by which a process asks again and again, and is told no; NULL: not known. Looks twice, some milliseconds apart. Static until the next
 * call of one of these two. */
const char *hb__live_polls(hb_live *live, int32_t rank);

#endif
