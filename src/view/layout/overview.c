/* The first picture. Of each line some points are known: how many events there were at which time. They come from the
 * beginnings of blocks; the last block of each line is read, and others as long as that is quick. Between two points events
 * are taken to come evenly. */
#include "base/grow.h"
#include "view/layout/overview.h"

#include <stdlib.h>
#include <string.h>

#include "view/layout/parts.h"

#define ROWS 3000000    /* that are read at most: a fraction of a second */
#define POINT_EVERY 512 /* events, where rows are read */
#define LAST_TICK ((uint64_t)INT64_MAX / 4)

struct point {
	uint64_t events; /* up to here */
	double x;
};

struct sketch {
	struct point *point;
	size_t n, room;
	uint64_t last; /* event from which on rows were read */
};

struct hb_overview {
	hb_overview_line *line;
	struct sketch *sketch; /* by line */
	uint32_t lines;
	double from, to;
};

struct opening {
	hb_overview *o;
	const hb_source *sources;
	const int64_t *shift_ns;
	uint64_t rows; /* left to read */
	bool no_memory;
};

static double x_of(const struct opening *p, uint32_t process, uint64_t tick)
{
	double shift = p->shift_ns ? (double)p->shift_ns[process] : 0;
	return shift +
	       (double)(tick < LAST_TICK ? tick : LAST_TICK) * hb_log_get_info(p->sources[process].log)->tick_ns;
}

static void add_point(struct opening *p, struct sketch *s, uint64_t events, double x)
{
	if (s->n && (events < s->point[s->n - 1].events || x < s->point[s->n - 1].x))
		return; /* damaged */
	if (!HB_GROW(s->point, s->room, s->n + 1)) {
		p->no_memory = true;
		return;
	}
	s->point[s->n++] = (struct point){events, x};
}

/* Points in the events from..to, whose rows are read. */
static void read_rows(struct opening *p, const hb_overview_line *l, struct sketch *s, uint64_t from, uint64_t to)
{
	hb_cursor *cursor;
	hb_row row = {0};
	hb_log *log = p->sources[l->process].log;
	uint64_t n = from - 1;
	if (from > to || hb_cursor_open(log, l->lane, from, &cursor, NULL))
		return;
	for (; n < to && hb_cursor_next(cursor, &row, NULL) == 1; n++)
		if (n % POINT_EVERY == 0)
			add_point(p, s, n, x_of(p, l->process, row.enter));
	if (n >= from)
		add_point(p, s, n, x_of(p, l->process, row.exit));
	hb_cursor_close(cursor);
	p->rows -= p->rows < to - from + 1 ? p->rows : to - from + 1;
}

static void begin_line(struct opening *p, hb_overview_line *l, struct sketch *s, const hb_lane_info *lane)
{
	hb_stretch stretch = {0};
	hb_log *log = p->sources[l->process].log;
	for (uint64_t i = 0; hb_log_stretch(log, l->lane, i, &stretch, NULL) == HB_OK && !p->no_memory; i++) {
		s->last = stretch.first;
		add_point(p, s, stretch.first - 1, x_of(p, l->process, stretch.tick));
	}
	/* where it ended only its last rows tell, unless it is still inside of a call */
	if (lane->events && p->rows)
		read_rows(p, l, s, s->last, lane->events);
	else
		s->last = lane->events + 1;
	if (lane->inside)
		add_point(p, s, l->events, x_of(p, l->process, lane->inside_enter));
}

