/* Two runs in step. */
#include "rules/reference/reference.h"

#include <stdlib.h>
#include <string.h>

#include "rules/reference/inside.h"

static int no_memory(hb_error *err)
{
	if (err)
		*err = (hb_error){.status = HB_E_MEMORY, .message = "out of memory"};
	return HB_E_MEMORY;
}

hb_status hb_reference_open(hb_points *reference, hb_points *run, const hb_reference_tolerance *tolerance,
	hb_reference_visit *visit, void *user, hb_reference **ret, hb_error *err)
{
	hb_reference *r = calloc(1, sizeof *r);
	*ret = r;
	if (!r)
		return no_memory(err);
	r->points[HB_OF_REFERENCE] = reference;
	r->points[HB_OF_RUN] = run;
	r->tolerance = *tolerance;
	r->visit = visit;
	r->user = user;
	return HB_OK;
}

void hb_reference_close(hb_reference *r)
{
	if (!r)
		return;
	free(r->known);
	free(r->keyed[0]);
	free(r->keyed[1]);
	free(r->wrong);
	free(r->match);
	free(r->taken);
	free(r);
}

const hb_reference_sum *hb_reference_get_sum(const hb_reference *r) { return &r->sum; }

hb_reference_difference hb__difference(const hb_reference *r, hb_reference_kind kind)
{
	const hb_step *a = &r->step[HB_OF_REFERENCE], *b = &r->step[HB_OF_RUN];
	return (hb_reference_difference){.kind = kind,
		.side = HB_OF_RUN,
		.point = b->point,
		.construct = {a->construct, b->construct},
		.process = {HB_NO, HB_NO}};
}

void hb__reference_tell(hb_reference *r, const hb_reference_difference *d)
{
	if (d->kind < HB_REFERENCE_DIFFERS) {
		r->sum.differences += !d->again;
		r->sum.again += d->again;
	}
	r->visit(r->user, d);
}

/* What the tracers said. */
static void troubles(hb_reference *r, unsigned side)
{
	for (size_t i = 0; i < r->step[side].troubles; i++) {
		hb_reference_difference d = hb__difference(r, HB_REFERENCE_TROUBLE);
		d.side = side;
		d.trouble = &r->step[side].trouble[i];
		d.process[side] = d.trouble->process;
		d.shape[side] = d.trouble->shape;
		hb__reference_tell(r, &d);
	}
}

/* Whether all processes of one run came by the same construct. */
static bool together(hb_reference *r, unsigned side)
{
	const hb_step *s = &r->step[side];
	if (s->other == HB_NO && s->absent == HB_NO)
		return true;
	bool other = s->other != HB_NO;
	hb_reference_difference d = hb__difference(r, other ? HB_REFERENCE_PROCESSES : HB_REFERENCE_SHORTER);
	d.side = side;
	d.point = s->point;
	d.construct[0] = s->construct;
	d.construct[1] = other ? s->other_construct : NULL;
	d.process[0] = s->process;
	d.process[1] = other ? s->other : s->absent;
	hb__reference_tell(r, &d);
	return false;
}

/* Whether both runs stand at the same construct. */
static bool same_place(hb_reference *r)
{
	const hb_step *a = &r->step[HB_OF_REFERENCE], *b = &r->step[HB_OF_RUN];
	bool ends = !a->point.number || !b->point.number, both = !a->point.number && !b->point.number;
	bool same = both || (!ends && hb_point_compare(&a->point, &b->point) == HB_POINT_EQUAL &&
				    hb_same_construct(a->construct, b->construct));
	if (same)
		return true;
	hb_reference_difference d = hb__difference(r, ends ? HB_REFERENCE_SHORTER : HB_REFERENCE_CONSTRUCT);
	d.side = a->point.number ? HB_OF_RUN : HB_OF_REFERENCE;
	d.point = a->point.number ? a->point : b->point;
	d.correct = r->sum.last;
	hb__reference_tell(r, &d);
	return false;
}

/* 1: both steps are there. */
static int fetch(hb_reference *r, hb_error *err)
{
	for (unsigned side = 0; side < 2; side++) {
		if (r->have[side])
			continue;
		int got = hb_points_next(r->points[side], &r->step[side], err);
		if (got <= 0)
			return got;
		r->have[side] = true;
		troubles(r, side);
	}
	return 1;
}

int hb_reference_step(hb_reference *r, hb_error *err)
{
	if (r->sum.stopped || r->sum.done)
		return 0;
	int got = fetch(r, err);
	if (got <= 0)
		return got;
	bool all = together(r, HB_OF_REFERENCE);
	all = together(r, HB_OF_RUN) && all;
	if (!all || !same_place(r)) {
		r->sum.stopped = true;
		return 1;
	}
	if (!hb__reference_arrays(r) || !hb__reference_copies(r) || !hb__reference_values(r) ||
		!hb__reference_results(r))
		return no_memory(err);
	const hb_step *b = &r->step[HB_OF_RUN];
	if (b->point.number) {
		r->sum.last = b->point;
		r->sum.points++;
	}
	r->sum.done = !b->point.number;
	r->have[0] = r->have[1] = false;
	return 1;
}
