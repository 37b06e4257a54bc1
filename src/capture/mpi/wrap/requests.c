/* The life of requests beside their completion: start, cancel, free. */
#include "capture/mpi/wrap/step.h"

static void start_told(struct hb__call *c, const struct hb__request *r)
{
	if (r)
		hb__result_ref(c, r->made_lane, r->made);
}

static void started(struct hb__call *c, uintptr_t handle)
{
	struct hb__lane *lane = c->lane;
	struct hb__request *r = hb__request_find(handle);
	uint64_t posting = lane->posted++;
	if (!r)
		return;
	r->posting = posting;
	r->lane = lane->number;
	r->active = true;
	HB__TELL(posted, c, r, MPI_SUCCESS);
}

int hb__on_start(struct hb__call *c)
{
	MPI_Request *req = (MPI_Request *)hb__arg(c, HB_R_REQUEST);
	HB__NEED(req);
	hb__begin(c, false);
	HB__TELL(starting, c, hb__request_find((uintptr_t)*req));
	int code = HB__GO(start, c, req);
	if (code == MPI_SUCCESS) {
		if (!hb__config.order && hb__results(c, 2))
			start_told(c, hb__request_find((uintptr_t)*req));
		started(c, (uintptr_t)*req);
	}
	hb__end(c, code);
	return code;
}

int hb__on_startall(struct hb__call *c)
{
	int n = (int)hb__arg(c, HB_R_NREQ);
	MPI_Request *reqs = (MPI_Request *)hb__arg(c, HB_R_REQS);
	HB__NEED(n >= 0 && (reqs || !n));
	hb__begin(c, false);
	for (int i = 0; unlikely(hb__observers[0] != NULL) && i < n; i++)
		HB__TELL(starting, c, hb__request_find((uintptr_t)reqs[i]));
	int code = HB__GO(startall, c, n, reqs);
	if (code == MPI_SUCCESS) {
		if (!hb__config.order && n > 0 && hb__results(c, 2 * (size_t)n))
			for (int i = 0; i < n; i++)
				start_told(c, hb__request_find((uintptr_t)reqs[i]));
		for (int i = 0; i < n; i++)
			started(c, (uintptr_t)reqs[i]);
	}
	hb__end(c, code);
	return code;
}

/* Which posting the call is about. */
static void refer(struct hb__call *c, const struct hb__request *r)
{
	if (r && !hb__config.order && hb__results(c, 2))
		hb__result_ref(c, r->lane, r->posting);
}

int hb__on_cancel(struct hb__call *c)
{
	MPI_Request *req = (MPI_Request *)hb__arg(c, HB_R_REQUEST);
	HB__NEED(req);
	struct hb__request *r = hb__request_find((uintptr_t)*req);
	hb__begin(c, false);
	refer(c, r);
	int code = HB__GO(cancel, c);
	if (r && code == MPI_SUCCESS)
		r->cancelling = true;
	hb__end(c, code);
	return code;
}

int hb__on_request_free(struct hb__call *c)
{
	MPI_Request *req = (MPI_Request *)hb__arg(c, HB_R_REQUEST);
	HB__NEED(req);
	struct hb__request *r = hb__request_take((uintptr_t)*req, req);
	hb__begin(c, false);
	refer(c, r);
	if (r && r->active && r->wild) {
		static bool told;
		if (!told)
			hb__row_note(
				"an active wildcard receive was freed: it is not known what it received, so this cannot be replayed");
		told = true;
	}
	int code = HB__GO(free, c, r, req);
	if (r && code == MPI_SUCCESS)
		HB__TELL(freed, c, r, req);
	if (r && r->awaited && code == MPI_SUCCESS)
		hb__awaited_drop(r);
	if (r && code == MPI_SUCCESS)
		hb__request_remove(r);
	else
		hb__request_back(r);
	hb__end(c, code);
	return code;
}
