/* Level racing: what a run has written is reduced to what raced. */
#ifndef HBDB_RACING_DISTIL_H
#define HBDB_RACING_DISTIL_H

#include "../store/logs.h"

/* A run whose logs are being reduced. */
typedef struct hb_distillery {
	bool racing; /* the logs are at level racing, as their processes wrote them */
	char *whole; /* why nothing may be taken out, or NULL */
	struct hb_sent *sent;
	size_t nsent, room; /* messages that raced */
} hb_distillery;

/* Looks at all logs of a run that has ended. */
void hb__distillery_open(const hb_logs *logs, hb_distillery *ret);
/* Takes what did not race out of an open raw log; the result goes to `to`, its marks are noted. 0, or why not. */
hb_status hb__distil_log(hb_distillery *d, hb_log *log, const char *to, hb_error *err);
/* Writes the rank.N.ctf files and ends. False: the files could not be written (errno). */
bool hb__distillery_close(hb_distillery *d, const char *recording);

#endif
