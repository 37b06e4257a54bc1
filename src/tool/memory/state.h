/* The folder of state: what hbdb remembers from one command to the next. */
#ifndef HBDB_MEMORY_STATE_H
#define HBDB_MEMORY_STATE_H

#include "../tool.h"

/* The path of `name` in it; NULL when neither XDG_STATE_HOME nor HOME is set. make: the folders above are made. */
char *hb__state_path(const char *name, bool make);

/* A file of it as text, to be freed; NULL with errno: EPERM when it is not this user's, or others can write it. */
char *hb__state_read(const char *path);
/* Replaces a file as a whole; only the user can read it. 0, or -1 with errno. */
int hb__state_write(const char *path, const char *text);
/* Adds a line in one piece. *ret_size: the bytes that the file has then. 0, or -1 with errno. */
int hb__state_append(const char *path, const char *line, size_t *ret_size);

#endif
