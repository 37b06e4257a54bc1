/* Requests and matched messages by handle. A handle is not always unique: both
 * libraries hand out one shared request for operations that are complete at
 * once. Such requests are alike, so the oldest is taken to complete first. */
#include "capture/track/track.h"

static struct hb__map requests;
static struct hb__request *unused;

struct hb__request *hb__request_add(struct hb__lane *lane, uintptr_t handle, const MPI_Request *at)
{
	hb__track_lock();
	uint64_t posting = lane->posted++;
	struct hb__request *r = unused;
	if (r)
		unused = r->chain;
	else
		r = hb__pool(sizeof *r);
	if (r) {
		*r = (struct hb__request){.handle = handle,
			.at = at,
			.posting = posting,
			.lane = lane->number,
			.active = true,
			.source = HB_PROC_NULL,
			.bytes = -1};
		r->tail = r;
		struct hb__request *first = hb__map_find_or_put(&requests, handle, r);
		if (first && first != r) {
			r->tail = NULL;
			first->tail->chain = r;
			first->tail = r;
		}
	}
	hb__track_unlock();
	return r;
}

struct hb__request *hb__request_find(uintptr_t handle)
{
	hb__track_lock();
	struct hb__request *r = hb__map_find(&requests, handle);
	while (r && r->taken)
		r = r->chain;
	hb__track_unlock();
	return r;
}

struct hb__request *hb__request_take(uintptr_t handle, const MPI_Request *at)
{
	hb__track_lock();
	struct hb__request *found = hb__map_find(&requests, handle);
	if (unlikely(hb__threaded)) {
		struct hb__request *r = found;
		for (found = NULL; r && !(found && found->at == at); r = r->chain)
			if (!r->taken && (!found || r->at == at))
				found = r;
	}
	if (found)
		found->taken = true;
	hb__track_unlock();
	return found;
}

void hb__request_back(struct hb__request *r)
{
	if (r)
		r->taken = false;
}

void hb__request_remove(struct hb__request *r)
{
	hb__track_lock();
	struct hb__request *first = r->chain || r->tail != r ? hb__map_find(&requests, r->handle) : r, *at = first;
	if (first == r && !r->chain) {
		hb__map_remove(&requests, r->handle);
	} else if (first == r) {
		r->chain->tail = r->tail;
		hb__map_put(&requests, r->handle, r->chain);
	} else {
		while (at && at->chain != r)
			at = at->chain;
		if (at) {
			at->chain = r->chain;
			if (first->tail == r)
				first->tail = at;
		}
	}
	r->chain = unused;
	unused = r;
	hb__track_unlock();
}
