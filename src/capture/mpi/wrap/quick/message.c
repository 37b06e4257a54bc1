/* Messages that go the quick way: their requests, and rows that are not the plainest. */
#include "capture/mpi/wrap/step.h"

static inline __attribute__((always_inline)) struct hb__request *track(
	struct hb__lane *lane, const MPI_Request *request)
{
	struct hb__request *r = hb__request_add(lane, (uintptr_t)*request, request, false);
	if (likely(r))
		r->message = true;
	return r;
}

void hb__quick_track(struct hb__lane *lane, const MPI_Request *request) { track(lane, request); }

void hb__quick_track_receive(
	struct hb__lane *lane, const struct hb__slot *slot, const MPI_Request *request, unsigned source, unsigned tag)
{
	struct hb__request *r = track(lane, request);
	if (unlikely(!r))
		return;
	r->receive = true;
	r->source = (int32_t)slot->arg[source];
	r->tag = (int32_t)slot->arg[tag];
	r->wild = slot->answers == HB__TELLS_MESSAGE;
	r->bytes = slot->answers == HB__TELLS_NOTHING ? 0 : slot->bytes;
}

void hb__counted_receive(struct hb__lane *lane, const MPI_Request *request, int source, int tag)
{
	struct hb__request *r = track(lane, request);
	if (unlikely(!r))
		return;
	r->receive = true;
	r->source = hb__neutral_rank(source);
	r->tag = hb__neutral_tag(tag);
	r->wild = r->source != HB_PROC_NULL && (r->source == HB_ANY_SOURCE || r->tag == HB_ANY_TAG);
	r->bytes = r->source == HB_PROC_NULL ? 0 : -1;
}

void hb__quick_message(struct hb__quick q, uint64_t exit, uint16_t check, const MPI_Status *st)
{
	int64_t results[3] = {hb__neutral_rank(st->MPI_SOURCE), hb__neutral_tag(st->MPI_TAG), hb__status_bytes(st)};
	hb__row_quick(q.lane, q.slot, q.enter, exit, check, results, 3);
}

void hb__quick_failed(struct hb__quick q, uint64_t exit, uint16_t check, const MPI_Status *st, int code)
{
	int64_t results[3];
	struct hb__call c = {
		.fn = q.slot->fn, .lane = q.lane, .slot = q.slot, .enter = q.enter, .check = check, .results = results};
	int error = hb__error_class(code);
	if (st && c.fn->cls == HB_RECV && q.slot->answers != HB__TELLS_NOTHING &&
		error == 15 /* truncated: there was a message */)
		hb__result_message(&c, st);
	hb__row_event(&c, exit, error);
}

int hb__quick_probed(struct hb__lane *lane, const struct hb__fn *fn, uintptr_t *a, const void *pc, const void *cfa,
	MPI_Status *st, int code)
{
	struct hb__call c = {.fn = fn, .a = a, .lane = lane, .pc = pc, .cfa = cfa};
	hb__iprobe_found(&c, st, code);
	lane->depth = 0;
	return code;
}