static hb_status add_lines(struct opening *p, uint32_t process, hb_error *err)
{
	hb_overview *o = p->o;
	const hb_source *source = &p->sources[process];
	uint32_t lanes = source->log ? hb_log_get_info(source->log)->lanes : 0;
	if (lanes && hb_log_get_info(source->log)->level != HB_LEVEL_EVENTS)
		return hb__layout_fail(err, HB_E_ARGUMENT,
			"the run was recorded without times (level order or racing): record it again at level events");
	hb_overview_line *line = realloc(o->line, ((size_t)o->lines + lanes + 1) * sizeof *line);
	o->line = line ? line : o->line;
	struct sketch *sketch = realloc(o->sketch, ((size_t)o->lines + lanes + 1) * sizeof *sketch);
	o->sketch = sketch ? sketch : o->sketch;
	if (!line || !sketch)
		return hb__layout_fail(err, HB_E_MEMORY, "out of memory");
	for (uint32_t i = 0; i < lanes; i++) {
		hb_lane_info lane;
		hb_log_lane(source->log, i, &lane);
		o->line[o->lines] = (hb_overview_line){.process = process,
			.lane = i,
			.events = lane.events + (lane.inside != 0),
			.inside = lane.inside};
		o->sketch[o->lines] = (struct sketch){0};
		begin_line(p, &o->line[o->lines], &o->sketch[o->lines], &lane);
		o->lines++;
	}
	return HB_OK;
}

/* The stretch between points that takes longest, where it is worth a look; from *ret_place on. */
static bool widest(const struct sketch *s, size_t *ret_place)
{
	double most = 0;
	for (size_t i = 0; i + 1 < s->n && s->point[i].events + 1 < s->last; i++) {
		uint64_t events = s->point[i + 1].events - s->point[i].events;
		if (events <= 2 * POINT_EVERY || s->point[i + 1].x - s->point[i].x <= most)
			continue;
		most = s->point[i + 1].x - s->point[i].x;
		*ret_place = i;
	}
	return most > 0;
}

/* Reads the rows between two points. */
static void look_closer(struct opening *p, uint32_t number, size_t place)
{
	struct sketch *s = &p->o->sketch[number], fresh = {.last = s->last};
	for (size_t i = 0; i <= place; i++)
		add_point(p, &fresh, s->point[i].events, s->point[i].x);
	read_rows(p, &p->o->line[number], &fresh, s->point[place].events + 1, s->point[place + 1].events);
	for (size_t i = place + 1; i < s->n; i++)
		add_point(p, &fresh, s->point[i].events, s->point[i].x);
	free(s->point);
	*s = fresh;
}

/* Every line in turn, as long as there are rows to be read. */
static void refine(struct opening *p)
{
	for (bool any = true; any && p->rows && !p->no_memory;) {
		any = false;
		for (uint32_t i = 0; i < p->o->lines && p->rows && !p->no_memory; i++) {
			size_t place = 0;
			if (!widest(&p->o->sketch[i], &place))
				continue;
			uint64_t before = p->rows;
			look_closer(p, i, place);
			any = any || p->rows != before;
		}
	}
}

static void finish(hb_overview *o)
{
	bool any = false;
	for (uint32_t i = 0; i < o->lines; i++) {
		const struct sketch *s = &o->sketch[i];
		o->line[i].begin = 1;
		o->line[i].end = 0;
		if (!s->n || !o->line[i].events)
			continue;
		for (size_t k = 0; k < s->n && !s->point[k].events; k++) /* from tick 0, or from the first enter */
			o->line[i].begin = s->point[k].x;
		o->line[i].end = s->point[s->n - 1].x;
		o->from = !any || o->line[i].begin < o->from ? o->line[i].begin : o->from;
		o->to = !any || o->line[i].end > o->to ? o->line[i].end : o->to;
		any = true;
	}
	if (!(o->to > o->from))
		o->to = o->from + 1;
	/* a line whose end is not known ends with the others: that of all is the best guess */
	for (uint32_t i = 0; i < o->lines; i++) {
		struct sketch *s = &o->sketch[i];
		if (!s->n || s->point[s->n - 1].events >= o->line[i].events)
			continue;
		if (HB_GROW(s->point, s->room, s->n + 1))
			s->point[s->n++] = (struct point){o->line[i].events, o->to};
		o->line[i].end = o->to;
	}
}

