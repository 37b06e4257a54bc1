/* A window: which lines are drawn event by event, and densities of the others. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "view/layout/parts.h"

#define MOST 6000 /* of each kind: an answer of half a megabyte */
#define MOST_EVER 1000000
#define COLUMNS 65536     /* at most */
#define ALL_COLUMNS 49152 /* of all lines together */
#define FEW_COLUMNS 64
#define CROWDED 4 /* events per column: no line is drawn one by one then */
#define WALKED 32 /* events per column up to which all are looked at */

static inline bool holds(const struct hb__track *t, hb_axis axis, uint32_t i, double x, enum hb__edge edge)
{
	return edge == HB__LEAVES_BEFORE  ? hb__exit(t, axis, i) < x
	       : edge == HB__ENTERS_UNTIL ? hb__enter(t, axis, i) <= x
					  : hb__enter(t, axis, i) < x;
}

uint32_t hb__search(const struct hb__track *t, hb_axis axis, uint32_t hint, double x, enum hb__edge edge)
{
	uint32_t low = hint, high = hint, step = 1;
	while (high < t->n && holds(t, axis, high, x, edge)) {
		low = high + 1;
		high = t->n - high > step ? high + step : t->n;
		step *= 2;
	}
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (holds(t, axis, mid, x, edge))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

void hb_layout_span(const hb_layout *l, hb_axis axis, double *ret_from, double *ret_to)
{
	*ret_from = l->from[axis];
	*ret_to = l->to[axis];
}

void hb_layout_x(hb_layout *l, hb_axis axis, hb_at at, double *ret_enter, double *ret_exit)
{
	*ret_enter = hb__enter(&l->track[at.line], axis, at.event - 1);
	*ret_exit = hb__exit(&l->track[at.line], axis, at.event - 1);
}

uint32_t hb_layout_function(const hb_layout *l, hb_at at) { return hb__function_of(&l->track[at.line], at.event - 1); }

uint32_t hb_layout_event_at(hb_layout *l, hb_axis axis, uint32_t line, double x)
{
	return hb__search(&l->track[line], axis, 0, x, HB__ENTERS_UNTIL);
}

/* ---- windows ---- */

const char *hb__window_wrong(const hb_window *w, uint32_t lines)
{
	if (!isfinite(w->from) || !isfinite(w->to) || !isfinite(w->to - w->from) || w->from >= w->to)
		return "the window must begin before it ends, both finite numbers";
	if (w->axis != HB_AXIS_LOGICAL && w->axis != HB_AXIS_PHYSICAL)
		return "there are two axes, logical and physical";
	if (!w->columns)
		return "the window has no columns";
	for (uint32_t i = 0; w->line && i < w->nlines; i++)
		if (w->line[i] >= lines)
			return "the recording does not have so many lines";
	return NULL;
}

uint32_t hb__columns_for(uint32_t columns, uint32_t lines)
{
	uint32_t most = ALL_COLUMNS / (lines + 1);
	most = most < FEW_COLUMNS ? FEW_COLUMNS : most;
	return columns < most ? columns : most;
}

struct range {
	uint32_t line, first, end; /* events from 0 */
	uint32_t n;                /* wanted */
	bool crowded;
};

/* ---- one by one ---- */

static void put_box(struct hb__query *q, uint32_t line, uint32_t i)
{
	const struct hb__track *t = &q->layout->track[line];
	q->picture->boxes[q->picture->nboxes++] = (hb_box){.at = {line, i + 1},
		.x0 = hb__enter(t, q->axis, i),
		.x1 = hb__exit(t, q->axis, i),
		.waited = hb__waited(t, q->axis, i),
		.function = hb__function_of(t, i),
		.kind = t->mark[i] & HB__KIND,
		.flags = t->mark[i] >> HB__MARK_SHIFT & 7};
}

static void put_boxes(struct hb__query *q, const struct range *r)
{
	const struct hb__bits *b = q->sieve ? &q->sieve->event[r->line] : NULL;
	for (uint32_t i = r->first; i < r->end; i++) {
		if (b && !b->word[i / 64]) {
			i |= 63;
			continue;
		}
		if (!b || hb__bit(b, i))
			put_box(q, r->line, i);
	}
}

/* ---- densities ---- */

struct counter {
	const struct hb__query *q;
	const struct hb__track *t;
	uint32_t columns, *count;
	double *waited; /* x units, by column */
	uint32_t column;
	double next; /* its right edge */
};

static double edge(const struct counter *c, uint32_t i) { return hb__edge_of(c->q->from, c->q->to, c->columns, i); }

/* Spreads waiting over the columns it touches, from the current one on. */
static void spread(struct counter *c, double from, double to)
{
	from = from < c->q->from ? c->q->from : from;
	to = to > c->q->to ? c->q->to : to;
	double right = c->next;
	for (uint32_t i = c->column; from < to && i < c->columns; right = edge(c, ++i + 1)) {
		double end = to < right ? to : right;
		if (end > from) {
			c->waited[i] += end - from;
			from = end;
		}
	}
}

/* `axis` is known where this is called, so that nothing has to be chosen for each event. */
static inline __attribute__((always_inline)) void count_one(struct counter *c, uint32_t i, hb_axis axis)
{
	const struct hb__track *t = c->t;
	double x = hb__enter(t, axis, i), waited;
	if (axis == HB_AXIS_LOGICAL)
		waited = t->left[i] - x - (t->mark[i] & HB__FLYING ? 1 : 0);
	else
		waited = t->waited[i] ? (hb__exit(t, axis, i) - x) * t->waited[i] / 65535 : 0;
	while (x >= c->next && c->column + 1 < c->columns)
		c->next = edge(c, ++c->column + 1);
	c->count[c->column]++;
	if (waited > 0) {
		if (x >= c->q->from && x + waited <= c->next)
			c->waited[c->column] += waited;
		else
			spread(c, x, x + waited);
	}
}

static inline __attribute__((always_inline)) void count_each(struct counter *c, const struct range *r, hb_axis axis)
{
	const struct hb__bits *b = c->q->sieve ? &c->q->sieve->event[r->line] : NULL;
	for (uint32_t i = r->first; !b && i < r->end; i++)
		count_one(c, i, axis);
	for (uint32_t w = r->first / 64; b && w * 64 < r->end; w++) {
		uint64_t left = b->word[w];
		if (w == r->first / 64)
			left &= UINT64_MAX << r->first % 64;
		if (w == r->end / 64)
			left &= r->end % 64 ? UINT64_MAX >> (64 - r->end % 64) : 0;
		for (; left; left &= left - 1)
			count_one(c, w * 64 + (uint32_t)__builtin_ctzll(left), axis);
	}
}

static void count_wanted(struct counter *c, const struct range *r)
{
	if (c->q->axis == HB_AXIS_LOGICAL)
		count_each(c, r, HB_AXIS_LOGICAL);
	else
		count_each(c, r, HB_AXIS_PHYSICAL);
}

/* Waiting in a line before event i. */
static double waited_before(const struct hb__track *t, hb_axis axis, uint32_t i)
{
	const struct hb__block *b = &t->block[i / HB__BLOCK];
	uint32_t k = i / HB__BLOCK * HB__BLOCK;
	if (axis == HB_AXIS_LOGICAL) {
		uint32_t flying = b->flying;
		for (; k < i; k++)
			flying += (t->mark[k] & HB__FLYING) != 0;
		/* between an exit and the next enter there is 1 */
		return i ? (double)t->left[i - 1] - t->first - (i - 1) - flying : 0;
	}
	double waited = b->waited;
	for (; k < i; k++)
		if (t->waited[k])
			waited += hb__waited(t, axis, k);
	return waited;
}

/* The same from sums, with a look at each edge only. */
static void count_edges(struct counter *c, const struct range *r)
{
	uint32_t at = r->first;
	double before = 0;
	for (uint32_t i = 0; i <= c->columns; i++) {
		double x = edge(c, i);
		uint32_t to = i == c->columns ? r->end : hb__search(c->t, c->q->axis, at, x, HB__ENTERS_BEFORE);
		double waited = waited_before(c->t, c->q->axis, to);
		if (to) {
			double over = hb__enter(c->t, c->q->axis, to - 1) + hb__waited(c->t, c->q->axis, to - 1) - x;
			waited -= over > 0 ? over : 0;
		}
		if (i) {
			c->count[i - 1] = to - at;
			c->waited[i - 1] = waited - before;
			at = to;
		}
		before = waited;
	}
}

static void put_density(struct hb__query *q, const struct range *r, uint32_t *count, uint8_t *waiting, double *room)
{
	uint32_t columns = q->picture->columns;
	struct counter c = {
		.q = q, .t = &q->layout->track[r->line], .columns = columns, .count = count, .waited = room};
	c.next = edge(&c, 1);
	memset(room, 0, columns * sizeof *room);
	if (q->sieve || (r->end - r->first) / columns < WALKED)
		count_wanted(&c, r);
	else
		count_edges(&c, r);
	for (uint32_t i = 0; i < columns; i++) {
		double share = room[i] / (edge(&c, i + 1) - edge(&c, i));
		waiting[i] = !(share > 0) ? 0 : share >= 1 ? 255 : (uint8_t)(share * 255 + 0.5);
	}
	q->picture->densities[q->picture->ndensities++] =
		(hb_density){.line = r->line, .events = r->n, .count = count, .waiting = waiting};
	q->picture->hidden += r->n;
}

static bool put_densities(struct hb__query *q, const struct range *range, uint32_t crowded)
{
	hb_picture *p = q->picture;
	p->columns = hb__columns_for(q->columns, crowded);
	if (!crowded)
		return true;
	size_t all = (size_t)p->columns * crowded;
	p->densities = malloc(crowded * sizeof *p->densities);
	p->store = calloc(all, sizeof(uint32_t) + 1);
	double *room = malloc(p->columns * sizeof *room);
	if (p->densities && p->store && room)
		for (uint32_t i = 0; i < q->nlines; i++)
			if (range[i].crowded) {
				size_t first = p->ndensities * p->columns;
				put_density(q, &range[i], (uint32_t *)p->store + first,
					(uint8_t *)((uint32_t *)p->store + all) + first, room);
			}
	free(room);
	return p->ndensities == crowded;
}

/* ---- which is which ---- */

static int by_number(const void *a, const void *b)
{
	const struct range *x = *(const struct range *const *)a, *y = *(const struct range *const *)b;
	return x->n != y->n ? (x->n > y->n) - (x->n < y->n) : (x > y) - (x < y);
}

/* The emptiest lines first, as long as there is room: less when some are left over, for their densities take some, too. */
static bool choose(struct hb__query *q, struct range *range, uint32_t *ret_crowded)
{
	uint64_t boxes = 0, room = q->picture->events <= q->most ? q->most : q->most / 2;
	const struct range **order = malloc(((size_t)q->nlines + 1) * sizeof *order);
	*ret_crowded = 0;
	if (!order)
		return false;
	for (uint32_t i = 0; i < q->nlines; i++)
		order[i] = &range[i];
	qsort(order, q->nlines, sizeof *order, by_number);
	for (uint32_t i = 0; i < q->nlines; i++) {
		struct range *r = &range[order[i] - range];
		r->crowded = boxes + r->n > room || r->n / CROWDED > q->columns;
		boxes += r->crowded ? 0 : r->n;
		*ret_crowded += r->crowded;
	}
	free(order);
	q->picture->boxes = malloc((boxes + 1) * sizeof *q->picture->boxes);
	return q->picture->boxes != NULL;
}

static bool answer(struct hb__query *q)
{
	struct range *range = calloc((size_t)q->nlines + 1, sizeof *range);
	uint32_t crowded = 0;
	for (uint32_t i = 0; range && i < q->nlines; i++) {
		const struct hb__track *t = &q->layout->track[q->line[i]];
		struct range *r = &range[i];
		r->line = q->line[i];
		r->first = hb__search(t, q->axis, 0, q->from, HB__LEAVES_BEFORE);
		r->end = hb__search(t, q->axis, r->first, q->to, HB__ENTERS_UNTIL);
		const struct hb__bits *b = q->sieve ? &q->sieve->event[r->line] : NULL;
		r->n = b ? hb__bits_before(b, r->end) - hb__bits_before(b, r->first) : r->end - r->first;
		q->picture->events += r->n;
	}
	bool good = range && choose(q, range, &crowded);
	for (uint32_t i = 0; good && i < q->nlines; i++)
		if (!range[i].crowded)
			put_boxes(q, &range[i]);
	good = good && put_densities(q, range, crowded);
	free(range);
	/* between crowded lines arrows say little */
	uint32_t arrows = crowded && q->most > 4 ? q->most / 4 : q->most;
	return good && hb__query_arrows(q, arrows) && hb__query_alternatives(q) && hb__query_rings(q);
}

static bool take_lines(struct hb__query *q, const hb_window *w)
{
	uint32_t all = q->layout->info->lines, n = w->line ? w->nlines : all;
	q->line = malloc(((size_t)n + 1) * sizeof *q->line);
	q->wanted = calloc((size_t)all + 1, sizeof *q->wanted);
	q->hidden = calloc((size_t)all + 1, sizeof *q->hidden);
	if (!q->line || !q->wanted || !q->hidden)
		return false;
	for (uint32_t i = 0; w->filter && w->filter->hidden_line && i < all; i++)
		q->any_hidden |= q->hidden[i] = w->filter->hidden_line[i];
	for (uint32_t i = 0; i < n; i++) {
		uint32_t line = w->line ? w->line[i] : i;
		if (q->hidden[line] || q->wanted[line])
			continue;
		q->wanted[line] = true;
		q->line[q->nlines++] = line;
	}
	return true;
}

hb_status hb_layout_query(hb_layout *l, const hb_window *w, hb_picture *ret, hb_error *err)
{
	*ret = (hb_picture){0};
	const char *wrong = hb__window_wrong(w, l->info->lines);
	if (wrong)
		return hb__layout_fail(err, HB_E_ARGUMENT, wrong);
	struct hb__query q = {.layout = l,
		.axis = w->axis,
		.from = w->from,
		.to = w->to,
		.columns = w->columns < COLUMNS ? w->columns : COLUMNS,
		.most = !w->most              ? MOST
			: w->most < MOST_EVER ? w->most
					      : MOST_EVER,
		.filter = w->filter,
		.picture = ret};
	bool failed;
	q.sieve = hb__sieve_of(l, w->filter, &failed);
	bool good = !failed && take_lines(&q, w) && answer(&q);
	free(q.line);
	free(q.wanted);
	free(q.hidden);
	if (good)
		return HB_OK;
	hb_picture_free(ret);
	return hb__layout_fail(err, HB_E_MEMORY, "out of memory");
}

void hb_picture_free(hb_picture *p)
{
	free(p->boxes);
	free(p->arrows);
	free(p->rings);
	free(p->parts);
	free(p->densities);
	free(p->store);
	*p = (hb_picture){0};
}
