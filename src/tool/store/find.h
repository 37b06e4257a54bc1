/* Names of recordings: new ones, given ones, the last one. */
#ifndef HBDB_STORE_FIND_H
#define HBDB_STORE_FIND_H

#include "../tool.h"

/* Makes the folder of a new recording: `given`, or NAME-1.hbdb, NAME-2.hbdb, ... in the current
 * folder after the program's name. 0 and its absolute path, or an exit code after having said why. */
int hb__new_recording(const char *given, const char *program, char **ret_path);

/* The absolute path of the recording `given`, or of the last one when it is NULL: of this folder, else of this terminal session,
 * else of this user; it is said then. 0, or an exit code. */
int hb__find_recording(const char *given, char **ret_path);

/* The absolute path of the recording that is being made, `given` or the latest one that has not ended. 0, or an exit code. */
int hb__find_running(const char *given, char **ret_path);

/* Removes a folder and what is in it. */
void hb__remove_folder(const char *path);

/* The name to print for a path: relative to the current folder when it is inside. Static. */
const char *hb__short(const char *path);

#endif
