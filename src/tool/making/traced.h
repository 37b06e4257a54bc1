/* The settings of a trace, before a job gets them. */
#ifndef HBDB_MAKING_TRACED_H
#define HBDB_MAKING_TRACED_H

#include "../store/manifest.h"

struct hb_trace_settings; /* format/trace/settings.h */
/* Reads a file into settings that are there: what it does not say stays. 0, or an exit code after having said what is wrong, and in which line. */
int hb__read_settings_file(const char *path, struct hb_trace_settings *settings);
/* Copies them into a recording. 0; their absolute path and the name of the level in them, to be freed; or an exit code after having said why. */
int hb__keep_trace_settings(const char *path, const char *recording, char **ret_kept, char **ret_level);
/* 0 and their absolute path, to be freed; or an exit code after having said what is wrong with them, and in which line. */
int hb__read_trace_settings(const char *path, char **ret_absolute);

#endif
