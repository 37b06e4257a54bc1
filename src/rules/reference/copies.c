/* Copies of a replicated array within the run: all have to agree with the first one. */
#include <math.h>

#include "rules/reference/inside.h"

static void copy(hb_reference *r, struct hb__known *known, const hb_check *a, const hb_check *b)
{
	hb_reference_difference d = hb__difference(r, HB_REFERENCE_COPIES);
	bool real = hb_element_real(b->shape->as.type);
	d.shape[0] = a->shape;
	d.shape[1] = b->shape;
	d.access = b->access;
	d.process[0] = a->process;
	d.process[1] = b->process;
	d.whole[0] = hb__whole(a);
	d.whole[1] = hb__whole(b);
	known->norm = fmax(known->norm, sqrt(fmax(d.whole[0].squares, d.whole[1].squares)));
	for (uint32_t i = 0; i < b->shape->tiling.tiles; i++) {
		double scale = hb__tile_scale(known, &a->tile[i], &b->tile[i], d.whole[1].count), distance;
		r->sum.tiles++;
		if (hb__tiles_differ(r, &a->tile[i], &b->tile[i], real, scale, &distance) && !d.tiles++) {
			d.tile = i;
			d.at[0] = a->tile[i];
			d.at[1] = b->tile[i];
			d.distance = distance;
			d.scale = scale;
			d.owners = 1;
			d.owner = b->process;
		}
	}
	if (!d.tiles) {
		if (!known->differed) {
			known->correct = d.point;
			known->correct_construct = d.construct[HB_OF_RUN];
		}
		return;
	}
	d.again = known->differed;
	d.correct = known->correct;
	d.correct_construct = known->correct_construct;
	known->differed = true;
	hb__reference_tell(r, &d);
}

bool hb__reference_copies(hb_reference *r)
{
	const hb_step *s = &r->step[HB_OF_RUN];
	for (size_t i = 0; i < s->checks; i++) {
		const hb_check *b = &s->check[i];
		const hb_check *a = hb__first_copy(s, b);
		/* of the first one and another one: what is known of them stands under the process of the other */
		struct hb__known *known = a ? hb__reference_know(r, b->shape, b->process) : NULL;
		if (a && !known)
			return false;
		if (a && a->tile && b->tile && hb_same_box(a->shape, b->shape))
			copy(r, known, a, b);
	}
	return true;
}
