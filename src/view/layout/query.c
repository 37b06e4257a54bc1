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

double hb_layout_took(const hb_layout *l, hb_at at, double *waited)
{
	const struct hb__track *t = &l->track[at.line];
	*waited += hb__waited(t, HB_AXIS_PHYSICAL, at.event - 1);
	return hb__exit(t, HB_AXIS_PHYSICAL, at.event - 1) - hb__enter(t, HB_AXIS_PHYSICAL, at.event - 1);
}

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
			return "the recording does not have that many lines";
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

#define PARTS (HB_BOX_KINDS + 1) /* of a column: what calls of each kind took, and waiting */
#define WAITING HB_BOX_KINDS

struct counter {
	const struct hb__query *q;
	const struct hb__track *t;
	uint32_t columns, *count, *races;
	uint8_t *mix;  /* until all is counted: whether a call of the kind entered there */
	double *parts; /* x units: PARTS for each column */
	uint32_t column;
	double next; /* its right edge */
};

static double edge(const struct counter *c, uint32_t i) { return hb__edge_of(c->q->from, c->q->to, c->columns, i); }

/* Spreads a time over the columns it touches, from the current one on. */
static void spread(struct counter *c, double from, double to, uint32_t part)
{
	from = from < c->q->from ? c->q->from : from;
	to = to > c->q->to ? c->q->to : to;
	double right = c->next;
	for (uint32_t i = c->column; from < to && i < c->columns; right = edge(c, ++i + 1)) {
		double end = to < right ? to : right;
		if (end > from) {
			c->parts[i * PARTS + part] += end - from;
			from = end;
		}
	}
}

/* Where a call's own time ends. In logical time that is where the next one may enter. */
static inline double done(const struct hb__track *t, hb_axis axis, uint32_t i)
{
	return hb__exit(t, axis, i) + (axis == HB_AXIS_LOGICAL ? 1 : 0);
}

