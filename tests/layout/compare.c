#include "compare.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct asked {
	struct compared *c;
	const hb_window *w;
	uint32_t most;
	bool *wanted, *hidden; /* by line */
	hb_picture p;
};

__attribute__((format(printf, 2, 3))) static void wrong(struct asked *a, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	a->c->wrong++;
	if (a->c->shown++ < 10) {
		printf("%s: axis %d, %.17g to %.17g, %u columns, most %u%s%s: ", a->c->name, (int)a->w->axis,
			a->w->from, a->w->to, a->w->columns, a->w->most, a->w->filter ? ", filter" : "",
			a->w->line ? ", lines" : "");
		vprintf(format, list);
		printf("\n");
	}
	va_end(list);
}

static double waited(const struct fact *f, int axis)
{
	double end = f->until[axis] < f->exit[axis] ? f->until[axis] : f->exit[axis];
	return end > f->enter[axis] ? end - f->enter[axis] : 0;
}

static bool in_window(const struct asked *a, hb_at at)
{
	const struct fact *f = fact_of(a->c->t, at);
	return f->exit[a->w->axis] >= a->w->from && f->enter[a->w->axis] <= a->w->to &&
	       truth_event_wanted(a->c->t, at, a->w->filter, a->c->names, a->c->nnames);
}

/* ---- boxes ---- */

static void check_box(struct asked *a, const hb_box *b)
{
	const struct fact *f = fact_of(a->c->t, b->at);
	int axis = (int)a->w->axis;
	double length = f->exit[axis] - f->enter[axis];
	uint8_t flags =
		(f->races ? HB_BOX_RACES : 0) | (f->inside ? HB_BOX_INSIDE : 0) | (f->failed ? HB_BOX_FAILED : 0);
	a->c->boxes++;
	if (b->x0 != f->enter[axis] || b->x1 != f->exit[axis])
		wrong(a, "event %u of line %u from %.17g to %.17g, not %.17g to %.17g", b->at.event, b->at.line, b->x0,
			b->x1, f->enter[axis], f->exit[axis]);
	if (fabs(b->waited - waited(f, axis)) > length / 65000)
		wrong(a, "event %u of line %u waited %.17g of %.17g, not %.17g", b->at.event, b->at.line, b->waited,
			length, waited(f, axis));
	if (b->flags != flags || b->kind != f->kind || b->function >= a->c->nnames ||
		strcmp(a->c->names[b->function], f->function) != 0)
		wrong(a, "event %u of line %u: flags %u, kind %u, not %u and %u (%s)", b->at.event, b->at.line,
			b->flags, b->kind, flags, f->kind, f->function);
}

#define PARTS (HB_BOX_KINDS + 1) /* what calls of each kind took, and waiting */

/* What a density has to say, by column. */
struct dense {
	uint64_t *count, *races;
	double *part;  /* PARTS of each column */
	bool *entered; /* HB_BOX_KINDS of each column */
};

static double edge_of(const struct asked *a, uint32_t i)
{
	const hb_window *w = a->w;
	return i == a->p.columns ? w->to : w->from + (w->to - w->from) * i / a->p.columns;
}

static void spread(const struct asked *a, struct dense *d, double from, double to, uint32_t part)
{
	for (uint32_t i = 0; i < a->p.columns && to > from; i++) {
		double left = edge_of(a, i), right = edge_of(a, i + 1);
		left = left < from ? from : left;
		right = right > to ? to : right;
		d->part[i * PARTS + part] += right > left ? right - left : 0;
	}
}

static uint64_t count_line(const struct asked *a, uint32_t line, struct dense *d)
{
	uint64_t all = 0;
	int axis = (int)a->w->axis;
	for (uint32_t e = 1; e <= hb_model_lines(a->c->t->model)[line].events; e++) {
		const struct fact *f = fact_of(a->c->t, (hb_at){line, e});
		if (!in_window(a, (hb_at){line, e}))
			continue;
		double from = f->enter[axis], awake = from + waited(f, axis);
		uint32_t column = 0;
		while (column + 1 < a->p.columns && from >= edge_of(a, column + 1))
			column++;
		d->count[column]++;
		d->races[column] += f->races;
		d->entered[column * HB_BOX_KINDS + f->kind] = true;
		spread(a, d, from, awake, HB_BOX_KINDS);
		spread(a, d, awake, f->exit[axis] + (axis == HB_AXIS_LOGICAL ? 1 : 0), f->kind);
		all++;
	}
	return all;
}

/* A wait is known to 2^-16 of its call, which may be much longer than a column. */
static bool near(const struct asked *a, uint8_t told, double part)
{
	double share = part / (a->w->to - a->w->from) * a->p.columns * 255;
	return fabs(told - (share > 255 ? 255 : share)) <= 1.5 + 0.01 * a->p.columns;
}

