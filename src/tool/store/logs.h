/* The logs of a recording: listing, opening, sealing them and adding them up. */
#ifndef HBDB_STORE_LOGS_H
#define HBDB_STORE_LOGS_H

#include "../tool.h"
#include "model/world/world.h"

#define HB_RANKS_MAX (1 << 24) /* a greater rank is not one */

typedef struct hb_log_file {
	char *path;
	int32_t rank;
	uint32_t pid;   /* as the file is called; 0: it has none in its name */
	uint32_t world; /* number of its MPI_COMM_WORLD, 0: the one that was started; before the logs are open: pid */
	hb_log *log;    /* NULL: not open */
} hb_log_file;

typedef struct hb_logs {
	hb_log_file *at;
	size_t n;         /* by world, rank and name */
	hb_worlds worlds; /* of those that were open when they were named; .world NULL: not done */
} hb_logs;

/* Whether a file of a recording is called as a log is. */
bool hb__is_log_name(const char *name);
/* Whether it is called as the file of a node is. */
bool hb__is_node_file(const char *name);
/* Names only, also of those within files of nodes. 0, or an exit code after having said why; what could be read stands in *ret then, too. */
int hb__list_logs(const char *recording, hb_logs *ret);
/* Of logs that are open: of which world each is (hbdb-recording(5), WORLDS), and puts them in order. */
void hb__name_worlds(hb_logs *logs);
typedef enum {
	HB_AWAY_GOES_ON, /* the end of the run was not seen */
	HB_AWAY_LOST,    /* hbdb record --fetch */
	HB_AWAY_UNKEPT,  /* it cannot be had */
} hb_away;
/* Nodes whose part of a recording is not here, "n3, n5"; NULL: none. Free it. */
char *hb__away(const char *recording, hb_away *ret_how);
/* Says why a recording has no logs; the exit code. */
int hb__fail_empty(const char *recording);
/* Opens all; those that cannot be opened are said, and stay NULL, those that end early are said. Returns the exit
 * code: 0 when all are open. */
int hb__open_logs(const char *recording, hb_logs *ret);
/* Whether all are open and none of them ends early. */
bool hb__logs_whole(const hb_logs *logs);
/* Whether its log says in which order threads of the process got locks and the like. */
bool hb__orders_threads(const hb_log *log);
void hb__close_logs(hb_logs *logs);
/* Whether each part of a list of ranks is in the recording: 0, or the exit code after having said which is not. */
int hb__check_run_ranks(const char *command, const char *list, const hb_logs *logs);

/* The processes of a model (hb_source of model/model.h): the ranks of the world in order, those without a log too, then spawned ones. Free both. */
struct hb_source *hb__make_sources(const hb_logs *logs, size_t *ret_n, uint32_t **ret_log_of);

/* What a finished run left behind. */
typedef struct hb_sum {
	uint64_t processes, events, bytes, lost;
	uint64_t left, aborted, killed, stopped, damaged; /* processes */
	uint64_t killed_without,
		told; /* killed ones without MPI; those that were told to stop being recorded, and lived on */
	bool goes_on; /* nobody told them: the recording is what they had recorded at a moment */
	int stopped_errno;
	uint64_t not_sealed;
	bool bridges;           /* a process met others of another world */
	bool racing;            /* level racing */
	uint64_t kept, skipped; /* ... calls that answered wildcard receives */
	uint64_t contents, came,
		contents_bytes; /* level data: processes with contents, what came in, what their files have */
	int32_t size;           /* of MPI_COMM_WORLD as the logs say; 0: none */
	hb_strings trouble;     /* lines to print */
	struct hb_noted {
		char *text;              /* a note of the recorder ... */
		uint64_t processes;      /* ... and how many processes wrote it */
		hb_process_name process; /* the first of them */
	} * notes;
	size_t nnotes;
} hb_sum;

/* Adds one log to a sum: its state, its trouble, its notes. name: what the process is called; NULL: by its rank. */
void hb__add_log(hb_log *log, const char *name, hb_sum *sum);
void hb__sum_free(hb_sum *sum);
/* Adds what the recording does not have of other worlds. */
void hb__add_missing(const hb_worlds *worlds, hb_sum *sum);
/* Prints the notes, lines such as "rank 3: ..." */
void hb__print_notes(const hb_sum *sum);
/* Prints the sum: the first line names the recording, further ones what was not covered. */
void hb__print_sum(const char *recording, const hb_sum *sum);

#endif
