/* hbdb record --keep. */
#ifndef HBDB_STOPPING_KEPT_H
#define HBDB_STOPPING_KEPT_H

/* Makes NAME-kept-1.hbdb, or the next number, of what the recording holds now; NULL: the one that is being made. 0, or an exit code. */
int hb__keep_now(const char *name);

#endif
