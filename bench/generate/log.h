/* Writes the raw log of one process, unit by unit: docs/man/hbdb-recording.5, THE RAW FORM. */
#ifndef HBDB_GENERATE_LOG_H
#define HBDB_GENERATE_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "format/row.h"

#define MOST_RANKS 16384
#define MOST_MADE 4096 /* of a communicator with all of them, whose members a log can hold */

enum function { /* the numbers in the logs */
	FN_INIT,
	FN_FINALIZE,
	FN_COMM_SPLIT,
	FN_SEND,
	FN_SSEND,
	FN_ISEND,
	FN_ISSEND,
	FN_RECV,
	FN_IRECV,
	FN_PROBE,
	FN_WAITANY,
	FN_WAITALL,
	FN_CANCEL,
	FN_BARRIER,
	FN_ALLREDUCE,
	FN_ALLTOALL,
	FN_COUNT
};

enum { TYPE_INT = 4, TYPE_DOUBLE = 7 };    /* places in src/calls/datatypes.def */
enum { COMM_WORLD, COMM_SELF, COMM_MADE }; /* the third is made by the program */
#define ARGS 5
#define SLOTS 1024u /* calls remembered per process, a power of two */

/* A call with its arguments, in the order of the function's definition. */
struct call {
	uint8_t function, nargs;
	int32_t arg[ARGS];
};

struct log {
	int32_t rank;
	uint32_t size;
	uint8_t *unit, *w; /* the unit being filled, and where in it */
	uint32_t seq, units;
	uint64_t events, last; /* so far; tick at which the last was left */
	uint64_t calls[FN_COUNT];
	uint64_t key[SLOTS]; /* the call a place holds, packed */
	uint16_t slot[SLOTS];
	uint16_t slots;
	uint16_t noise; /* for checks of contents */
};

/* Where logs go, and what all of them share. */
struct logs {
	const char *folder, *pattern;
	uint32_t size;
	uint64_t bytes; /* written */
	bool failed;    /* errno was told */
};

/* A communicator made from WORLD. */
struct made {
	uint32_t size, own; /* own rank in it */
	const int32_t *member;
	uint32_t index; /* how many were made before */
};

bool log_begin(struct logs *logs, struct log *log, int32_t rank);
/* The results are already in the form of the page. */
void log_row(struct logs *logs, struct log *log, const struct call *call, uint64_t enter, uint64_t exit,
	const int64_t *result, uint32_t nresults);
/* Definitions and header; after it the log is complete. made may be NULL. */
void log_end(struct logs *logs, struct log *log, const struct made *made);

#endif
