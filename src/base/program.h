/* What a process is called by its program. */
#ifndef HBDB_BASE_PROGRAM_H
#define HBDB_BASE_PROGRAM_H

#define HB_PROGRAM_NAME 20 /* with a null behind it: so that the name of an event stays short */
/* What such a name consists of. */
#define HB_PROGRAM_LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+-"

/* The last part of a path, so that it can be written in the name of an event, and is no rank. */
void hb_program_name(const char *path, char ret[HB_PROGRAM_NAME]);

#endif
