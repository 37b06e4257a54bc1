/* The end of a recording whose processes live on. */
#ifndef HBDB_STOPPING_H
#define HBDB_STOPPING_H

/* Ends such a recording, or one whose hbdb is gone: its processes are told, its logs sealed. name: NULL: the last one. An exit code. */
int hb__stop_recording(const char *name);

/* hbdb record --fetch [NAME]: fetches what could not be fetched when the recording was made. 0, or an exit code. */
int hb__fetch_missing(
	const char *name, bool elsewhere); /* elsewhere: also of a recording that this user did not make here */

#endif
