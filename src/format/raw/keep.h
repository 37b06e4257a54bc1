/* A copy of what the logs of a recording hold now, while their processes go on: for `hbdb record --keep`, and for whoever reacts to
 * something by keeping the last part of a ring. */
#ifndef HBDB_FORMAT_KEEP_H
#define HBDB_FORMAT_KEEP_H

#include <hbdb/format.h>

/* Copies one raw log, of a process that may be writing it, to a new file. */
hb_status hb_log_keep(const char *from, const char *to, hb_error *err);
/* Makes the folder `to`, which must not be there, and in it a sealed log for each log of the recording, as far as it is written now; *ret_logs: how many.
 * No process waits for it. The caller writes the manifest, and removes the folder when this fails. Several may run at a time. */
hb_status hb_recording_keep(const char *recording, const char *to, uint64_t *ret_logs, hb_error *err);

#endif