hb_status hb_overview_open(
	const hb_source *sources, size_t n, const int64_t *shift_ns, hb_overview **ret_overview, hb_error *err)
{
	hb_overview *o = calloc(1, sizeof *o);
	struct opening p = {o, sources, shift_ns, ROWS, false};
	hb_status status = o ? HB_OK : hb__layout_fail(err, HB_E_MEMORY, "out of memory");
	for (size_t i = 0; i < n && !status; i++)
		status = add_lines(&p, (uint32_t)i, err);
	if (!status)
		refine(&p);
	if (!status && p.no_memory)
		status = hb__layout_fail(err, HB_E_MEMORY, "out of memory");
	if (status) {
		hb_overview_close(o);
		return status;
	}
	finish(o);
	*ret_overview = o;
	return HB_OK;
}

void hb_overview_close(hb_overview *o)
{
	for (uint32_t i = 0; o && i < o->lines; i++)
		free(o->sketch[i].point);
	if (o) {
		free(o->line);
		free(o->sketch);
	}
	free(o);
}

const hb_overview_line *hb_overview_lines(const hb_overview *o, uint32_t *ret_n)
{
	*ret_n = o->lines;
	return o->line;
}

void hb_overview_span(const hb_overview *o, double *ret_from, double *ret_to)
{
	*ret_from = o->from;
	*ret_to = o->to;
}

/* ---- windows ---- */

/* How many events of a line there were up to x, or before it, about. */
static uint64_t events_until(const struct sketch *s, double x, bool before)
{
	size_t low = 0, high = s->n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (before ? s->point[mid].x < x : s->point[mid].x <= x)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low || low == s->n)
		return low ? s->point[low - 1].events : 0;
	const struct point *a = &s->point[low - 1], *b = &s->point[low];
	double share = (x - a->x) / (b->x - a->x);
	return a->events + (uint64_t)(share * (double)(b->events - a->events) + 0.5);
}

static bool draw(const hb_overview *o, const hb_window *w, const uint32_t *line, uint32_t lines, hb_picture *p)
{
	size_t all = (size_t)lines * p->columns;
	p->densities = malloc(((size_t)lines + 1) * sizeof *p->densities);
	p->store = calloc(all + 1, sizeof(uint32_t) + 1);
	if (!p->densities || !p->store)
		return false;
	for (uint32_t i = 0; i < lines; i++) {
		const struct sketch *s = &o->sketch[line[i]];
		uint32_t *count = (uint32_t *)p->store + (size_t)i * p->columns;
		uint64_t before = events_until(s, w->from, true), first = before;
		for (uint32_t k = 0; k < p->columns; k++) {
			uint64_t after = events_until(s, hb__edge_of(w->from, w->to, p->columns, k + 1), false);
			count[k] = (uint32_t)(after - before);
			before = after;
		}
		p->densities[p->ndensities++] = (hb_density){.line = line[i],
			.events = before - first,
			.count = count,
			.waiting = (uint8_t *)((uint32_t *)p->store + all + 1) + (size_t)i * p->columns};
		p->events += before - first;
	}
	p->hidden = p->events;
	return true;
}

hb_status hb_overview_query(const hb_overview *o, const hb_window *w, hb_picture *ret, hb_error *err)
{
	*ret = (hb_picture){0};
	const char *wrong = hb__window_wrong(w, o->lines);
	if (!wrong && w->axis != HB_AXIS_PHYSICAL)
		wrong = "logical time is not known yet";
	if (wrong)
		return hb__layout_fail(err, HB_E_ARGUMENT, wrong);
	uint32_t n = w->line ? w->nlines : o->lines, lines = 0;
	uint32_t *line = malloc(((size_t)n + 1) * sizeof *line);
	bool *seen = calloc((size_t)o->lines + 1, sizeof *seen), good = line && seen;
	for (uint32_t i = 0; i < n && good; i++) {
		uint32_t l = w->line ? w->line[i] : i;
		if (seen[l] || (w->filter && w->filter->hidden_line && w->filter->hidden_line[l]))
			continue;
		seen[l] = true;
		line[lines++] = l;
	}
	ret->columns = hb__columns_for(w->columns, lines);
	good = good && draw(o, w, line, lines, ret);
	free(line);
	free(seen);
	if (good)
		return HB_OK;
	hb_picture_free(ret);
	return hb__layout_fail(err, HB_E_MEMORY, "out of memory");
}
