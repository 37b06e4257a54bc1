/* What dynamic control found in a run, over all of its processes. */
#ifndef HBDB_REFERENCE_CONTROL_H
#define HBDB_REFERENCE_CONTROL_H

#include "format/trace/trace.h"

#include "../../tool.h"

#define HB_CONTROL_NEST 16u

typedef struct hb_controlled_loop {
	hb_construct_type type;
	char *name, *file; /* NULL: none */
	uint32_t line;
} hb_controlled_loop;

/* One finding: the same kind, array and source lines. The first one is told, of the process that found it. */
typedef struct hb_controlled {
	hb_control_finding finding;
	char *array; /* name; NULL: of no array */
	char *array_file;
	uint32_t array_line, ordinal;
	char *place, *other; /* file.c:12; NULL: none */
	int32_t rank;
	bool indexed; /* the array has global indices: */
	unsigned indices;
	int64_t index[HB_DIMENSIONS]; /* as the program calls them */
	uint64_t element;             /* else; before the array: below 0 */
	uint64_t elements;            /* that the process has stored; 0: not known */
	unsigned n, others;           /* indices of the iteration, and of the other one */
	int64_t iteration[HB_TRACE_INDICES];
	unsigned loops;
	hb_controlled_loop loop[HB_CONTROL_NEST]; /* the outermost first */
	uint64_t times;                           /* places of the program where it was found, over all processes */
	uint32_t processes;
	int32_t last; /* of these */
} hb_controlled;

typedef struct hb_controlled_run {
	hb_controlled *at;
	size_t n, room;
	uint64_t reads, writes, loops; /* that were looked at */
	uint32_t processes, cut;
	hb_strings troubles; /* sentences of the tracer */
} hb_controlled_run;

/* Reads the traces of a recording. 0, or an exit code after having said why. hb__controlled_free in any case. */
int hb__read_controlled(const char *recording, hb_controlled_run *ret);
void hb__controlled_free(hb_controlled_run *run);
/* Prints them; returns the exit code: 0 nothing was found, 1 something was, 2 nothing was looked at, 3 a trace is cut. */
int hb__print_controlled(const char *name, const hb_controlled_run *run, bool json);

#endif
