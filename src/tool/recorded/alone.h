/* One process of a recording by itself: what ran in it, as it told when it was recorded at level data. */
#ifndef HBDB_RECORDED_ALONE_H
#define HBDB_RECORDED_ALONE_H

#include "../store/manifest.h"

/* Puts the process's own command and folder in the place of those of the job, launcher and all. *ret_found: its contents have them. 0, or
 * an exit code after having said why. */
int hb__alone_command(const char *recording, const char *name, hb_manifest *manifest, bool *ret_found);
/* Whether the recording has what came into its processes over sockets and pipes: 0, or an exit code after having said that it has not. */
int hb__alone_talks(const hb_manifest *manifest, const char *name);
/* `command` with the words of `tool` in front of it, NULL ended. Free the array and its strings: hb__strings_free. */
void hb__put_under(const char *tool, char *const *command, hb_strings *ret);
/* What a launcher told this hbdb, or its shell, is not for a process that runs without one. */
void hb__alone_environment(void);

#endif
