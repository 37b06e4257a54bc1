/* Requests and matched messages by handle. A handle is not always unique: both
 * libraries hand out one shared request for operations that are complete at
 * once. Such requests are alike, so the oldest is taken to complete first. */
#include "capture/mpi/family/family.h"
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

/* Only those count that the caller has claimed, or none has. */
struct hb__request *hb__request_of_variable(struct hb__request *oldest, const MPI_Request *at, unsigned before)
{
	struct hb__request *next = oldest, *own;
	for (own = oldest->chain; own && before; own = own->chain) {
		if (own->taken || own->claimed != oldest->claimed)
			continue;
		next = own;
		before--;
	}
	for (own = next; own && (own->at != at || own->taken || own->claimed != oldest->claimed); own = own->chain)
		;
	if (own && own != next) {
		struct hb__kept *kept = own->kept;
		own->kept = next->kept;
		own->at = next->at;
		next->kept = kept;
		next->at = at;
		own->unsure = next->unsure = own->more = next->more = true;
	}
	return next;
}

/* ---- which of those with one handle a thread means ---- */

static uint32_t claimer(void) { return hb__self ? hb__self->number + 1u : 0; }

bool hb__request_of_another(const struct hb__request *r) { return r->claimed && r->claimed != claimer(); }

enum { SAME_THREAD = 1, SAME_VARIABLE = 2, UNCLAIMED = 8, CLAIMED = 16 };

/* 0: it is about to be over, in another call. What another thread has claimed may still be meant, by MPI_Cancel. */
static unsigned closeness(const struct hb__request *r, uint32_t mine, const MPI_Request *at)
{
	unsigned whose = r->claimed == mine ? CLAIMED : !r->claimed ? UNCLAIMED : 0;
	unsigned posted = r->lane + 1u == mine ? SAME_THREAD : 0;
	return r->taken ? 0 : whose + (at && r->at == at ? SAME_VARIABLE : 0) + posted + !whose;
}

/* The oldest of the closest. fresh: that nobody has claimed. */
static struct hb__request *closest(struct hb__request *r, uint32_t mine, const MPI_Request *at, bool fresh)
{
	struct hb__request *found = NULL;
	unsigned most = 0;
	for (bool enough = false; r && !enough; r = r->chain) {
		unsigned is = fresh && r->claimed ? 0 : closeness(r, mine, at);
		enough = is >= CLAIMED ? !at || is & SAME_VARIABLE : is >= UNCLAIMED && is & SAME_VARIABLE;
		if (is > most) {
			found = r;
			most = is;
		}
	}
	return found;
}

static __attribute__((noinline)) struct hb__request *find_locked(uintptr_t handle)
{
	hb__track_lock();
	struct hb__request *r = closest(hb__request_first(handle), claimer(), NULL, false);
	hb__track_unlock();
	return r;
}

struct hb__request *hb__request_find(uintptr_t handle)
{
	if (unlikely(hb__threaded))
		return find_locked(handle);
	struct hb__request *r = hb__request_first(handle);
	while (r && r->taken)
		r = r->chain;
	return r;
}

/* Behind the one that was claimed before, when it has its handle: arrays with thousands of one handle are not searched for each. */
static struct hb__request *to_claim(uintptr_t handle, const MPI_Request *at, uint32_t mine, struct hb__request *before)
{
	struct hb__request *r = before && before->handle == handle ? before->chain : NULL;
	bool near = r && !r->claimed && closeness(r, mine, at) > UNCLAIMED;
	return near ? r : closest(hb__request_first(handle), mine, at, true);
}

void hb__requests_claim(const MPI_Request *reqs, int n)
{
	uint32_t mine = claimer();
	struct hb__request *r = NULL;
	hb__track_lock();
	for (int i = 0; i < n; i++) {
		r = reqs[i] == hb__known.request_null ? NULL : to_claim((uintptr_t)reqs[i], &reqs[i], mine, r);
		if (r)
			r->claimed = mine;
	}
	hb__track_unlock();
}

void hb__requests_unclaim(const MPI_Request *was, int n)
{
	uint32_t mine = claimer();
	hb__track_lock();
	for (int i = 0; i < n; i++) {
		if (was[i] == hb__known.request_null || (i && was[i] == was[i - 1]))
			continue;
		for (struct hb__request *r = hb__request_first((uintptr_t)was[i]); r; r = r->chain)
			if (r->claimed == mine)
				r->claimed = 0;
	}
	hb__track_unlock();
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
	struct hb__request *found = closest(hb__request_first(handle), claimer(), at, false);
	if (found) {
		found->taken = true;
		found->claimed = 0;
	}
	hb__track_unlock();
	return found;
}
