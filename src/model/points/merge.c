/* What several processes told of one point becomes one step. */
#include <string.h>

#include "base/grow.h"
#include "model/points/inside.h"

void hb__merge_begin(hb_points *p) { p->checks = p->parts = p->tiles = p->accesses = p->troubles = p->guess = 0; }

static bool is_apart(const hb_array_shape *s)
{
	return (s->flags & (HB_TRACE_ARRAY_REPLICATED | HB_TRACE_ARRAY_OWN)) != 0;
}

static bool same_array(const hb_array_shape *a, const hb_array_shape *b)
{
	return a == b || (a->id.line == b->id.line && a->id.ordinal == b->id.ordinal &&
				 !strcmp(a->id.name, b->id.name) && !strcmp(a->id.file, b->id.file));
}

/* The check that another process began for the same array, or NULL. */
static struct hb__merged *find(hb_points *p, const hb_array_shape *s)
{
	if (is_apart(s))
		return NULL;
	for (size_t i = 0; i < p->checks; i++) {
		struct hb__merged *m = &p->merged[(p->guess + i) % p->checks];
		if (!m->check.apart && same_array(m->check.shape, s)) {
			p->guess = (size_t)(m - p->merged) + 1;
			return m;
		}
	}
	return NULL;
}

static struct hb__merged *make(hb_points *p, uint32_t process, const hb_array_shape *s)
{
	uint32_t tiles = s->tiled ? s->tiling.tiles : 0;
	if (!HB_GROW(p->merged, p->merged_room, p->checks + 1) ||
		!HB_GROW(p->tile, p->tiles_room, p->tiles + tiles + 1))
		return NULL;
	struct hb__merged *m = &p->merged[p->checks++];
	*m = (struct hb__merged){.check = {.shape = s,
					 .apart = is_apart(s),
					 .own = (s->flags & HB_TRACE_ARRAY_OWN) != 0,
					 .process = process,
					 .state = HB_CHECKSUM_FINE,
					 .fits = s->tiled},
		.tile = p->tiles};
	for (uint32_t i = 0; i < tiles; i++)
		hb_tile_clear(&p->tile[p->tiles++]);
	return m;
}

static bool merge_check(hb_points *p, uint32_t process, const struct hb__told *told)
{
	const struct hb__process *of = &p->process[process];
	struct hb__merged *m = find(p, told->shape);
	m = m ? m : make(p, process, told->shape);
	if (!m || !HB_GROW(p->joined, p->joined_room, p->parts + 1))
		return false;
	p->joined[p->parts++] = (struct hb__joined){(size_t)(m - p->merged), {process, told->shape}, told};
	hb_check *c = &m->check;
	c->access |= told->access;
	c->parts++;
	c->fits = c->fits && told->shape->tiled && hb_same_box(c->shape, told->shape);
	if (told->state != HB_CHECKSUM_FINE && c->state == HB_CHECKSUM_FINE) {
		c->state = told->state;
		c->failed = process;
	}
	for (uint32_t i = 0; i < told->tiles && c->fits; i++)
		hb_tile_add(&p->tile[m->tile + of->tile_number[told->tile + i]], &of->tile[told->tile + i]);
	return true;
}

static bool merge_rest(hb_points *p, uint32_t process, const struct hb__upto *from, const struct hb__upto *to)
{
	const struct hb__process *of = &p->process[process];
	size_t accesses = to->accesses - from->accesses, troubles = to->troubles - from->troubles;
	if (!HB_GROW(p->access, p->accesses_room, p->accesses + accesses + 1) ||
		!HB_GROW(p->trouble, p->troubles_room, p->troubles + troubles + 1))
		return false;
	for (size_t i = 0; i < accesses; i++) {
		hb_access *a = &p->access[p->accesses++];
		*a = of->access[from->accesses + i];
		a->process = process;
		a->iteration = of->index + a->at;
	}
	for (size_t i = 0; i < troubles; i++) {
		p->trouble[p->troubles] = of->trouble[from->troubles + i];
		p->trouble[p->troubles++].process = process;
	}
	return true;
}

bool hb__merge(hb_points *p, uint32_t process, size_t stop)
{
	const struct hb__process *of = &p->process[process];
	const struct hb__upto *from = &of->stop[stop].from, *to = &of->stop[stop].to;
	for (size_t i = from->told; i < to->told; i++)
		if (!merge_check(p, process, &of->told[i]))
			return false;
	return merge_rest(p, process, from, to);
}

/* ---- arrays of which processes told MPI, and nobody that they are one ---- */

/* All parts are of one global box, and have each of its elements once: as many, tile by tile. */
static bool is_one(const hb_points *p, const struct hb__merged *m)
{
	const hb_check *c = &m->check;
	if (!c->fits)
		return false;
	for (uint32_t i = 0; i < c->shape->tiling.tiles; i++)
		if (p->tile[m->tile + i].count != hb_tile_elements(c->shape, i))
			return false;
	return true;
}

/* The check becomes one of its first process, and there is one more for each other process. */
static bool take_apart(hb_points *p, size_t check)
{
	uint32_t parts = p->merged[check].check.parts;
	for (size_t i = 0, k = 0; i < p->parts && k < parts; i++) {
		struct hb__joined *j = &p->joined[i];
		if (j->check != check)
			continue;
		const struct hb__process *of = &p->process[j->part.process];
		struct hb__merged *m = make(p, j->part.process, j->part.shape);
		if (!m)
			return false;
		hb_check *c = &m->check;
		c->apart = c->own = c->pieces = true;
		c->access = j->told->access;
		c->state = j->told->state;
		c->failed = j->part.process;
		c->parts = 1;
		for (uint32_t n = 0; n < j->told->tiles && c->fits; n++)
			hb_tile_add(
				&p->tile[m->tile + of->tile_number[j->told->tile + n]], &of->tile[j->told->tile + n]);
		if (k++) {
			j->check = p->checks - 1;
		} else {
			p->merged[check] = *m;
			p->checks--;
		}
	}
	return true;
}

static bool take_all_apart(hb_points *p)
{
	for (size_t i = 0, n = p->checks; i < n; i++) {
		const struct hb__merged *m = &p->merged[i];
		bool told = m->check.shape->flags & HB_TRACE_ARRAY_TOLD && !m->check.apart;
		if (told && m->check.state == HB_CHECKSUM_FINE && !is_one(p, m) && !take_apart(p, i))
			return false;
	}
	return true;
}

bool hb__merge_end(hb_points *p, bool nested, hb_step *step)
{
	/* in a task the others have their parts elsewhere */
	if (!nested && !take_all_apart(p))
		return false;
	if (!HB_GROW(p->check, p->check_room, p->checks + 1) || !HB_GROW(p->part, p->part_room, p->parts + 1))
		return false;
	size_t next = 0;
	for (size_t i = 0; i < p->checks; i++) {
		hb_check *c = &p->check[i];
		*c = p->merged[i].check;
		c->tile = c->fits && c->state == HB_CHECKSUM_FINE ? &p->tile[p->merged[i].tile] : NULL;
		c->part = &p->part[next];
		next += c->parts;
		c->parts = 0;
	}
	for (size_t i = 0; i < p->parts; i++) {
		hb_check *c = &p->check[p->joined[i].check];
		c->part[c->parts++] = p->joined[i].part;
	}
	step->check = p->check;
	step->checks = p->checks;
	step->access = p->access;
	step->accesses = p->accesses;
	step->trouble = p->trouble;
	step->troubles = p->troubles;
	return true;
}