/* `axis` is known where this is called, so that nothing has to be chosen for each event. */
static inline __attribute__((always_inline)) void count_one(struct counter *c, uint32_t i, hb_axis axis)
{
	const struct hb__track *t = c->t;
	double x = hb__enter(t, axis, i), end = done(t, axis, i), waited;
	uint32_t kind = t->mark[i] & HB__KIND;
	if (axis == HB_AXIS_LOGICAL)
		waited = end - 1 - x - (t->mark[i] & HB__FLYING ? 1 : 0);
	else
		waited = t->waited[i] ? (end - x) * t->waited[i] / 65535 : 0;
	while (x >= c->next && c->column + 1 < c->columns)
		c->next = edge(c, ++c->column + 1);
	c->count[c->column]++;
	c->races[c->column] += hb__races(t, i);
	c->mix[c->column * HB_BOX_KINDS + kind] = 1;
	if (x >= c->q->from && end <= c->next) {
		c->parts[c->column * PARTS + WAITING] += waited;
		c->parts[c->column * PARTS + kind] += end - x - waited;
	} else {
		spread(c, x, x + waited, WAITING);
		spread(c, x + waited, end, kind);
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

/* What a line has before a place. */
struct sums {
	double parts[PARTS];
	uint32_t steps[HB_BOX_KINDS], races;
};

static struct sums sums_before(const struct hb__track *t, hb_axis axis, uint32_t i)
{
	const struct hb__tile *b = &t->block[i / HB__TILE];
	struct sums s = {.races = b->races};
	uint32_t flying = b->flying;
	double waited = b->waited;
	memcpy(s.steps, b->steps, sizeof s.steps);
	memcpy(s.parts, b->busy, sizeof b->busy);
	for (uint32_t k = i / HB__TILE * HB__TILE; k < i; k++) {
		uint32_t kind = t->mark[k] & HB__KIND, flies = (t->mark[k] & HB__FLYING) != 0;
		s.races += hb__races(t, k);
		s.steps[kind] += 1 + flies;
		flying += flies;
		if (axis == HB_AXIS_PHYSICAL) {
			double w = t->waited[k] ? hb__waited(t, axis, k) : 0;
			waited += w;
			s.parts[kind] += hb__exit(t, axis, k) - hb__enter(t, axis, k) - w;
		}
	}
	for (uint32_t k = 0; axis == HB_AXIS_LOGICAL && k < HB_BOX_KINDS; k++)
		s.parts[k] = s.steps[k];
	/* between an exit and the next enter there is 1 */
	s.parts[WAITING] = axis == HB_AXIS_PHYSICAL ? waited
			   : i                      ? (double)t->left[i - 1] - t->first - (i - 1) - flying
						    : 0;
	return s;
}

/* Without what the last of these events, which is in the window, does behind x. */
static void cut_off(const struct hb__track *t, hb_axis axis, uint32_t last, double x, struct sums *s)
{
	double end = done(t, axis, last), awake = hb__enter(t, axis, last) + hb__waited(t, axis, last);
	s->parts[WAITING] -= awake > x ? awake - x : 0;
	awake = awake > x ? awake : x;
	s->parts[t->mark[last] & HB__KIND] -= end > awake ? end - awake : 0;
}

/* The same from sums, with a look at each edge only. */
static void count_edges(struct counter *c, const struct range *r)
{
	uint32_t at = r->first;
	hb_axis axis = c->q->axis;
	struct sums before = sums_before(c->t, axis, at), now;
	for (uint32_t i = 0; i <= c->columns; i++) {
		double x = edge(c, i);
		uint32_t to = i == c->columns ? r->end : hb__search(c->t, axis, at, x, HB__ENTERS_BEFORE);
		now = sums_before(c->t, axis, to);
		if (to > r->first)
			cut_off(c->t, axis, to - 1, x, &now);
		if (!i) { /* what entered before the window counts in the first column */
			memcpy(before.parts, now.parts, sizeof now.parts);
			continue;
		}
		c->count[i - 1] = to - at;
		c->races[i - 1] = now.races - before.races;
		for (uint32_t k = 0; k < PARTS; k++)
			c->parts[(i - 1) * PARTS + k] = now.parts[k] - before.parts[k];
		for (uint32_t k = 0; k < HB_BOX_KINDS; k++)
			c->mix[(i - 1) * HB_BOX_KINDS + k] = now.steps[k] > before.steps[k];
		at = to;
		before = now;
	}
}

static uint8_t share_of(double part, double whole, uint8_t least)
{
	double share = part / whole;
	uint8_t told = !(share > 0) ? 0 : share >= 1 ? 255 : (uint8_t)(share * 255 + 0.5);
	return told > least ? told : least;
}

/* What the densities of a picture are written into. */
struct cells {
	uint32_t *count, *races;
	uint8_t *waiting, *mix;
	double *parts; /* of one line */
};

static void put_density(struct hb__query *q, const struct range *r, const struct cells *cells)
{
	uint32_t columns = q->picture->columns;
	size_t first = q->picture->ndensities * columns;
	struct counter c = {.q = q,
		.t = &q->layout->track[r->line],
		.columns = columns,
		.count = cells->count + first,
		.races = cells->races + first,
		.mix = cells->mix + first * HB_BOX_KINDS,
		.parts = cells->parts};
	uint8_t *waiting = cells->waiting + first;
	c.next = edge(&c, 1);
	memset(c.parts, 0, (size_t)columns * PARTS * sizeof *c.parts);
	if (q->sieve || (r->end - r->first) / columns < WALKED)
		count_wanted(&c, r);
	else
		count_edges(&c, r);
	for (uint32_t i = 0; i < columns; i++) {
		const double *parts = &c.parts[i * PARTS];
		double width = edge(&c, i + 1) - edge(&c, i);
		waiting[i] = share_of(parts[WAITING], width, 0);
		for (uint32_t k = 0; k < HB_BOX_KINDS; k++)
			c.mix[i * HB_BOX_KINDS + k] = share_of(parts[k], width, c.mix[i * HB_BOX_KINDS + k]);
	}
	q->picture->densities[q->picture->ndensities++] = (hb_density){
		.line = r->line, .events = r->n, .count = c.count, .waiting = waiting, .mix = c.mix, .races = c.races};
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
	p->store = calloc(all, 2 * sizeof(uint32_t) + 1 + HB_BOX_KINDS);
	struct cells cells = {.count = p->store, .parts = malloc((size_t)p->columns * PARTS * sizeof *cells.parts)};
	if (p->densities && p->store && cells.parts) {
		cells.races = cells.count + all;
		cells.waiting = (uint8_t *)(cells.races + all);
		cells.mix = cells.waiting + all;
		for (uint32_t i = 0; i < q->nlines; i++)
			if (range[i].crowded)
				put_density(q, &range[i], &cells);
	}
	free(cells.parts);
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
	return good && hb__query_arrows(q, arrows) && hb__query_alternatives(q) && hb__query_edges(q) &&
	       hb__query_rings(q) && hb__query_spans(q) && hb__query_stubs(q);
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
	free(p->spans);
	free(p->stubs);
	free(p->store);
	*p = (hb_picture){0};
}
