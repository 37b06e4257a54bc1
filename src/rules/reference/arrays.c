/* Checksums of arrays at a point. */
#include <math.h>

#include "rules/reference/inside.h"

hb_tile hb__whole(const hb_check *c)
{
	hb_tile all;
	hb_tile_clear(&all);
	for (uint32_t i = 0; c->tile && i < c->shape->tiling.tiles; i++)
		hb_tile_add(&all, &c->tile[i]);
	return all;
}

double hb__tile_scale(const struct hb__known *known, const hb_tile *a, const hb_tile *b, uint64_t elements)
{
	double share = elements ? known->norm * sqrt((double)b->count / (double)elements) : 0;
	double own = sqrt(fmax(a->squares, b->squares));
	return fmax(share, own);
}

bool hb__tiles_differ(
	hb_reference *r, const hb_tile *a, const hb_tile *b, bool real, double scale, double *ret_distance)
{
	*ret_distance = 0;
	if (a->hash == b->hash && a->count == b->count)
		return false;
	*ret_distance = hb_tile_distance(a, b);
	if (!real || a->odd != b->odd || a->count != b->count)
		return true;
	double d = *ret_distance;
	/* not the other way round: a distance that is no number is no small one */
	bool equal = d <= r->tolerance.relative * scale || d <= r->tolerance.absolute * sqrt((double)b->count);
	if (equal) {
		r->sum.within++;
		if (scale > 0 && d / scale > r->sum.most)
			r->sum.most = d / scale;
	}
	return !equal;
}

/* Which processes have the tile, and whether it touches an edge between them. */
static bool owners(const hb_check *c, uint32_t tile, uint32_t *ret_owners, uint32_t *ret_first)
{
	bool edges = false;
	*ret_owners = 0;
	*ret_first = HB_NO;
	for (uint32_t i = 0; i < c->parts; i++) {
		bool owns, edge;
		hb_tile_at(c->part[i].shape, tile, &owns, &edge);
		if (owns && !(*ret_owners)++)
			*ret_first = c->part[i].process;
		edges = edges || edge;
	}
	return edges;
}

static void take_tiles(hb_reference *r, const struct hb__known *known, const hb_check *a, const hb_check *b,
	hb_reference_difference *d)
{
	const hb_tiling *tiling = &b->shape->tiling;
	bool real = hb_element_real(b->shape->as.type), nested = r->step[HB_OF_RUN].point.nested;
	d->edges = true;
	for (uint32_t i = 0; i < tiling->tiles; i++) {
		const hb_tile *x = &a->tile[i], *y = &b->tile[i];
		uint64_t whole = nested ? hb_tile_elements(b->shape, i) : 0;
		if (nested && (x->count != whole || y->count != whole)) {
			r->sum.partial += x->count || y->count;
			continue;
		}
		r->sum.tiles++;
		double scale = hb__tile_scale(known, x, y, d->whole[HB_OF_RUN].count), distance;
		if (!hb__tiles_differ(r, x, y, real, scale, &distance))
			continue;
		uint32_t n, first;
		d->edges = owners(b, i, &n, &first) && d->edges;
		if (!d->tiles++) {
			d->tile = i;
			d->at[HB_OF_REFERENCE] = *x;
			d->at[HB_OF_RUN] = *y;
			d->distance = distance;
			d->scale = scale;
			d->owners = n;
			d->owner = first;
		}
	}
	d->edges = d->edges && d->tiles;
}

static void failed(hb_reference *r, struct hb__known *known, const hb_check *c, unsigned side)
{
	hb_reference_difference d = hb__difference(r, HB_REFERENCE_FAILED);
	r->sum.failed++;
	d.side = side;
	d.again = known->failed[side];
	d.shape[side] = c->shape;
	d.state = c->state;
	d.process[side] = c->failed;
	d.access = c->access;
	known->failed[side] = true;
	if (!d.again)
		hb__reference_tell(r, &d);
}

/* What MPI was told of it does not make one array: in one run, or not the same one in both. Once. */
static void pieces(hb_reference *r, struct hb__known *known, const hb_check *a, const hb_check *b, unsigned side)
{
	if (known->boxed)
		return;
	known->boxed = true;
	hb_reference_difference d = hb__difference(r, HB_REFERENCE_PIECES);
	r->sum.pieces++;
	d.side = side;
	d.shape[0] = a ? a->shape : NULL;
	d.shape[1] = b ? b->shape : NULL;
	hb__reference_tell(r, &d);
}

static void boxes_differ(hb_reference *r, struct hb__known *known, const hb_check *a, const hb_check *b)
{
	if (known->boxed)
		return;
	known->boxed = true;
	hb_reference_difference d = hb__difference(r, HB_REFERENCE_BOX);
	r->sum.boxes++;
	d.side = a->fits && !b->fits ? HB_OF_RUN : !a->fits ? HB_OF_REFERENCE : HB_OF_RUN;
	d.shape[0] = a->shape;
	d.shape[1] = b->shape;
	/* of one run: the part that does not fit to the first one */
	const hb_check *own = !a->fits ? a : !b->fits ? b : NULL;
	for (uint32_t i = 0; own && i < own->parts; i++)
		if (!hb_same_box(own->part[i].shape, own->shape) || !own->part[i].shape->tiled) {
			d.shape[0] = own->shape;
			d.shape[1] = own->part[i].shape;
			d.process[0] = own->part[0].process;
			d.process[1] = own->part[i].process;
			break;
		}
	hb__reference_tell(r, &d);
}

