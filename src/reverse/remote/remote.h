/* The Remote Serial Protocol of gdb (the appendix of its manual), over a process that goes both ways. */
#ifndef HBDB_REVERSE_REMOTE_H
#define HBDB_REVERSE_REMOTE_H

#include <stdbool.h>
#include <stddef.h>

#include "../reverse.h"

typedef struct hb_remote hb_remote;

/* in, out: where gdb is; they stay open. NULL: no memory. */
hb_remote *hb_remote_new(int in, int out);
void hb_remote_free(hb_remote *g);
/* For hb_reverse_setup, whose `user` is the hb_remote. */
void hb_remote_note(void *user, const char *text);
bool hb_remote_cancel(void *user);
/* Talks until gdb goes away, or kills the process. 0, or -1: what came is not the protocol. */
int hb_remote_serve(hb_remote *g, hb_reverse *r);

#endif
