/* Whether the processes of a replay still get anywhere. */
#ifndef HBDB_STORE_STALL_H
#define HBDB_STORE_STALL_H

#include <stdbool.h>
#include <stdint.h>

typedef struct hb_stall {
	const char *logs;   /* where the processes keep their lane controls */
	const char *script; /* the logs that they follow */
	int32_t size;
	const uint64_t *last; /* per rank: events after which its record breaks off, UINT64_MAX where it does not */
	bool used_up;         /* a process made no call after its last recorded one */
	double patience;      /* seconds without a step that count as standing still */
	double looked, since;
	uint64_t steps; /* events and polls of all processes, at `since` */
} hb_stall;

/* True when for `patience` seconds no process made a step and each that is not
 * `over` (per rank) is inside a call or past the last one of a record that broke
 * off. A process that computes otherwise is not waiting. */
bool hb__stalled(hb_stall *stall, const bool *over);
/* A line for each process that waits: in which of its recorded calls. */
void hb__print_waiting(const hb_stall *stall, const bool *over);

#endif
