/* Buffers of pending operations. */
#ifndef HBDB_CAPTURE_CHECK_BUFFERS_BUFFERS_H
#define HBDB_CAPTURE_CHECK_BUFFERS_BUFFERS_H

#include "capture/check/handles/handles.h"

#pragma GCC visibility push(hidden)

/* ---- pending.c: the buffers of a request, from the call that makes it active to its completion ---- */
void hb__pending_begin(struct hb__call *c, struct hb__watch *w);
void hb__pending_end(struct hb__call *c, struct hb__watch *w, struct hb__request *r, const MPI_Status *st, int error);
void hb__pending_drop(struct hb__watch *w); /* nothing is known of it any more */

#pragma GCC visibility pop

#endif
