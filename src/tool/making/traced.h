/* The settings of a trace, before a job gets them. */
#ifndef HBDB_MAKING_TRACED_H
#define HBDB_MAKING_TRACED_H

#include "../tool.h"

/* 0 and their absolute path, to be freed; or an exit code after having said what is wrong with them, and in which line. */
int hb__read_trace_settings(const char *path, char **ret_absolute);

#endif
