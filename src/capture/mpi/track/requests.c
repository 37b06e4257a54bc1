/* Requests and matched messages by handle. A handle is not always unique: both
 * libraries hand out one shared request for operations that are complete at
 * once. Such requests are alike, so the oldest is taken to complete first. */
#include "capture/mpi/track/track.h"

static struct hb__map requests;
static struct hb__request *unused;

/* Most requests live for a few calls only. The newest with its place here is not in the map. */
#define RECENT_BITS 6
static struct hb__request *recent[1u << RECENT_BITS];

static struct hb__request **place_of(uintptr_t handle)
{
	return &recent[handle * 0x9e3779b97f4a7c15u >> (64 - RECENT_BITS)];
}

/* The oldest with this handle. */
static struct hb__request *first_of(uintptr_t handle)
{
	struct hb__request *r = *place_of(handle);
	return likely(r && r->handle == handle) ? r : requests.used ? hb__map_find(&requests, handle) : NULL;
}

/* `r` is the first with its handle. */
static void put_first(struct hb__request *r)
{
	struct hb__request **at = place_of(r->handle), *old = *at;
	if (!old || hb__map_put(&requests, old->handle, old))
		*at = r;
}

/* In the place of the first with the same handle; NULL: there is none any more. */
static void replace_first(uintptr_t handle, struct hb__request *with)
{
	struct hb__request **at = place_of(handle);
	if (*at && (*at)->handle == handle)
		*at = with;
	else if (with)
		hb__map_put(&requests, handle, with);
	else
		hb__map_remove(&requests, handle);
}

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
		struct hb__request *first = first_of(handle);
		if (unlikely(first)) {
			r->tail = NULL;
			first->tail->chain = r;
			first->tail = r;
		} else {
			put_first(r);
		}
	}
	hb__track_unlock();
	return r;
}

struct hb__request *hb__request_find(uintptr_t handle)
{
	hb__track_lock();
	struct hb__request *r = first_of(handle);
	while (r && r->taken)
		r = r->chain;
	hb__track_unlock();
	return r;
}

struct hb__request *hb__request_take(uintptr_t handle, const MPI_Request *at)
{
	hb__track_lock();
	struct hb__request *found = first_of(handle);
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
	struct hb__request *first = r->chain || r->tail != r ? first_of(r->handle) : r, *at = first;
	if (first == r && !r->chain) {
		replace_first(r->handle, NULL);
	} else if (first == r) {
		r->chain->tail = r->tail;
		replace_first(r->handle, r->chain);
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
