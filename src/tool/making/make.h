/* Recording a command: what `hbdb record` and `hbdb check -- COMMAND` share. */
#ifndef HBDB_MAKING_MAKE_H
#define HBDB_MAKING_MAKE_H

#include "../job/run.h"
#include "../sending/sending.h"
#include "../tool.h"

typedef struct hb_making {
	char **argv;        /* the command */
	const char *output; /* the folder to make, NULL: named after the program */
	const char *level, *mpi;
	const char *data_ranks; /* level data: a list of ranks, NULL: all */
	bool contents, remarks, aslr;
	bool whole;        /* digests of whole contents, too */
	unsigned layers;   /* HB_LAYER_...: of what events are recorded; 0: by the command, but for these two: */
	bool unordered;    /* the order between threads is not recorded */
	bool inputs, pack; /* level data: what the program asks the system for; the files that it reads, too */
	bool raw;          /* the logs stay as the processes wrote them */
	bool quiet;        /* the sum is not printed when all went well: the caller has more to say */
	int out;           /* as hb_job.out */
	const char
		*traced; /* path of the settings of a trace, which are kept in the recording; NULL: none is written */
	uint64_t shake_us;
	uint64_t ring;    /* bytes of each log that are kept, the last ones; 0: all */
	const char *send; /* a command that gets the recording while it is made; NULL: none */
	const char *
		local; /* of a job on several nodes: the folder on each in which its part is made until it is fetched; "off": all write into the recording; NULL: HB_NODE_FOLDER */
	hb_send_policy send_policy; /* when; owned by the recording from here on */
	/* While the job runs, every 50 ms; true ends it. launched: the command is a launcher, which
	 * ends with its processes. May be NULL. */
	bool (*watch)(void *user, const char *recording, bool launched);
	void *user;
} hb_making;

typedef struct hb_made {
	char *recording; /* NULL: nothing was recorded, and why has been said. Free it */
	hb_job_end end;
	uint64_t processes, events;
	bool lost; /* a node's part is missing: which has been said */
} hb_made;

/* 0 when the command was run, whatever it did; an exit code when it could not be, after having said why. */
int hb__make(const hb_making *making, hb_made *ret);

#endif
