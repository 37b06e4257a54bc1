/* Which process of a job died first. A launcher ends the others when one has died, so that afterwards all logs just stop. */
#ifndef HBDB_MAKING_DEATHS_H
#define HBDB_MAKING_DEATHS_H

#include "../tool.h"

typedef struct hb_deaths hb_deaths;

/* Begins to look at the processes that write logs into `recording`, from beside. NULL: that is not possible here. */
hb_deaths *hb__deaths_begin(const char *recording);
/* Ends it, and frees it. The rank of the first process that came to an end before its MPI_Finalize; -1: there is none, or it is not
 * known: of processes on other machines, or of several that died before they were seen. */
int32_t hb__deaths_end(hb_deaths *deaths);

#endif
