/* Processes that live longer than their command. */
#ifndef HBDB_LASTING_H
#define HBDB_LASTING_H

#include "../layers/layers.h"
#include "../tool.h"

#define HB_DYING_MS 2000 /* what the processes of a job that is over get to disappear */

/* Who of a recording still lives and is recorded: processes of this machine that write logs, and, with sockets among the layers, those below this
 * process that have the recorder and no log yet. Waits for them to end up to `patience` milliseconds, but not for those that have left the session and are
 * no ranks of MPI: they are there to stay. How many; *ret_names: "server (process 17), ..."; free it. */
size_t hb__living(const char *recording, unsigned layers, int patience, char **ret_names);

/* From here on no process of the recording begins a log, and those that have one end it. Returns how many logs were ended by that. */
size_t hb__tell_to_stop(const char *recording);

/* ---- folder.c ---- */
/* This hbdb is at work on the recording: a descriptor to be closed, or -1, another one is (*ret_busy), or nobody can tell. */
int hb__hold_folder(const char *recording, bool *ret_busy);
/* Processes may change their user while they are recorded, when the one who begins is root: all users may add files, none may touch those of others. */
void hb__share_folder(const char *recording);
/* Ends that; what is no file of a recording's is removed, as users may have put links there. */
void hb__unshare_folder(const char *recording);

#endif
