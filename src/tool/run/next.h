/* The line with which an answer ends: what to type next. */
#ifndef HBDB_RUN_NEXT_H
#define HBDB_RUN_NEXT_H

#include <stdio.h>

/* "next: hbdb view NAME --at EVENT, hbdb debug NAME --at EVENT, hbdb COMMAND NAME, ..." without a line feed.
 * name: how the user named the recording, NULL: not at all; event: NULL or "" for none; commands: up to a NULL, or NULL for none.
 * path: where the recording of the event is; of one that was imported there is no program to debug. */
void hb__put_next(FILE *to, const char *path, const char *name, const char *event, const char *const *commands);

#endif
