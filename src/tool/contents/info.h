/* What hbdb info says of contents. */
#ifndef HBDB_CONTENTS_INFO_H
#define HBDB_CONTENTS_INFO_H

#include "../show/line.h"
#include "files.h"

/* Of each log, in the order of the logs: what its contents are; .threads UINT32_MAX: it has none. */
typedef hb_data_info hb_contents_info;

/* Looks at the contents beside all logs and adds them to the sum. Of what cannot be read that is said, and *ret_code is the exit
 * code. Free it. */
hb_contents_info *hb__gather_contents(const hb_logs *logs, hb_sum *sum, int *ret_code);
bool hb__has_contents(const hb_contents_info *info);

/* A line for each process that has some, at most `most`. */
void hb__print_contents_info(const hb_contents_info *of, const hb_logs *logs, const hb_sum *sum, size_t most);
/* Members of an object for a process, behind others. */
void hb__put_contents_members(hb_output *out, const hb_contents_info *info);

#endif
