/* Requests started, waited for, freed and cancelled in the wrong state. */
#include "rules/lifecycle/parts.h"

static hb_status about(hb_case *c, hb_finding_id id, const hb_remark *r, const char *role, const char *advice,
	const char *sentence, hb_error *err)
{
	const char *fn = r->call->fn;
	const char *made = r->request->madefn;
	hb_point points[] = {hb__call_point(c, r, role),
		hb__other_point(r, r->request->made, r->request->madefn, "made the request")};
	return hb__finding(
		c, id, false, advice, points, 2, err, "rank %s: %s %s, of %s", hb__named_of(c, r), fn, sentence, made);
}

/* Waiting came first, then it was started all the same. */
static bool started_later(const hb_case *c, const hb_remark *r)
{
	for (size_t i = 0; i < c->remarks->n; i++) {
		const hb_remark *s = &c->remarks->at[i];
		if (s->word == HB_REMARK_STARTED && s->process == r->process &&
			hb_remark_same_request(s->request->req, r->request->req))
			return true;
	}
	return false;
}

hb_status hb__told_unstarted(hb_case *c, const hb_remark *r, hb_error *err)
{
	if (started_later(c, r))
		return HB_OK;
	return about(c, HB_REQUEST_INACTIVE, r, "waits for it",
		"Call MPI_Start or MPI_Startall before waiting: without it nothing is sent or received.",
		"waits for a persistent request that is never started", err);
}

hb_status hb__told_start(hb_case *c, const hb_remark *r, hb_error *err)
{
	if (r->word == HB_REMARK_START_OTHER)
		return about(c, HB_REQUEST_ACTIVE, r, "starts it",
			"Start only requests made by calls whose name ends in _init; this one has been active since it was made.",
			"starts a request that is not persistent", err);
	if (r->request->twice)
		return about(c, HB_REQUEST_ACTIVE, r, "starts it twice", "Name each request once in the array.",
			"names a request twice in its array, so that it is started while it is active", err);
	return about(c, HB_REQUEST_ACTIVE, r, "starts it again",
		"Complete the request (MPI_Wait, MPI_Test) before it is started again.",
		"starts a request that is active", err);
}

hb_status hb__told_free_active(hb_case *c, const hb_remark *r, hb_error *err)
{
	return about(c, HB_REQUEST_ACTIVE, r, "frees it",
		"Complete it with MPI_Wait or MPI_Test: only point-to-point requests may be freed while they are active.",
		"frees an active request that must be completed", err);
}

hb_status hb__told_cancel(hb_case *c, const hb_remark *r, hb_error *err)
{
	return about(c, HB_REQUEST_ACTIVE, r, "cancels it",
		"Complete it with MPI_Wait or MPI_Test: only point-to-point requests may be cancelled.",
		"cancels a request that cannot be cancelled", err);
}

hb_status hb__told_free_receive(hb_case *c, const hb_remark *r, hb_error *err)
{
	return about(c, HB_REQUEST_LOST, r, "frees it",
		"Complete the receive with MPI_Wait or MPI_Test: once it is freed, nothing tells when its buffer holds the message.",
		"frees a receive that has not completed", err);
}
