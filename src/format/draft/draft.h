/* The log of a process that did not write it itself: definitions and rows are put together in memory and sealed.
 *
 * Nothing here fails one by one: a draft that ran out of memory, or was given what the format does not allow, takes no more, and
 * hb_draft_seal says so. */
#ifndef HBDB_FORMAT_DRAFT_H
#define HBDB_FORMAT_DRAFT_H

#include <stdbool.h>
#include <stdint.h>

#include <hbdb/format.h>

typedef struct hb_draft hb_draft;

/* Whose log it is. The texts are copied, as far as the header has room. */
typedef struct hb_draft_process {
	const char *program; /* its last part names the process (hbdb-recording(5), WORLDS) */
	const char *host;    /* where its addresses of the machine itself, like 127.0.0.1, mean the same */
	uint32_t pid;        /* another one for each log of a recording; not 0 */
	uint64_t origin;     /* nanoseconds since the epoch at tick 0; a tick is a nanosecond */
	uint64_t mono; /* nanoseconds of the host's monotonic clock at tick 0; 0: it has none in common with others */
} hb_draft_process;

/* An argument (kind: HB_RECORDED_... of calls.h) or a value (HB_TYPE_... of row.h). */
typedef struct hb_draft_field {
	uint8_t kind;
	const char *name;
} hb_draft_field;

/* A function as it is defined. */
typedef struct hb_draft_function {
	uint8_t cls; /* enum hb_class */
	const char *name;
	uint32_t args, values;
	const hb_draft_field *arg, *value;
} hb_draft_function;

/* Of a process without MPI that came to its end. NULL: out of memory. */
hb_draft *hb_draft_begin(const hb_draft_process *process);
void hb_draft_free(hb_draft *draft);

/* Functions are numbered from 0 in the order in which they are defined; at most HB_FUNCTIONS_MOST. */
uint32_t hb_draft_define(hb_draft *draft, const hb_draft_function *function);
uint32_t hb_draft_functions(const hb_draft *draft); /* how many there are */
/* All functions of the draft, also later ones, are of this layer. */
void hb_draft_layer(hb_draft *draft, const char *name);
/* The number of the network namespace (definition 18). */
void hb_draft_network(hb_draft *draft, uint64_t number);
/* The number of a text; the same one for the same text. */
uint32_t hb_draft_text(hb_draft *draft, const char *text);
/* A line for people, about the process. */
void hb_draft_note(hb_draft *draft, const char *text);

/* Lanes are numbered from 0 in the order in which they are made. */
uint32_t hb_draft_lane(hb_draft *draft);
/* The next row of a lane: of *row function, arg, nargs, enter, exit, results, nresults count, the rest is 0. Rows of a lane come in the
 * order of their exits, none is entered before the one before it was left. */
void hb_draft_row(hb_draft *draft, uint32_t lane, const hb_row *row);
uint64_t hb_draft_events(const hb_draft *draft);

/* Writes the sealed log (a new file, renamed into place when complete). The draft stays as it is. */
hb_status hb_draft_seal(hb_draft *draft, const char *to, hb_error *err);

#endif
