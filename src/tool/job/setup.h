/* The environment of the target, docs/CONTRACTS.md. */
#ifndef HBDB_JOB_SETUP_H
#define HBDB_JOB_SETUP_H

#include "../layers/layers.h"
#include "family.h"

typedef struct hb_setup {
	hb_mpi mpi;
	const char *mode;       /* record, replay */
	const char *folder;     /* absolute */
	const char *level;      /* order, racing, events, data */
	const char *alone;      /* replay: the number of the one process that runs, without the others; NULL: not so */
	bool backwards;         /* alone, under hbdb gdbserver */
	const char *data_ranks; /* level data; NULL: all */
	bool without_mpi; /* the command does not look like one of MPI, or the process alone is none: its events are recorded without it */
	bool digests;    /* of what messages hold ... */
	bool whole;      /* ... and of all of it, in 64 bits */
	bool remarks;    /* for hbdb check */
	unsigned layers; /* HB_LAYER_...: of what there are events, which are recorded or repeated */
	const char
		*traced; /* absolute path of the settings of a trace (format/trace/settings.h); NULL: none is written */
	bool pack;       /* ... and files that it reads are copied into the recording */
	const char *files; /* replay: the folder with such files; NULL: none */
	bool sanitized;    /* the program's sanitizer must bear a library before its own */
	const char *script, *replay_log, *divergence, *contents; /* replay; NULL: not set */
	const char *
		stubs; /* the folder in which what runs programs of other processors waits for their gdb; NULL: as the user has it */
	char *const *control; /* variables of a session, NULL: the run is not under control */
	int out;              /* a descriptor that its output goes to; 0: where ours does */
	uint64_t shake_us;    /* 0: not set */
	uint64_t ring;        /* bytes; 0: not set */
} hb_setup;

/* The variables as "NAME=VALUE". 0, or an exit code after having said why. */
int hb__setup(const hb_setup *setup, hb_strings *ret_variables);

/* The path of a file beside the capture libraries: free it. NULL: there is none. */
char *hb__find_beside(const char *name);
/* The path of libhbdb-NAME.so: free it. NULL: there is none. An installed hbdb has its libraries in ../lib/hbdb, a built one beside
 * it or where Meson leaves them. */
char *hb__find_library(const char *name);

/* What an outer hbdb left in the environment must not reach the job. */
void hb__clean_environment(void);

#endif
