/* The life of requests beside their completion: start, cancel, free. */
#include "capture/mpi/carry/carry.h"
#include "capture/mpi/check/check.h"
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
	if (unlikely(hb__carrying))
		hb__carry_started(r);
	if (unlikely(hb__checking))
		hb__check_posted(c, r);
}

int hb__on_start(struct hb__call *c)
{
	MPI_Request *req = (MPI_Request *)hb__arg(c, HB_R_REQUEST);
	HB__NEED(req);
	hb__begin(c, false);
	if (unlikely(hb__carrying))
		hb__carry_start(c, hb__request_find((uintptr_t)*req));
	int code = unlikely(hb__config.mode == HB__REPLAY) ? hb__again_start_one(c->lane, req) : hb__invoke_next(c);
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
	int n = (int)hb__arg(c, HB_R_NREQ), code = MPI_SUCCESS;
	MPI_Request *reqs = (MPI_Request *)hb__arg(c, HB_R_REQS);
	HB__NEED(n >= 0 && (reqs || !n));
	hb__begin(c, false);
	for (int i = 0; unlikely(hb__carrying) && i < n; i++)
		hb__carry_start(c, hb__request_find((uintptr_t)reqs[i]));
	if (likely(hb__config.mode == HB__RECORD)) {
		code = hb__invoke_next(c);
	} else {
		uint64_t posted = c->lane->posted;
		for (int i = 0; i < n && code == MPI_SUCCESS; i++) {
			c->lane->posted = posted + (uint64_t)i;
			code = hb__again_start_one(c->lane, &reqs[i]);
		}
		c->lane->posted = posted;
	}
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
	int code = unlikely(hb__config.mode == HB__REPLAY) ? hb__again_cancel(c) : hb__invoke_next(c);
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
	bool adopted = unlikely(hb__carrying) && r && hb__carry_adopt(r, req);
	int code = unlikely(hb__config.mode == HB__REPLAY) ? hb__again_free(c, r)
		   : unlikely(adopted)                     ? MPI_SUCCESS
							   : hb__invoke_next(c);
	if (unlikely(hb__carrying) && r && code == MPI_SUCCESS)
		hb__carry_freed(c, r);
	if (unlikely(hb__checking) && r && code == MPI_SUCCESS)
		hb__check_request_freed(c, r, req);
	if (r && r->awaited && code == MPI_SUCCESS)
		hb__awaited_drop(r);
	if (r && code == MPI_SUCCESS)
		hb__request_remove(r);
	else
		hb__request_back(r);
	hb__end(c, code);
	return code;
}
