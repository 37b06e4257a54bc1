/* Order that comes from no message and no collective: post, start, complete and wait of windows, processes that make others. */
#include "base/grow.h"
#include "view/layout/parts.h"

static bool in_window(const struct hb__query *q, const hb_edge *e, double *ret_x0, double *ret_x1)
{
	const hb_layout *l = q->layout;
	if (q->hidden[e->from.line] || q->hidden[e->to.line] || !(q->wanted[e->from.line] || q->wanted[e->to.line]))
		return false;
	*ret_x0 = hb__enter(&l->track[e->from.line], q->axis, e->from.event - 1);
	*ret_x1 = hb__exit(&l->track[e->to.line], q->axis, e->to.event - 1);
	double low = *ret_x0 < *ret_x1 ? *ret_x0 : *ret_x1, high = *ret_x0 < *ret_x1 ? *ret_x1 : *ret_x0;
	return high >= q->from && low <= q->to;
}

/* Of too many every 2nd, 3rd, ... is drawn, and says for how many it stands. */
bool hb__query_edges(struct hb__query *q)
{
	const hb_edge *edge = hb_model_edges(q->layout->model);
	hb_picture *p = q->picture;
	uint32_t n = q->layout->info->edges, seen = 0, every = 1, k = 0;
	size_t room = p->narrows;
	double x0, x1;
	for (uint32_t i = 0; i < n; i++)
		seen += in_window(q, &edge[i], &x0, &x1);
	every = (seen + q->most - 1) / q->most;
	for (uint32_t i = 0; i < n && seen; i++) {
		if (!in_window(q, &edge[i], &x0, &x1) || k++ % every)
			continue;
		if (!HB_GROW(p->arrows, room, p->narrows + 1))
			return false;
		p->arrows[p->narrows++] = (hb_arrow){.from = edge[i].from,
			.to = edge[i].to,
			.x0 = x0,
			.x1 = x1,
			.send = HB_NO,
			.merged = every < seen - k + 1 ? every : seen - k + 1,
			.flags = HB_ARROW_ORDER};
	}
	return true;
}