static void check_column(struct asked *a, const hb_density *d, const struct dense *truth, uint32_t i)
{
	const double *part = &truth->part[i * PARTS];
	if (d->count[i] != truth->count[i] || d->races[i] != truth->races[i])
		wrong(a, "line %u, column %u of %u: %u events, %u racing, not %lu and %lu", d->line, i, a->p.columns,
			d->count[i], d->races[i], (unsigned long)truth->count[i], (unsigned long)truth->races[i]);
	if (!near(a, d->waiting[i], part[HB_BOX_KINDS]))
		wrong(a, "line %u, column %u of %u: waiting %u, not %g", d->line, i, a->p.columns, d->waiting[i],
			part[HB_BOX_KINDS]);
	for (uint32_t k = 0; k < HB_BOX_KINDS; k++) {
		uint8_t told = d->mix[i * HB_BOX_KINDS + k];
		if (!near(a, told, part[k]) || (truth->entered[i * HB_BOX_KINDS + k] && !told))
			wrong(a, "line %u, column %u of %u: kind %u took %u, not %g (it %s there)", d->line, i,
				a->p.columns, k, told, part[k],
				truth->entered[i * HB_BOX_KINDS + k] ? "entered" : "did not enter");
		a->c->mixed += told > 8;
	}
}

static void check_density(struct asked *a, const hb_density *d)
{
	uint32_t columns = a->p.columns;
	struct dense truth = {calloc(columns, sizeof *truth.count), calloc(columns, sizeof *truth.races),
		calloc((size_t)columns * PARTS, sizeof *truth.part),
		calloc((size_t)columns * HB_BOX_KINDS, sizeof *truth.entered)};
	uint64_t all = count_line(a, d->line, &truth);
	a->c->densities++;
	for (uint32_t i = 0; i < columns; i++)
		check_column(a, d, &truth, i);
	if (d->events != all)
		wrong(a, "line %u: %lu events, not %lu", d->line, (unsigned long)d->events, (unsigned long)all);
	free(truth.count);
	free(truth.races);
	free(truth.part);
	free(truth.entered);
}

static void check_events(struct asked *a)
{
	const hb_picture *p = &a->p;
	uint32_t lines = a->w->line ? a->w->nlines : a->c->t->info->lines;
	size_t box = 0, density = 0;
	uint64_t all = 0, hidden = 0, most = 0;
	for (uint32_t i = 0; i < lines; i++) {
		uint32_t line = a->w->line ? a->w->line[i] : i;
		if (a->hidden[line])
			continue;
		bool crowded = density < p->ndensities && p->densities[density].line == line;
		uint64_t n = 0;
		for (uint32_t e = 1; e <= hb_model_lines(a->c->t->model)[line].events; e++) {
			if (!in_window(a, (hb_at){line, e}))
				continue;
			n++;
			if (crowded)
				continue;
			if (box >= p->nboxes || p->boxes[box].at.line != line || p->boxes[box].at.event != e) {
				wrong(a, "no box of event %u of line %u", e, line);
				return;
			}
			check_box(a, &p->boxes[box++]);
		}
		if (crowded) {
			hidden += n;
			check_density(a, &p->densities[density++]);
		}
		all += n;
		most = n > most ? n : most;
	}
	if (box != p->nboxes || density != p->ndensities || p->nboxes > a->most)
		wrong(a, "%zu boxes and %zu densities, %zu and %zu of them known", p->nboxes, p->ndensities, box,
			density);
	if (p->events != all || p->hidden != hidden)
		wrong(a, "%lu events, %lu hidden, not %lu, %lu", (unsigned long)p->events, (unsigned long)p->hidden,
			(unsigned long)all, (unsigned long)hidden);
	if (hidden && all <= a->most && most <= a->w->columns)
		wrong(a, "%lu of %lu events hidden without need", (unsigned long)hidden, (unsigned long)all);
}

/* ---- messages ---- */

static bool message_in(const struct asked *a, uint32_t send, double *ret_x0, double *ret_x1, hb_at *ret_to)
{
	hb_at from;
	if (!truth_message(a->c->t, send, &from, ret_to) ||
		!truth_message_wanted(a->c->t, send, a->w->filter, a->c->names, a->c->nnames))
		return false;
	*ret_x0 = *ret_x1 = fact_of(a->c->t, from)->enter[a->w->axis];
	if (ret_to->event)
		*ret_x1 = fact_of(a->c->t, *ret_to)->exit[a->w->axis];
	bool known = ret_to->line != HB_NO;
	if (a->hidden[from.line] || (known && a->hidden[ret_to->line]))
		return false;
	if (!a->wanted[from.line] && !(known && a->wanted[ret_to->line]))
		return false;
	return fmax(*ret_x0, *ret_x1) >= a->w->from && fmin(*ret_x0, *ret_x1) <= a->w->to;
}

