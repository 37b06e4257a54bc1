/* Requests and matched messages by handle. A handle is not always unique: both
 * libraries hand out one shared request for operations that are complete at
 * once. Such requests are alike, so the oldest is taken to complete first. */
#include "capture/mpi/track/track.h"

struct hb__requests hb__requests;

struct hb__request *hb__request_more(void) { return hb__pool(sizeof(struct hb__request)); }

/* `r` is the first with its handle. */
static void put_first(struct hb__request *r)
{
	struct hb__request **at = hb__request_place(r->handle), *old = *at;
	if (!old || hb__map_put(&hb__requests.map, old->handle, old))
		*at = r;
}

void hb__request_enqueue(struct hb__request *r)
{
	struct hb__request *first = hb__request_first(r->handle);
	if (!first) {
		put_first(r);
		return;
	}
	r->tail = NULL;
	hb__requests.mixed |= r->more;
	first->tail->chain = r;
	first->tail = r;
}

/* In the place of the first with the same handle; NULL: there is none any more. */
static void replace_first(uintptr_t handle, struct hb__request *with)
{
	struct hb__request **at = hb__request_place(handle);
	if (*at && (*at)->handle == handle)
		*at = with;
	else if (with)
		hb__map_put(&hb__requests.map, handle, with);
	else
		hb__map_remove(&hb__requests.map, handle);
}

void hb__request_dequeue(struct hb__request *r)
{
	struct hb__request *first = r->chain || r->tail != r ? hb__request_first(r->handle) : r, *at = first;
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
}

struct hb__request *hb__request_of_variable(struct hb__request *oldest, const MPI_Request *at, unsigned before)
{
	struct hb__request *next = oldest, *own;
	for (unsigned i = 0; i < before && next->chain; i++)
		next = next->chain;
	for (own = next; own && own->at != at; own = own->chain)
		;
	if (own && own != next) {
		struct hb__kept *kept = own->kept;
		own->kept = next->kept;
		own->at = next->at;
		next->kept = kept;
		next->at = at;
		own->more = next->more = own->more || next->more;
	}
	return next;
}

struct hb__request *hb__request_find(uintptr_t handle)
{
	hb__track_lock();
	struct hb__request *r = hb__request_first(handle);
	while (r && r->taken)
		r = r->chain;
	hb__track_unlock();
	return r;
}

static void visit_chain(void (*visit)(void *user, const struct hb__request *r), void *user, const struct hb__request *r)
{
	for (; r; r = r->chain)
		visit(user, r);
}

void hb__requests_alive(void (*visit)(void *user, const struct hb__request *r), void *user)
{
	hb__track_lock();
	for (uint32_t i = 0; i < 1u << HB__RECENT_BITS; i++)
		visit_chain(visit, user, hb__requests.recent[i]);
	for (uint32_t i = 0; i < hb__requests.map.size; i++)
		visit_chain(visit, user, hb__requests.map.value[i]);
	hb__track_unlock();
}

struct hb__request *hb__request_take_locked(uintptr_t handle, const MPI_Request *at)
{
	hb__track_lock();
	struct hb__request *found = NULL;
	for (struct hb__request *r = hb__request_first(handle); r && !(found && found->at == at); r = r->chain)
		if (!r->taken && (!found || r->at == at))
			found = r;
	if (found)
		found->taken = true;
	hb__track_unlock();
	return found;
}
