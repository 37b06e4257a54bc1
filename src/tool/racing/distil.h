/* Level racing: what a run has written is reduced to what raced. */
#ifndef HBDB_RACING_DISTIL_H
#define HBDB_RACING_DISTIL_H

#include "../store/logs.h"
#include "model/distil.h"

/* A run whose logs are being reduced. */
typedef struct hb_distillery {
	bool racing; /* the logs are at level racing, as their processes wrote them */
	char *whole; /* why nothing may be taken out, or NULL */
	struct hb_sent *sent;
	size_t nsent, room; /* messages that raced */
} hb_distillery;

/* Looks at all logs of a run that has ended. */
void hb__distillery_open(const hb_logs *logs, hb_distillery *ret);
/* Seals the raw log at `path` into `to` without what did not race, and notes its marks. *ret_rows: what must be
 * read back. 0, or why not. */
hb_status hb__distil_log(hb_distillery *d, const char *path, const char *to, hb_progress *progress, void *user,
	hb_log_info *ret_rows, hb_error *err);
/* Writes the rank.N.ctf files and ends. False: the files could not be written (errno). */
bool hb__distillery_close(hb_distillery *d, const char *recording);

/* Seals what `racers` (NULL: everything) leaves of an open log into `to`. Of many receives all are kept when that takes fewer bytes
 * than to leave a few of them out; ret_kept->raced and its like then count fewer than are kept. */
hb_status hb__seal_racing(hb_log *log, const hb_racers *racers, const char *to, hb_progress *progress, void *user,
	hb_log_info *ret_rows, hb_distilled *ret_kept, hb_error *err);

#endif
