/* Logs that still grow: what the header and the counters of a running process say now, without reading its events.
 *
 * Every thread that calls MPI keeps counters in its lane control, a unit of the log, and the log is a mapping that the
 * process shares with its file. So the file is only read, and the process notices nothing. Units come at any time, counters
 * change while they are read: a look shows each number as it was at some moment of the look. What is not there yet is left
 * out, and found by one of the next looks. */
#ifndef HBDB_FORMAT_GROWING_H
#define HBDB_FORMAT_GROWING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hbdb/format.h>

typedef struct hb_log_head {
	int32_t rank, size;         /* in MPI_COMM_WORLD, and of it */
	uint32_t pid, level, state; /* HB_LEVEL_..., HB_STATE_... */
	uint32_t stopped;           /* 0, or why recording stopped before the process did (an errno) */
	uint64_t units;             /* how many parts of HB_UNIT_SIZE bytes, this header's among them */
	bool gave_up;               /* a ring: its first events are not there any more */
	bool sealed;                /* it does not grow any more; units and host are not set */
	char host[65];
} hb_log_head;

/* The header alone: hb_log_open reads all of a log. Errors: HB_E_SYSTEM, it cannot be opened or read; HB_E_DAMAGED, the
 * header is not there yet, or cut; HB_E_FOREIGN, it is no log; HB_E_VERSION, as hb_log_open. *ret_head is all 0 then. */
hb_status hb_log_head_read(const char *path, hb_log_head *ret_head, hb_error *err);

/* The counters of a thread. */
typedef struct hb_counters {
	uint32_t lane;
	uint64_t offset;               /* of the lane control in the file, in bytes */
	uint64_t events, polls;        /* calls that are over; calls that were told no since the last of them */
	uint64_t inside, inside_enter; /* 1 + slot of the call it is in, 0: none; tick at which it entered that */
	uint64_t task;                 /* number of the thread in its system; 0: not known */
	uint64_t faults;               /* remarks about erroneous arguments */
} hb_counters;

/* A log that is looked at again and again; begins as {0}, ends with hb_growing_free. */
typedef struct hb_growing {
	hb_log_head head;
	hb_counters *lane; /* in the order in which they came; a lane that was seen stays where it is */
	size_t nlanes, room;
	uint64_t scanned; /* units that were searched for lane controls */
} hb_growing;

/* A look at the log. On an error (those of hb_log_head_read, and HB_E_MEMORY) everything stays as the last look left it.
 * Of a sealed log only the head is read. A lane control that cannot be read keeps its last counters. */
hb_status hb_growing_look(hb_growing *growing, const char *path, hb_error *err);
/* How often each of the first n functions of the log was called, over all lanes that were found; 0 behind as many as a log can count. Not of a sealed log. HB_E_SYSTEM: it
 * cannot be opened. */
hb_status hb_growing_calls(const hb_growing *growing, const char *path, uint64_t *ret_calls, size_t n, hb_error *err);
void hb_growing_free(hb_growing *growing);

#endif
