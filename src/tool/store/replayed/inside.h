/* What becomes the file `shared` of a replay's folder. */
#ifndef HBDB_STORE_REPLAYED_INSIDE_H
#define HBDB_STORE_REPLAYED_INSIDE_H

#include "../logs.h"
#include "calls/sockets/shared.h"
#include "folder.h"

typedef struct hb__shared_list {
	struct hb_shared *at;
	size_t n, room;
	bool no_memory;
} hb__shared_list;

void hb__shared_add(hb__shared_list *l, struct hb_shared t);

/* ---- outside.c ---- */
/* Adds those events at whose other side there is no process that is replayed (numbers, as hb__replay_numbers has them), and says how many. */
hb_status hb__find_outside(
	const hb_logs *logs, const int32_t *numbers, hb__shared_list *told, hb__outside *ret, hb_error *ret_err);

#endif
