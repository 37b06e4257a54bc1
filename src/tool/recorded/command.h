/* The command that a recording is replayed with. */
#ifndef HBDB_RECORDED_COMMAND_H
#define HBDB_RECORDED_COMMAND_H

#include "../job/launcher.h"
#include "../store/manifest.h"

/* Chooses it: `given`, or the recorded one, which runs where and with what it ran then. mpi: the user's --mpi or NULL. size: processes
 * of the recording. 0 with *ret_line (hb__command_line_free) and *ret_command (owned by the other side), or an exit code after having said why. */
int hb__recorded_command(const hb_manifest *manifest, char **given, const char *mpi, int32_t size,
	hb_command_line *ret_line, char ***ret_command);
/* The recorded command runs where and with what it ran then: changes this process's folder and environment. */
void hb__recorded_place(const hb_manifest *manifest);
/* At which level a replay is recorded itself: in it nothing is watched for races, so all choices are stored. */
const char *hb__replay_level(const hb_manifest *manifest);

#endif
