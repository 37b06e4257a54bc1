/* Arrays as processes have them, each kept once. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "model/points/inside.h"

#define LOOKED_AT 64 /* the latest shapes, among which the same one is looked for */

static bool same_text(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

static bool same(const hb_array_shape *s, const hb_trace_array *a)
{
	const size_t from = offsetof(hb_array, base);
	return s->flags == a->flags && s->id.line == a->id.line && s->id.ordinal == a->id.ordinal &&
	       s->as.type == a->as.type && s->as.rank == a->as.rank &&
	       !memcmp((const char *)&s->as + from, (const char *)&a->as + from, sizeof s->as - from) &&
	       same_text(s->id.name, a->id.name) && same_text(s->id.file, a->id.file ? a->id.file : "");
}

const hb_array_shape *hb__shape_of(hb_points *p, const hb_trace_array *a)
{
	for (size_t i = p->shapes; i-- && p->shapes - i <= LOOKED_AT;)
		if (same(p->shape[i], a))
			return p->shape[i];
	hb_array_shape *s = calloc(1, sizeof *s);
	if (!s || !HB_GROW(p->shape, p->shapes_room, p->shapes + 1)) {
		free(s);
		return NULL;
	}
	p->shape[p->shapes++] = s;
	s->as = a->as;
	s->id = (hb_array_id){
		strdup(a->id.name ? a->id.name : ""), strdup(a->id.file ? a->id.file : ""), a->id.line, a->id.ordinal};
	s->as.name = s->id.name;
	s->flags = a->flags;
	s->tiled = a->tiled;
	s->tiling = a->tiling;
	return s->id.name && s->id.file ? s : NULL;
}

void hb__shapes_free(hb_points *p)
{
	for (size_t i = 0; i < p->shapes; i++) {
		free(p->shape[i]->id.name);
		free(p->shape[i]->id.file);
		free(p->shape[i]);
	}
	free(p->shape);
}

bool hb_same_box(const hb_array_shape *a, const hb_array_shape *b)
{
	if (a == b)
		return true;
	if (a->as.type != b->as.type || a->as.rank != b->as.rank || a->tiled != b->tiled ||
		a->as.columns != b->as.columns)
		return false;
	return !memcmp(a->as.global, b->as.global, a->as.rank * sizeof *a->as.global);
}

uint64_t hb_tile_elements(const hb_array_shape *shape, uint32_t tile)
{
	int64_t first[HB_DIMENSIONS], count[HB_DIMENSIONS];
	bool complex = shape->as.type == HB_COMPLEX16 || shape->as.type == HB_COMPLEX8;
	uint64_t n = complex ? 2 : 1;
	hb_tile_box(&shape->tiling, tile, first, count);
	for (unsigned d = 0; d < shape->tiling.rank; d++)
		n *= (uint64_t)count[d];
	return n;
}

/* Of one dimension: whether the process's elements of it meet [first, first + count), and whether they end there where others go on. */
static void meet(const hb_array *a, unsigned d, int64_t first, int64_t count, bool *ret_meets, bool *ret_edge)
{
	int64_t own = a->first[d], owns = a->count[d];
	bool whole = true;
	for (unsigned i = 0; i < a->rank; i++)
		whole = whole && !a->count[i];
	if (a->block[d]) {
		*ret_meets = true;
		*ret_edge = a->over[d] > 1;
		return;
	}
	if (whole) {
		own = 0;
		owns = a->global[d];
	}
	*ret_meets = own < first + count && first < own + owns;
	/* an edge is between two elements: it touches the tile that has one of them */
	bool low = own > 0 && own >= first && own <= first + count,
	     high = own + owns < a->global[d] && own + owns >= first && own + owns <= first + count;
	*ret_edge = low || high;
}

void hb_tile_at(const hb_array_shape *s, uint32_t tile, bool *ret_owns, bool *ret_edge)
{
	int64_t first[HB_DIMENSIONS], count[HB_DIMENSIONS];
	*ret_owns = s->tiled && tile < s->tiling.tiles;
	*ret_edge = false;
	if (!*ret_owns)
		return;
	hb_tile_box(&s->tiling, tile, first, count);
	for (unsigned d = 0; d < s->as.rank; d++) {
		bool meets, edge;
		meet(&s->as, d, first[d], count[d], &meets, &edge);
		*ret_owns = *ret_owns && meets;
		*ret_edge = *ret_edge || edge;
	}
	*ret_edge = *ret_edge && *ret_owns;
}
