/* What went over the edge of the picture: to somebody who is not recorded, or from there. */
#include "base/grow.h"
#include "view/layout/parts.h"

bool hb__query_stubs(struct hb__query *q)
{
	const hb_model *m = q->layout->model;
	hb_picture *p = q->picture;
	size_t room = 0;
	for (size_t i = 0; i < p->nboxes && hb_model_get_info(m)->crossings && p->nstubs < q->most; i++) {
		const hb_box *b = &p->boxes[i];
		uint32_t n;
		const hb_crossing *c = hb_model_crossings_at(m, b->at, &n);
		for (uint32_t k = 0; k < n && p->nstubs < q->most; k++) {
			double x = c[k].in ? b->x1 : b->x0;
			if (x < q->from || x > q->to)
				continue;
			if (!HB_GROW(p->stubs, room, p->nstubs + 1))
				return false;
			p->stubs[p->nstubs++] = (hb_stub){.at = b->at,
				.x = x,
				.crossing = (uint32_t)(&c[k] - hb_model_crossings(m)),
				.in = c[k].in};
		}
	}
	return true;
}
