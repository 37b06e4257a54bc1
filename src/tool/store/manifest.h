/* manifest.json: how a recording was made. docs/man/hbdb-recording.5, MANIFEST. */
#ifndef HBDB_STORE_MANIFEST_H
#define HBDB_STORE_MANIFEST_H

#include "../layers/layers.h"
#include "../tool.h"

typedef struct hb_program_digest {
	char *path; /* NULL: not known */
	uint64_t size, xxh3;
	int64_t mtime; /* seconds since the epoch */
} hb_program_digest;

#define HB_SETTINGS_FILE "trace.settings" /* in a recording: those that its processes were traced with */
#define HB_ID_LENGTH 32                   /* hexadecimal digits */

/* A node whose processes wrote into a folder of its own. */
typedef struct hb_manifest_node {
	char *name, *host, *folder; /* as the launcher was told; as it calls itself, NULL: not known */
	bool missing;               /* what stands there is not here */
	bool unkept;                /* ... and nothing stands there: the recording was kept without it */
	char *slurm;                /* the job of Slurm's through which it was reached, by its number; NULL: over ssh */
} hb_manifest_node;

typedef struct hb_manifest {
	char *id;      /* by chance: which recording it is, also under another name; NULL: not known */
	char *version; /* of the hbdb that wrote it */
	hb_strings command;
	char *folder;           /* the command ran in it */
	hb_strings environment; /* NAME=VALUE, those that steer MPI; others in a file are left out */
	char *mpi, *level, *started;
	unsigned layers;    /* HB_LAYER_...; 0: not known (hb__manifest_layers) */
	char *data_ranks;   /* level data: of which ranks contents are kept; NULL: of all */
	uint64_t processes; /* 0: not known (yet) */
	bool contents, aslr, finished;
	bool open; /* finished, but processes lived on, which write their logs until they end or are told to stop */
	bool kept; /* finished, but the run went on: what its logs held at a moment (hbdb record --keep); there is no exit status */
	char *traced; /* the level of the trace (NONE to CHECKSUM, DRY), of all constructs of which its settings say nothing else; NULL: none */
	bool whole;   /* digests of whole contents were asked for */
	uint64_t shake_us;
	uint64_t ring; /* bytes of each log that are kept, the last ones; 0: all */
	int exit_status;
	char *died_first; /* name of the first process that did not get through MPI_Finalize; NULL: none, or not known */
	double seconds;
	char *imported_from,
		*imported_file; /* the kind of file that it was made of, and its absolute path; NULL: it is of a run */
	char *imported_with;    /* the recording whose logs are in it, too; NULL: none */
	char *replay_of;        /* NULL, or the recording this is a replay of */
	hb_program_digest program;
	hb_manifest_node *node; /* those that it was made on, where they did not write here */
	size_t nnodes;
} hb_manifest;

void hb__manifest_free(hb_manifest *m);
void hb__manifest_node_free(hb_manifest_node *node);
/* Whether every call is in the logs (levels events and data), and not only choices. */
bool hb__manifest_has_calls(const hb_manifest *m);
/* Whether it may have what the programs asked the system for (level data). */
bool hb__manifest_has_inputs(const hb_manifest *m);
/* Whether a replay of the recorded command sets this variable, NAME=VALUE, of the environment. */
bool hb__manifest_sets(const char *variable);
/* HB_ID_LENGTH digits that nobody else has; NULL: the system gives no random numbers. Free it. */
char *hb__new_id(void);
/* Fills identity, time, folder, environment and version from this process. */
void hb__manifest_begin(hb_manifest *m, char **command);
/* A recording of something else cannot be run: 0, or the exit code after having said so. what: "replayed". */
int hb__manifest_runs(const hb_manifest *m, const char *recording, const char *what);
/* 0, or -1 with errno. The file is replaced as a whole. */
int hb__manifest_write(const hb_manifest *m, const char *recording);
/* 0, or -1 after having said why; a missing manifest is said, too. */
int hb__manifest_read(const char *recording, hb_manifest *ret);
/* When the recorded run ended, in seconds since the epoch; 0: not known. */
double hb__manifest_end(const hb_manifest *m);

/* The layers of a recording, also of one that does not say them. */
unsigned hb__manifest_layers(const hb_manifest *m);

/* Size, time and digest of a file; ret->path is NULL when it cannot be read. */
void hb__digest_program(const char *path, hb_program_digest *ret);

#endif
