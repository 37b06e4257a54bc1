/* Processes that come from this one. */
#ifndef HBDB_CAPTURE_DESCEND_H
#define HBDB_CAPTURE_DESCEND_H

#include <sys/types.h>

#include "capture/core/core.h"

#pragma GCC visibility push(hidden)

/* ---- environment.c ---- */
/* Keeps hbdb's variables as they are now. */
void hb__environment_keep(void);
/* How many places hb__environment_for needs beside those of `given`; 0: `given` has all, or nothing is kept: it is handed on as it is. */
size_t hb__environment_lacks(char *const *given);
/* Writes into room, of as many places as `given` has with its NULL and those beside, what is handed on; preload: room for one text. */
void hb__environment_for(char *const *given, char **room, char *preload);
/* Bytes of that text. */
size_t hb__environment_preload(char *const *given);

/* ---- reach.c ---- */
/* Before a filter of system calls is set that may forbid to open files, by whatever call; then hb__file_no_more (file.h). */
void hb__calls_filtered(void);

#pragma GCC visibility pop

#endif
