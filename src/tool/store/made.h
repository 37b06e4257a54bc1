/* Which recordings were made here by this user, and with which command: a file per recording in the folder of state, named as
 * the recording's manifest says, which holds exactly what a replay would run. A manifest can name any file, but not write one. */
#ifndef HBDB_MEMORY_MADE_H
#define HBDB_MEMORY_MADE_H

#include "manifest.h"

/* Notes a recording that is made now; says so when that is not possible. */
void hb__made_note(const hb_manifest *manifest);
/* Whether a manifest is that of a recording made here, with what is run as it was: NULL, or why it is not taken for one, to be freed. */
char *hb__made_not(const hb_manifest *manifest);

#endif
