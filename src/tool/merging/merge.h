/* A capture file and a recording of the same time become one recording. */
#ifndef HBDB_MERGING_MERGE_H
#define HBDB_MERGING_MERGE_H

#include "../store/logs.h"
#include "../store/manifest.h"

typedef struct hb_merge {
	char *path; /* of the recording */
	hb_manifest manifest;
	hb_logs logs;           /* names only */
	const char **log_paths; /* of them */
} hb_merge;

/* A recording by the name that the user gave: whether a capture can be merged with it. 0, or an exit code after having said why not.
 * hb__merging_end in any case. */
int hb__merging_begin(const char *given, hb_merge *ret);
void hb__merging_end(hb_merge *merge);
/* Copies its logs, and what belongs to them, into a folder. 0, or an exit code after having said why. */
int hb__merging_copy(const hb_merge *merge, const char *folder);

/* By the messages between processes of a merged recording that were captured (their PIDs are first_pid and more) and the others: by how many nanoseconds
 * the clock of the capture has to be set forward. 0, or an exit code after having said that no such number exists. */
int hb__merging_clock(const char *folder, uint32_t first_pid, int64_t *ret_shift);

#endif
