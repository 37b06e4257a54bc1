/* What is to be traced: the configuration file of hbdb compare (hbdb-trace(5), SETTINGS), written by a dry run, edited by people, read by the
 * tool and by the target. The same lines begin each trace that is printed. Shared by the target and all who read. */
#ifndef HBDB_FORMAT_TRACE_SETTINGS_H
#define HBDB_FORMAT_TRACE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifndef HB_TYPES_ALONE
#define HB_TYPES_ALONE
#endif
#include <hbdb/compare.h>

#include "format/trace/point.h"

typedef enum hb_trace_level {
	HB_TRACE_NONE,
	HB_TRACE_MINIMAL,   /* begins and ends of constructs and iterations, results of reductions */
	HB_TRACE_MODIFY,    /* and writes of elements, before and after */
	HB_TRACE_FULL,      /* and reads */
	HB_TRACE_CHECKSUM,  /* begins, ends, and at each end of a parallel construct the checksums of its arrays */
	HB_TRACE_INHERITED, /* as the construct around it, or the run */
	HB_TRACE_LEVELS
} hb_trace_level;

typedef enum hb_construct_type {
	HB_CONSTRUCT_PARALLEL,
	HB_CONSTRUCT_SEQUENTIAL,
	HB_CONSTRUCT_REGION,
	HB_CONSTRUCT_POINT,
	HB_CONSTRUCT_TYPES
} hb_construct_type;
enum { HB_ACCESS_READ = 1, HB_ACCESS_WRITE = 2 };

/* The identity of an array: the ordinal tells those apart that one line makes again and again, from 0. */
typedef struct hb_array_id {
	char *name, *file; /* of the file the last component of its path; NULL: none */
	uint32_t line, ordinal;
} hb_array_id;

typedef struct hb_array_wanted {
	hb_array_id id;
	uint8_t access; /* HB_ACCESS_* */
} hb_array_wanted;

typedef struct hb_construct_wanted {
	uint32_t number, parent; /* as in the dry run, from 1; parent 0: none */
	hb_construct_type type;
	unsigned rank;
	char *name,
		*file; /* a construct of a run is this one when type, name, file and line agree and its parent is this one's parent */
	uint32_t line;
	hb_trace_level level;
	hb_array_wanted *array; /* those whose checksums are taken at its end */
	size_t arrays, arrays_room;
	bool knows_arrays;                 /* they were told, perhaps none; else all that are registered */
	uint64_t times, iterations, bytes; /* of the dry run, for people: comments in the file, not read */
} hb_construct_wanted;

typedef struct hb_trace_settings {
	hb_trace_level level;
	hb_point start, finish; /* number 0: no limit */
	/* Which iterations are traced; -1: no limit. Those of parallel loops by global index, in each dimension from first to last; the first and the
	 * last so many of those that a process does; of sequential loops the first and the last so many. Where both are given for the last two,
	 * what is among the first or among the last ones. */
	int64_t global_first[HB_DIMENSIONS], global_last[HB_DIMENSIONS];
	int64_t local_first, local_last;
	int64_t loop_first, loop_last;
	bool checksum_accessed; /* of arrays that were read, too; else of written ones */
	bool trap_anyway;       /* accesses are collected although the arrays of a construct are told */
	bool control;           /* dynamic control: one process, parallelism simulated */
	bool dry;               /* structure alone: begins, ends, what was accessed, how much it would be */
	double tolerance, absolute;
	hb_point save_at; /* number 0: none */
	hb_array_id save; /* name NULL: none */
	hb_construct_wanted *construct;
	size_t constructs, constructs_room;
} hb_trace_settings;

/* What nobody has said: CHECKSUM everywhere, no limits, tolerance 1e-8. */
void hb_settings_default(hb_trace_settings *ret_settings);
void hb_settings_free(hb_trace_settings *settings);
/* Reads a text of `bytes` bytes into settings that were made by hb_settings_default; what it does not say stays. False: *ret_message says what is
 * wrong, with the line; free it. Unknown words are an error. Also where the target reads it: allocates by malloc alone. */
bool hb_settings_read(const char *text, size_t bytes, hb_trace_settings *settings, char **ret_message);
/* Writes all that is not as by default, and the constructs. */
void hb_settings_write(const hb_trace_settings *settings, FILE *out);

const char *hb_trace_level_name(hb_trace_level level);      /* "CHECKSUM"; INHERITED: "INHERITED" */
const char *hb_construct_type_name(hb_construct_type type); /* "PL", "SL", "TR", "PT" */

#endif