static void check_arrow(struct asked *a, const hb_arrow *r, uint8_t *drawn)
{
	double x0, x1;
	hb_at to;
	uint8_t model = hb_model_sends(a->c->t->model)[r->send].flags;
	bool good = message_in(a, r->send, &x0, &x1, &to) && !drawn[r->send];
	drawn[r->send] = 1;
	hb_at from = hb_send_at(a->c->t->model, r->send);
	uint8_t flags = (model & HB_SYNCHRONOUS ? HB_ARROW_SYNCHRONOUS : 0) |
			(model & HB_AMBIGUOUS ? HB_ARROW_AMBIGUOUS : 0) | (to.event ? 0 : HB_ARROW_UNMATCHED);
	if (!good || r->x0 != x0 || r->x1 != x1 || memcmp(&r->from, &from, sizeof from) != 0 ||
		memcmp(&r->to, &to, sizeof to) != 0 || r->flags != flags || !r->merged)
		wrong(a, "message %u from %.17g to %.17g of line %u event %u flags %u", r->send, r->x0, r->x1,
			r->to.line, r->to.event, r->flags);
	a->c->crossing += x0 < a->w->from && x1 > a->w->to;
}

static void check_alternative(struct asked *a, const hb_arrow *r)
{
	const struct truth *t = a->c->t;
	bool known = false, drawn = false;
	for (size_t i = 0; i < t->alternatives && !known; i++)
		known = t->alternative[i].send == r->send && t->alternative[i].done.line == r->to.line &&
			t->alternative[i].done.event == r->to.event;
	for (size_t i = 0; i < a->p.nboxes && !drawn; i++)
		drawn = a->p.boxes[i].at.line == r->to.line && a->p.boxes[i].at.event == r->to.event &&
			a->p.boxes[i].x1 == r->x1;
	a->c->alternatives++;
	if (!known || !drawn || r->x0 != fact_of(t, r->from)->enter[a->w->axis])
		wrong(a, "alternative %u of event %u of line %u", r->send, r->to.event, r->to.line);
}

static void check_messages(struct asked *a)
{
	const struct truth *t = a->c->t;
	uint8_t *drawn = calloc(t->info->sends + 1u, 1);
	uint64_t all = 0, arrows = 0, alternatives = 0, merged = 0;
	for (size_t i = 0; i < a->p.narrows; i++) {
		const hb_arrow *r = &a->p.arrows[i];
		if (r->flags & HB_ARROW_ALTERNATIVE) {
			alternatives++;
			check_alternative(a, r);
			continue;
		}
		arrows++;
		a->c->merged += r->merged > 1;
		merged += r->merged;
		check_arrow(a, r, drawn);
	}
	a->c->arrows += (long)arrows;
	for (uint32_t i = 0; i < t->info->sends; i++) {
		double x0, x1;
		hb_at to;
		bool in = message_in(a, i, &x0, &x1, &to);
		all += in;
	}
	uint64_t most = a->p.ndensities && a->most > 4 ? a->most / 4 : a->most;
	if (a->p.messages != all || a->p.hidden_messages != all - arrows || arrows > most || alternatives > a->most)
		wrong(a, "%lu messages, %lu hidden, %lu drawn, not %lu", (unsigned long)a->p.messages,
			(unsigned long)a->p.hidden_messages, (unsigned long)arrows, (unsigned long)all);
	if ((all <= most && arrows < all) || (arrows > t->info->lines && merged != all) || merged > all ||
		(all > most && arrows < most / 3 && arrows < t->info->lines) || (all && !arrows))
		wrong(a, "%lu of %lu messages drawn, for %lu", (unsigned long)arrows, (unsigned long)all,
			(unsigned long)merged);
	for (size_t i = 0; i < a->p.nboxes && alternatives < a->most && !a->w->filter; i++) {
		bool found = !(a->p.boxes[i].flags & HB_BOX_RACES);
		for (size_t k = 0; k < a->p.narrows && !found; k++)
			found = a->p.arrows[k].flags & HB_ARROW_ALTERNATIVE &&
				!memcmp(&a->p.arrows[k].to, &a->p.boxes[i].at, sizeof(hb_at));
		if (!found)
			wrong(a, "no alternative of a race");
	}
	free(drawn);
}

/* ---- collectives ---- */

static bool is_part(const struct asked *a, uint32_t id, uint32_t process, hb_at *ret_at)
{
	*ret_at = process == HB_NO ? (hb_at){HB_NO, 0} : hb_collective_enter(a->c->t->model, id, process);
	if (ret_at->line == HB_NO || !ret_at->event || !a->wanted[ret_at->line] || a->hidden[ret_at->line])
		return false;
	const struct fact *f = fact_of(a->c->t, *ret_at);
	hb_layout_filter functions = {.function = a->w->filter ? a->w->filter->function : NULL};
	return f->exit[a->w->axis] >= a->w->from && f->enter[a->w->axis] <= a->w->to &&
	       truth_event_wanted(a->c->t, *ret_at, &functions, a->c->names, a->c->nnames);
}

