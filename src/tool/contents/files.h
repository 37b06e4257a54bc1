/* The files of contents of a recording (hbdb-data(5)), each beside the log of its process. */
#ifndef HBDB_CONTENTS_FILES_H
#define HBDB_CONTENTS_FILES_H

#include <hbdb/data.h>

#include "../store/logs.h"
#include "../store/manifest.h"

/* Whether the recording was asked to keep contents of the process with this rank. */
bool hb__contents_wanted(const hb_manifest *m, int32_t rank);
/* 0, or the exit code after having said what is wrong with a list of ranks like 3,7-9. */
int hb__check_data_ranks(const char *list);

/* Opens what came into the process of a log, which is open. *ret_data is NULL when nothing was kept of it; what is damaged is said.
 * 0, or an exit code after having said why it cannot be read. hb_data_close. */
int hb__open_contents(const hb_log_file *file, hb_data **ret_data);

/* Adds the contents of a process to the sum of its run. name: of the process. */
void hb__add_contents(const hb_data_info *info, const hb_log_info *log, const char *name, hb_sum *sum);
/* Seals the contents beside a log in place, when asked to, and adds them; what is not sealed, and why, goes to the sum's trouble.
 * running: their process is there still, and writes. */
void hb__finish_contents(const char *log_path, bool seal, bool running, hb_progress *progress, void *user, hb_sum *sum);

/* Checks the contents beside a log: 0, or the exit code after having said what is wrong. `wanted`: there must be some. *ret_bytes
 * counts what came in. */
int hb__verify_contents(const char *log_path, const hb_log_info *log, bool wanted, uint64_t *ret_bytes);

/* "1234 bytes", "12.3 MB" */
typedef char hb_size_text[32];
const char *hb__size_text(uint64_t bytes, hb_size_text ret);
/* How far the contents of a process go: "to its end", "until it was killed", "until ...: No space left on device". Free it. */
char *hb__contents_reach(const hb_data_info *info);

#endif
