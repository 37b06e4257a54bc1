/* The end of a recording whose processes live on. */
#ifndef HBDB_STOPPING_H
#define HBDB_STOPPING_H

#include "../nodes/nodes.h"
#include "../store/manifest.h"

/* Ends such a recording, or one whose hbdb is gone: its processes are told, its logs sealed, on all its nodes. name: NULL: the last one. elsewhere: also one that this user did not make here.
 * An exit code. */
int hb__stop_recording(const char *name, bool elsewhere);

/* What the nodes have of it is fetched, and it is complete: an exit code, after having said which are lost. */
int hb__complete_apart(const char *recording, hb_manifest *m, hb_nodes *nodes);

/* hbdb record --fetch [NAME]: fetches what could not be fetched when the recording was made. 0, or an exit code. */
int hb__fetch_missing(
	const char *name, bool elsewhere); /* elsewhere: also of a recording that this user did not make here */

#endif
