/* Messages that go the quick way: their requests, and rows that are not the plainest. */
#include "capture/mpi/wrap/step.h"

void hb__counted_receive(struct hb__lane *lane, const MPI_Request *request, int source, int tag)
{
	struct hb__request *r = hb__quick_track(lane, request);
	if (unlikely(!r))
		return;
	r->receive = true;
	r->source = hb__neutral_rank(source);
	r->tag = hb__neutral_tag(tag);
	r->wild = r->source != HB_PROC_NULL && (r->source == HB_ANY_SOURCE || r->tag == HB_ANY_TAG);
	r->bytes = r->source == HB_PROC_NULL ? 0 : -1;
}

int hb__quick_message(struct hb__lane *lane, struct hb__slot *slot, uint64_t exit, uint16_t check, const MPI_Status *st)
{
	int64_t results[3] = {hb__neutral_rank(st->MPI_SOURCE), hb__neutral_tag(st->MPI_TAG), hb__status_bytes(st)};
	hb__row_quick(lane, slot, lane->control->inside_enter, exit, check, results, 3);
	return hb__quick_over(lane, MPI_SUCCESS);
}

int hb__quick_failed(struct hb__lane *lane, struct hb__slot *slot, uint16_t check, const MPI_Status *st, int code)
{
	uint64_t exit = hb__counter_tick();
	int64_t results[3];
	struct hb__call c = {.fn = slot->fn,
		.lane = lane,
		.slot = slot,
		.enter = lane->control->inside_enter,
		.check = check,
		.results = results};
	int error = hb__error_class(code);
	if (st && c.fn->cls == HB_RECV && slot->answers != HB__TELLS_NOTHING &&
		error == 15 /* truncated: there was a message */)
		hb__result_message(&c, st);
	hb__row_event(&c, exit, error);
	return hb__quick_over(lane, code);
}

int hb__quick_end_unusual(struct hb__lane *lane, struct hb__slot *slot, uint64_t exit, uint16_t check)
{
	hb__row_unusual(lane, slot, lane->control->inside_enter, exit, check, NULL, 0);
	return hb__quick_over(lane, MPI_SUCCESS);
}

uint16_t hb__quick_look(struct hb__slot *s, uintptr_t buffer)
{
	return s->check_bytes ? hb__contents_seen(s, &s->seen, (const void *)buffer, s->check_bytes) : 0;
}

int hb__quick_sent_elsewhere(struct hb__lane *lane, struct hb__slot *s, uint64_t exit, uintptr_t buffer)
{
	return hb__quick_end(lane, s, exit, -1, hb__quick_look(s, buffer));
}

int hb__quick_send_failed(struct hb__lane *lane, struct hb__slot *slot, uintptr_t buffer, int code)
{
	return hb__quick_failed(lane, slot, hb__quick_look(slot, buffer), NULL, code);
}

int hb__quick_probed(struct hb__lane *lane, const struct hb__fn *fn, uintptr_t *a, const void *pc, const void *cfa,
	MPI_Status *st, int code)
{
	struct hb__call c = {.fn = fn, .a = a, .lane = lane, .pc = pc, .cfa = cfa};
	hb__iprobe_found(&c, st, code);
	lane->depth = 0;
	return code;
}
