/* hbdb dump --compare: the records of traces as text (hbdb-trace(5), TEXT) and as JSON. */
#ifndef HBDB_REFERENCE_DUMP_DUMP_H
#define HBDB_REFERENCE_DUMP_DUMP_H

#include "format/trace/trace.h"

#include "../../options.h"
#include "../../show/out.h"

int hb__dump_traces(const hb_args *args);

/* A process whose trace is printed. */
typedef struct hb_dumped {
	hb_output *out;
	const hb_trace *trace;
	int32_t rank;
	uint64_t *open; /* numbers of the constructs that are open */
	size_t opens;
} hb_dumped;

/* One record; of definitions only arrays and variables are shown, for the rest stands where it is used. */
void hb__put_record_text(hb_dumped *d, const hb_trace_record *record);
void hb__put_record_json(hb_dumped *d, const hb_trace_record *record);

/* Shared. The source line of a place ("heat.c", 31; else the module and 0), and a value as text that reads back. */
void hb__trace_source(const hb_trace *trace, uint64_t place, const char **ret_file, int *ret_line);
void hb__put_element_value(hb_output *out, hb_element type, const void *value);
/* The global indices of an element, as the program calls them; its number in the storage where the array has no box. */
unsigned hb__trace_indices(const hb_trace_array *array, uint64_t element, int64_t index[HB_DIMENSIONS]);

#endif
