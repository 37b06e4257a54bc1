/* Spans of the program itself, from their begin to their end. Those of one depth do not overlap along a line, so each depth has an
 * array in which both ends grow. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "model/spans.h"
#include "view/layout/parts.h"

bool hb__span_take(struct hb__span_reader *r, int what, uint32_t function, uint32_t event)
{
	size_t ends = what < 0 ? hb_span_ends(&r->open, function) : 0;
	if (what > 0) {
		if (!HB_GROW(r->all, r->room, r->n + 1))
			return false;
		uint32_t depth = r->open.n < HB__DEPTHS ? (uint32_t)r->open.n : HB__DEPTHS;
		r->all[r->n] =
			(struct hb__span){.begin = event, .function = (uint16_t)function, .depth = (uint16_t)depth};
		return hb_span_begin(&r->open, function, (uint32_t)r->n++);
	}
	for (; ends; ends--)
		r->all[r->open.at[--r->open.n].event].end = event;
	return true;
}

/* By depth, then as they began. Deeper ones than are drawn are left out. */
bool hb__span_end(struct hb__span_reader *r, struct hb__track *t)
{
	uint32_t n[HB__DEPTHS + 2] = {0};
	bool good = true;
	for (size_t i = 0; i < r->n; i++)
		n[r->all[i].depth + 1]++;
	for (uint32_t d = 0; d <= HB__DEPTHS; d++)
		n[d + 1] += n[d];
	if (n[HB__DEPTHS]) {
		t->span = malloc(n[HB__DEPTHS] * sizeof *t->span);
		t->span_depth = malloc((HB__DEPTHS + 1) * sizeof *t->span_depth);
		good = t->span && t->span_depth;
		if (good)
			memcpy(t->span_depth, n, (HB__DEPTHS + 1) * sizeof *t->span_depth);
	}
	for (size_t i = 0; i < r->n && good && t->span; i++)
		if (r->all[i].depth < HB__DEPTHS)
			t->span[n[r->all[i].depth]++] = r->all[i];
	free(r->all);
	free(r->open.at);
	*r = (struct hb__span_reader){0};
	return good;
}

uint32_t hb_layout_depth(const hb_layout *l, uint32_t line)
{
	const struct hb__track *t = &l->track[line];
	uint32_t depth = 0;
	while (t->span && depth < HB__DEPTHS && t->span_depth[depth + 1] > t->span_depth[depth])
		depth++;
	return depth;
}

/* ---- a question ---- */

static double begins(const struct hb__track *t, hb_axis axis, const struct hb__span *s)
{
	return hb__enter(t, axis, s->begin - 1);
}

/* One that did not end lasts as long as its line. */
static double finishes(const struct hb__track *t, hb_axis axis, const struct hb__span *s)
{
	return hb__exit(t, axis, (s->end ? s->end : t->n) - 1);
}

/* The first of at..end that finishes at x or later, or begins there. */
static uint32_t first_from(const struct hb__track *t, hb_axis axis, uint32_t at, uint32_t end, double x,
	double (*edge)(const struct hb__track *, hb_axis, const struct hb__span *))
{
	while (at < end) {
		uint32_t middle = at + (end - at) / 2;
		if (edge(t, axis, &t->span[middle]) < x)
			at = middle + 1;
		else
			end = middle;
	}
	return at;
}

/* Those of one depth; what is not as wide as a column shares one with what follows in it. */
static bool put_depth(struct hb__query *q, uint32_t line, uint32_t depth, size_t *room)
{
	const struct hb__track *t = &q->layout->track[line];
	hb_picture *p = q->picture;
	uint32_t end = t->span_depth[depth + 1],
		 at = first_from(t, q->axis, t->span_depth[depth], end, q->from, finishes);
	double column = (q->to - q->from) / q->columns;
	while (at < end && p->nspans < HB__SPANS_MOST) {
		const struct hb__span *s = &t->span[at];
		double x0 = begins(t, q->axis, s), x1 = finishes(t, q->axis, s);
		if (x0 > q->to)
			break;
		uint32_t next = at + 1;
		if (x1 - x0 < column)
			next = first_from(t, q->axis, next, end, x0 + column, finishes);
		if (next > at + 1)
			x1 = finishes(t, q->axis, &t->span[next - 1]);
		if (!HB_GROW(p->spans, *room, p->nspans + 1))
			return false;
		p->spans[p->nspans++] = (hb_span){.line = line,
			.begin = s->begin,
			.end = s->end,
			.x0 = x0,
			.x1 = x1,
			.depth = depth,
			.function = s->function,
			.merged = next - at};
		at = next;
	}
	return true;
}

bool hb__query_spans(struct hb__query *q)
{
	size_t room = 0;
	for (uint32_t i = 0; i < q->nlines; i++)
		for (uint32_t d = 0, deep = hb_layout_depth(q->layout, q->line[i]); d < deep; d++)
			if (!put_depth(q, q->line[i], d, &room))
				return false;
	return true;
}
