/* A recording of what another one holds now: hbdb record --keep, and the agent's ask `keep`. */
#ifndef HBDB_STOPPING_KEPT_H
#define HBDB_STOPPING_KEPT_H

#include "../store/logs.h"

/* Makes the recording `output` (NULL: NAME-kept-1.hbdb beside it, or the next number) of what the recording holds now; the processes go on. Its path, to be freed,
 * and what is in it: hb__sum_free in any case. Nothing is printed but what is wrong with a manifest; nothing is left behind on an error. */
hb_status hb__keep(const char *recording, const char *output, char **ret_kept, hb_sum *ret_sum, hb_error *err);
/* Makes NAME-kept-1.hbdb, or the next number, of what the recording holds now; NULL: the one that is being made. 0, or an exit code. */
int hb__keep_now(const char *name);
/* Of a run on several nodes, which only the hbdb that makes the recording reaches: says so. 0, or an exit code. what: the option. */
int hb__refuse_away(const char *recording, const char *what);

#endif
