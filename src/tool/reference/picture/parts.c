/* An array at a point, from all traces of a run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "picture.h"

static bool alike(const hb_array_id *a, const hb_array_id *b)
{
	return a->ordinal == b->ordinal && a->name && b->name && !strcmp(a->name, b->name) &&
	       (!a->file || !b->file || !strcmp(a->file, b->file));
}

static void describe(hb_drawn *d, const hb_array_shape *s)
{
	if (d->boxes)
		return;
	d->tiling = s->tiling;
	d->type = s->as.type;
	memcpy(d->base, s->as.base, sizeof d->base);
}

/* Once: a process may have saved it and have a checksum of it. */
static int add_box(hb_drawn *d, const hb_array_shape *s, int32_t rank)
{
	hb_map_box box = {.name = hb__format("rank %d", (int)rank)};
	for (unsigned i = 0; i < s->as.rank; i++) {
		bool cyclic = s->as.block[i] > 0;
		box.first[i] = cyclic ? 0 : s->as.first[i];
		box.count[i] = cyclic ? s->as.global[i] : s->as.count[i];
	}
	for (size_t i = 0; i < d->boxes; i++)
		if (!strcmp(d->box[i].name, box.name) && !memcmp(d->box[i].first, box.first, sizeof box.first) &&
			!memcmp(d->box[i].count, box.count, sizeof box.count)) {
			free((char *)(uintptr_t)box.name);
			return 0;
		}
	hb_map_box *more = hb__resize(d->box, (d->boxes + 1) * sizeof *more);
	more[d->boxes++] = box;
	d->box = more;
	return 0;
}

/* No number, where there is one that says so. */
static void clear(hb_npy *a)
{
	uint64_t n = 0;
	hb__npy_elements(a, &n);
	bool two = a->type == HB_COMPLEX16 || a->type == HB_COMPLEX8;
	for (uint64_t i = 0; i < n << two; i++) {
		if (a->type == HB_REAL8 || a->type == HB_COMPLEX16)
			((double *)a->at)[i] = NAN;
		else if (a->type == HB_REAL4 || a->type == HB_COMPLEX8)
			((float *)a->at)[i] = NAN;
	}
}

static int make_whole(hb_drawn *d, const hb_array_shape *s)
{
	d->whole = (hb_npy){.type = s->as.type, .rank = s->as.rank, .columns = s->as.columns};
	memcpy(d->whole.extent, s->as.global, sizeof d->whole.extent);
	if (!hb__npy_make(&d->whole))
		return hb__fail_with(HB_EXIT_USAGE, "there is not enough memory for the array \"%s\"", s->id.name);
	clear(&d->whole);
	return 0;
}

/* What one process saved, at its place. */
static int put_part(hb_drawn *d, const hb_array_shape *s, const char *path)
{
	hb_npy part;
	char *why = NULL;
	if (!hb__npy_read(path, &part, &why)) {
		int code = hb__fail_with(HB_EXIT_RECORDING, "%s: %s", path, why);
		free(why);
		return code;
	}
	hb_array own = s->as;
	uint64_t n = 0, elements = 1;
	for (unsigned i = 0; i < own.rank; i++) {
		own.below[i] = own.above[i] = 0;
		elements *= (uint64_t)own.count[i];
	}
	int code = 0;
	if (!hb__npy_elements(&part, &n) || n != elements || part.type != own.type ||
		part.columns != (own.columns != 0))
		code = hb__fail_with(HB_EXIT_RECORDING, "%s is not what the trace says of it", path);
	unsigned bytes = hb_element_bytes(own.type);
	for (uint64_t i = 0; !code && i < n; i++) {
		int64_t index[HB_DIMENSIONS];
		bool owned, inside = true;
		hb_array_index(&own, (int64_t)i, index, &owned);
		for (unsigned k = 0; k < own.rank; k++)
			inside &= index[k] >= 0 && index[k] < own.global[k];
		if (inside)
			memcpy((char *)d->whole.at + hb__npy_offset(&d->whole, index) * bytes,
				(char *)part.at + i * bytes, bytes);
	}
	hb__npy_free(&part);
	return code;
}

static int saved(hb_drawn *d, const char *recording, const hb_points *points, const hb_step_trouble *t)
{
	hb_traced_process p;
	hb_points_process(points, t->process, &p);
	if (!t->shape->tiled || strchr(t->text, '/'))
		return 0;
	describe(d, t->shape);
	int code = d->whole.at ? 0 : make_whole(d, t->shape);
	char *path = hb__format("%s/%s", recording, t->text);
	code = code ? code : put_part(d, t->shape, path);
	code = code ? code : add_box(d, t->shape, p.rank);
	free(path);
	return code;
}

static void summed(hb_drawn *d, const hb_points *points, const hb_check *c)
{
	if (!c->tile || c->state != HB_CHECKSUM_FINE || d->tile)
		return;
	describe(d, c->shape);
	d->tile = hb__alloc(c->shape->tiling.tiles * sizeof *d->tile);
	memcpy(d->tile, c->tile, c->shape->tiling.tiles * sizeof *d->tile);
	for (uint32_t i = 0; i < c->parts && !d->whole.at; i++) {
		hb_traced_process p;
		hb_points_process(points, c->part[i].process, &p);
		add_box(d, c->part[i].shape, p.rank);
	}
}

int hb__read_drawn(const char *recording, const hb_array_id *id, const hb_point *at, hb_drawn *ret)
{
	hb_traced t;
	hb_step step;
	hb_error err = {0};
	int got = 0;
	*ret = (hb_drawn){0};
	int code = hb__open_traced(recording, recording, &t);
	while (!code && (got = hb_points_next(t.points, &step, &err)) > 0) {
		for (size_t i = 0; !code && i < step.troubles; i++)
			if (step.trouble[i].kind == HB_TRACE_SAVED && alike(&step.trouble[i].shape->id, id) &&
				hb_point_compare(&step.trouble[i].point, at) == HB_POINT_EQUAL)
				code = saved(ret, recording, t.points, &step.trouble[i]);
		if (hb_point_compare(&step.point, at) == HB_POINT_EQUAL)
			for (size_t i = 0; i < step.checks; i++)
				if (alike(&step.check[i].shape->id, id))
					summed(ret, t.points, &step.check[i]);
	}
	if (!code && got < 0)
		code = hb__fail_log(recording, &err);
	hb__close_traced(&t);
	return code;
}

void hb__drawn_free(hb_drawn *d)
{
	for (size_t i = 0; i < d->boxes; i++)
		free((char *)(uintptr_t)d->box[i].name);
	free(d->box);
	free(d->tile);
	hb__npy_free(&d->whole);
	*d = (hb_drawn){0};
}
