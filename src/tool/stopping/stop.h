/* The end of a recording whose processes live on. */
#ifndef HBDB_STOPPING_H
#define HBDB_STOPPING_H

/* Ends such a recording, or one whose hbdb is gone: its processes are told, its logs sealed. name: NULL: the last one. An exit code. */
int hb__stop_recording(const char *name);

#endif