static uint32_t parts_of(const struct asked *a, uint32_t id)
{
	const hb_collective *c = &hb_model_collectives(a->c->t->model)[id];
	const hb_group *g = &hb_model_groups(a->c->t->model)[c->group];
	const hb_layout_filter *f = a->w->filter;
	uint32_t n = 0;
	hb_at at;
	if (c->enters < 2 || (f && (f->has_tag || (f->group && !f->group[c->group]))))
		return 0;
	for (uint32_t i = 0; i < g->size; i++)
		n += is_part(a, id, g->member[i], &at);
	for (uint32_t i = 0; i < g->remote_size; i++)
		n += is_part(a, id, g->remote[i], &at);
	return n;
}

static void check_rings(struct asked *a)
{
	const hb_picture *p = &a->p;
	uint64_t all = 0;
	for (uint32_t i = 0; i < a->c->t->info->collectives; i++)
		all += parts_of(a, i) != 0;
	a->c->rings += (long)p->nrings;
	for (size_t i = 0; i < p->nrings; i++) {
		const hb_ring *r = &p->rings[i];
		hb_at at;
		if (r->first + r->n > p->nparts || !r->n || r->n != parts_of(a, r->collective)) {
			wrong(a, "collective %u has %u parts, not %u", r->collective, r->n, parts_of(a, r->collective));
			continue;
		}
		for (uint32_t k = r->first; k < r->first + r->n; k++) {
			const hb_part *part = &p->parts[k];
			uint32_t process = hb_model_lines(a->c->t->model)[part->at.line].process;
			const struct fact *f = fact_of(a->c->t, part->at);
			if (!is_part(a, r->collective, process, &at) || at.line != part->at.line ||
				at.event != part->at.event || part->x0 != f->enter[a->w->axis] ||
				part->x1 != f->exit[a->w->axis])
				wrong(a, "part of collective %u in line %u", r->collective, part->at.line);
		}
	}
	if (p->nrings > a->most || p->collectives != p->nrings + p->hidden_collectives || p->collectives < all ||
		(!p->hidden_collectives && p->nrings != all))
		wrong(a, "%zu rings, %lu collectives, %lu hidden, not %lu", p->nrings, (unsigned long)p->collectives,
			(unsigned long)p->hidden_collectives, (unsigned long)all);
}

void compare_window(struct compared *c, const hb_window *w)
{
	uint32_t lines = c->t->info->lines;
	struct asked a = {.c = c, .w = w, .most = w->most ? w->most : 6000};
	hb_error err = {0};
	a.wanted = calloc(lines + 1u, 1);
	a.hidden = calloc(lines + 1u, 1);
	for (uint32_t i = 0; i < (w->line ? w->nlines : lines); i++)
		a.wanted[w->line ? w->line[i] : i] = true;
	for (uint32_t i = 0; i < lines; i++)
		a.hidden[i] = w->filter && w->filter->hidden_line && w->filter->hidden_line[i];
	c->windows++;
	if (hb_layout_query(c->layout, w, &a.p, &err)) {
		wrong(&a, "no answer: %s", err.message);
	} else {
		check_events(&a);
		check_messages(&a);
		check_rings(&a);
		hb_picture_free(&a.p);
	}
	free(a.wanted);
	free(a.hidden);
}

void compare_places(struct compared *c)
{
	for (int axis = 0; axis < 2; axis++)
		for (uint32_t line = 0; line < c->t->info->lines; line++)
			for (uint32_t e = 1; e <= hb_model_lines(c->t->model)[line].events; e++) {
				double enter, exit, from, to;
				const struct fact *f = fact_of(c->t, (hb_at){line, e});
				hb_layout_x(c->layout, (hb_axis)axis, (hb_at){line, e}, &enter, &exit);
				hb_layout_span(c->layout, (hb_axis)axis, &from, &to);
				uint32_t at = hb_layout_event_at(c->layout, (hb_axis)axis, line, enter);
				uint32_t before =
					hb_layout_event_at(c->layout, (hb_axis)axis, line, nextafter(enter, -INFINITY));
				bool good = enter == f->enter[axis] && exit == f->exit[axis] && enter >= from &&
					    exit <= to && at >= e && before < e &&
					    (at == e || fact_of(c->t, (hb_at){line, at})->enter[axis] == enter);
				c->wrong += !good;
				if (!good && c->shown++ < 10)
					printf("%s: axis %d, event %u of line %u stands at %.17g to %.17g\n", c->name,
						axis, e, line, enter, exit);
			}
}
