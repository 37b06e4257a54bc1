/* Which process of a job died first. A launcher ends the others when one has died, so that afterwards all logs just stop. */
#ifndef HBDB_MAKING_DEATHS_H
#define HBDB_MAKING_DEATHS_H

#include "../tool.h"

typedef struct hb_deaths hb_deaths;

/* Begins to look at the processes that write logs into `recording`, from beside. often: also every few milliseconds, so that it is known until when nobody died: of a
 * node's part of a recording. NULL: that is not possible here. */
hb_deaths *hb__deaths_begin(const char *recording, bool often);

/* What was seen. */
typedef struct hb_deaths_seen {
	bool known;    /* of every process that did not get through MPI_Finalize it is known when it came to an end */
	bool any;      /* one came to an end before its MPI_Finalize ... */
	int32_t first; /* rank of the first of them; -1: it cannot be told */
	int64_t clean, by; /* ... after the one and before the other, in ns of CLOCK_MONOTONIC; clean: 0: not known */
	size_t recorded, size; /* processes that have a log, and of the world */
} hb_deaths_seen;
/* Ends it, and frees it. NULL: nothing is known. */
hb_deaths_seen hb__deaths_over(hb_deaths *deaths);
/* The same: the rank of the first process that came to an end before its MPI_Finalize; -1: there is none, or it is not
 * known: of processes on other machines, or of several that died before they were seen. */
int32_t hb__deaths_end(hb_deaths *deaths);

#endif
