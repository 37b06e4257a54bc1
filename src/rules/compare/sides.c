/* Whether a call gives contents at its process, and gets some: hbdb-recording(5), CONTENTS. */
#include "calls/calls.h"
#include "internal.h"

/* Between two groups what one gives the other gets. */
static void between(const hb_event *ev, bool *ret_gives, bool *ret_gets)
{
	bool out = ev->means->moves == HB_MOVES_CAST || ev->means->moves == HB_MOVES_SCATTER;
	if (!ev->means->rooted) {
		*ret_gives = *ret_gets = true;
	} else if (ev->peer != HB_PROC_NULL) {
		*ret_gives = (ev->peer == HB_ROOT) == out;
		*ret_gets = !*ret_gives;
	}
}

static void within(const hb_event *ev, uint32_t rank, bool *ret_gives, bool *ret_gets)
{
	bool root = ev->means->rooted && ev->peer == (int64_t)rank;
	*ret_gives = *ret_gets = true;
	switch (ev->means->moves) {
	case HB_MOVES_CAST:
		*ret_gives = root;
		*ret_gets = !root;
		break;
	case HB_MOVES_SCATTER:
		*ret_gives = root;
		break;
	case HB_MOVES_REDUCE:
		*ret_gets = ev->means->order == HB_ORDER_EXSCAN ? rank != 0 : !ev->means->rooted || root;
		break;
	case HB_MOVES_GATHER:
		*ret_gets = !ev->means->rooted || root;
		break;
	default:
		break;
	}
}

void hb__sides_of(const struct hb__side *s, bool *ret_gives, bool *ret_gets)
{
	const hb_event *ev = &s->ev;
	*ret_gives = *ret_gets = false;
	if (ev->means->flags & HB_PERSISTENT || !ev->bytes)
		return;
	if (ev->means->cls == HB_SEND || (ev->means->cls == HB_RECV && ev->means->does == HB_DOES_RECEIVE &&
						 ev->row->has_digest)) /* the combined calls */
		*ret_gives = ev->peer >= 0;
	const hb_comm *comm =
		ev->means->cls == HB_COLLECTIVE && ev->comm >= 0 ? hb_log_comm(s->log, (uint32_t)ev->comm) : NULL;
	if (!comm || ev->means->moves == HB_MOVES_NOTHING)
		return;
	if (ev->means->topology != HB_TOPOLOGY_NONE)
		*ret_gives = *ret_gets = true;
	else if (comm->flags & 1)
		between(ev, ret_gives, ret_gets);
	else
		within(ev, comm->rank, ret_gives, ret_gets);
	if (ev->means->flags & HB_NONBLOCKING) /* it is told when it is over */
		*ret_gets = false;
}