/* Of a text all of an array is one tile. */
static void take_whole(hb_reference *r, const struct hb__known *known, const hb_check *b, hb_reference_difference *d)
{
	bool real = hb_element_real(b->shape->as.type);
	double scale = hb__tile_scale(known, &d->whole[0], &d->whole[1], d->whole[1].count);
	r->sum.tiles++;
	d->placeless = true;
	d->owner = HB_NO;
	d->at[0] = d->whole[0];
	d->at[1] = d->whole[1];
	d->scale = scale;
	d->tiles = hb__tiles_differ(r, &d->whole[0], &d->whole[1], real, scale, &d->distance);
}

/* One array of both runs. */
static bool pair(hb_reference *r, const hb_check *a, const hb_check *b)
{
	uint32_t process = a->apart && !(a->shape->flags & HB_TRACE_ARRAY_REPLICATED) ? a->process : HB_NO;
	struct hb__known *known = hb__reference_know(r, a->shape, process);
	if (!known)
		return false;
	if (a->state != HB_CHECKSUM_FINE)
		failed(r, known, a, HB_OF_REFERENCE);
	if (b->state != HB_CHECKSUM_FINE)
		failed(r, known, b, HB_OF_RUN);
	if (a->state != HB_CHECKSUM_FINE || b->state != HB_CHECKSUM_FINE)
		return true;
	if (!a->fits || !b->fits || !hb_same_box(a->shape, b->shape)) {
		if ((a->shape->flags | b->shape->flags) & HB_TRACE_ARRAY_TOLD)
			pieces(r, known, a, b, HB_OF_RUN);
		else
			boxes_differ(r, known, a, b);
		return true;
	}
	hb_reference_difference d = hb__difference(r, HB_REFERENCE_CHECKSUM);
	d.shape[0] = a->shape;
	d.shape[1] = b->shape;
	d.access = b->access;
	d.process[0] = a->apart ? a->process : HB_NO;
	d.process[1] = b->apart ? b->process : HB_NO;
	d.whole[0] = hb__whole(a);
	d.whole[1] = hb__whole(b);
	known->norm = fmax(known->norm, sqrt(fmax(d.whole[0].squares, d.whole[1].squares)));
	if ((a->shape->flags | b->shape->flags) & HB_TRACE_ARRAY_WHOLE)
		take_whole(r, known, b, &d);
	else
		take_tiles(r, known, a, b, &d);
	r->sum.arrays++;
	if (d.tiles) {
		d.again = known->differed;
		d.correct = known->correct;
		d.correct_construct = known->correct_construct;
		known->differed = true;
		hb__reference_tell(r, &d);
	} else if (!known->differed) {
		known->correct = d.point;
		known->correct_construct = d.construct[HB_OF_RUN];
	}
	return true;
}

/* In one of the runs only. */
static bool alone(hb_reference *r, const hb_check *c, unsigned side)
{
	if (c->own && hb_points_processes(r->points[0]) != hb_points_processes(r->points[1])) {
		r->sum.own++;
		return true;
	}
	/* within a task other processes may have it; the reference needs not have what another process did */
	if (r->step[side].point.nested)
		return true;
	struct hb__known *known = hb__reference_know(r, c->shape, c->apart ? c->process : HB_NO);
	if (!known)
		return false;
	if (known->missed[side])
		return true;
	known->missed[side] = true;
	hb_reference_difference d = hb__difference(r, HB_REFERENCE_UNKNOWN);
	r->sum.unknown++;
	d.side = !side;
	d.shape[side] = c->shape;
	d.access = c->access;
	hb__reference_tell(r, &d);
	return true;
}

/* Of each array once for all of its processes. */
static bool all_pieces(hb_reference *r, unsigned side)
{
	const hb_step *s = &r->step[side];
	for (size_t i = 0; i < s->checks; i++) {
		const hb_check *c = &s->check[i];
		struct hb__known *known = c->pieces ? hb__reference_know(r, c->shape, HB_NO) : NULL;
		if (c->pieces && !known)
			return false;
		if (known)
			pieces(r, known, side ? NULL : c, side ? c : NULL, side);
	}
	return true;
}

bool hb__reference_arrays(hb_reference *r)
{
	const hb_step *a = &r->step[HB_OF_REFERENCE], *b = &r->step[HB_OF_RUN];
	if (!hb__match(r) || !all_pieces(r, HB_OF_REFERENCE) || !all_pieces(r, HB_OF_RUN))
		return false;
	for (size_t i = 0; i < a->checks; i++) {
		bool copy = hb__first_copy(a, &a->check[i]) != NULL;
		if (!copy &&
			!(r->match[i] ? pair(r, &a->check[i], r->match[i]) : alone(r, &a->check[i], HB_OF_REFERENCE)))
			return false;
	}
	for (size_t i = 0; i < b->checks; i++)
		if (!r->taken[i] && !alone(r, &b->check[i], HB_OF_RUN))
			return false;
	return true;
}
