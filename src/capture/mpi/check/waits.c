/* Which requests a call waits for, or asks after: into the lane control, where it can be read while the call blocks.
 * Plain stores; `asked` last, for who reads along. A list that an event has followed is outdated, so nobody clears it. */
#include "capture/mpi/check/check.h"
#include "capture/mpi/family/family.h"
#include "capture/mpi/slots/slots.h"

#define MOST (sizeof((struct hb_lane_control *)0)->wait / sizeof(uint64_t))
#define UNKNOWN UINT64_MAX

_Static_assert(HB_FN_COUNT <= (HB_LANE_WAITS - 256) / 8, "the lane control has a count for each function");

/* One who asks in a loop says the same each time, and may be stopped for good at any point of it: what is there already
 * stays valid until the first word that differs. */
static void put(struct hb_lane_control *k, uint64_t *at, uint64_t value)
{
	if (*at == value)
		return;
	if (k->asked)
		__atomic_store_n(&k->asked, 0, __ATOMIC_RELEASE);
	__atomic_store_n(at, value, __ATOMIC_RELEASE);
}

/* *all: still true when each of them is active. */
static uint64_t add(struct hb_lane_control *k, uint64_t n, uintptr_t handle, bool *all)
{
	if ((MPI_Request)handle == hb__known.request_null)
		return n;
	const struct hb__request *r = hb__request_find(handle);
	*all &= r && r->active;
	if (r && !r->active)
		return n;
	if (n < MOST)
		put(k, &k->wait[n], r ? (uint64_t)r->lane << 48 | (r->posting & ~(UINT64_MAX << 48)) : UNKNOWN);
	return n + 1;
}

static uint64_t list(struct hb__call *c, struct hb_lane_control *k, bool *all)
{
	uint64_t n = 0;
	*all = c->fn->cls == HB_COMPLETE;
	if (c->fn->cls != HB_COMPLETE)
		return 0;
	if (c->fn->param[0].kind == HB_P_REQVAL)
		return add(k, n, c->a[0], all);
	if (hb__has(c, HB_R_REQUEST)) {
		const MPI_Request *one = (const MPI_Request *)hb__arg(c, HB_R_REQUEST);
		*all &= one != NULL;
		return one ? add(k, n, (uintptr_t)*one, all) : 0;
	}
	const MPI_Request *several = (const MPI_Request *)hb__arg(c, HB_R_REQS);
	int count = (int)hb__arg(c, HB_R_NREQ);
	*all &= several && count >= 0;
	for (int i = 0; several && i < count; i++)
		n = add(k, n, (uintptr_t)several[i], all);
	return n;
}

bool hb__check_waits(struct hb__call *c)
{
	bool polls = c->fn->flags & HB_POLL, all;
	bool waits = c->fn->cls == HB_COMPLETE && c->fn->flags & HB_EVENT && c->fn->means->does != HB_DOES_FREE_REQUEST;
	if (!polls && !waits)
		return false;
	struct hb_lane_control *k = c->lane->control;
	uint64_t polling = polls ? (uint64_t)hb__slot_find(c)->id + 1 : 0;
	put(k, &k->polling, polling);
	put(k, &k->waits, list(c, k, &all));
	if (k->asked != k->events + 1)
		__atomic_store_n(&k->asked, k->events + 1, __ATOMIC_RELEASE);
	return all;
}
