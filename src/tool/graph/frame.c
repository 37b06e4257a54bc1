/* What is around the events: lines, time, the cut and the cones, the legend. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "graph.h"

static const struct {
	const char *name;
	hb_colour colour, wait;
} kinds[] = {
	[HB_BOX_LOCAL] = {"local call", 0xc3cbd5ff, 0xeef1f4ff},
	[HB_BOX_SEND] = {"send", 0x6aabe3ff, 0xd9eaf8ff},
	[HB_BOX_RECEIVE] = {"receive", 0xf0ae47ff, 0xfdf0daff},
	[HB_BOX_COMPLETE] = {"completion", 0xd99bc1ff, 0xf7e6f0ff},
	[HB_BOX_PROBE] = {"probe", 0xa9d8f3ff, 0xe6f4fcff},
	[HB_BOX_COLLECTIVE] = {"collective", 0x57bd9eff, 0xd9f1eaff},
};

static uint8_t known(uint8_t kind) { return kind < sizeof kinds / sizeof *kinds ? kind : HB_BOX_LOCAL; }

hb_colour hb__kind_colour(uint8_t kind) { return kinds[known(kind)].colour; }

hb_colour hb__wait_colour(uint8_t kind) { return kinds[known(kind)].wait; }

const char *hb__kind_name(uint8_t kind) { return kinds[known(kind)].name; }

static void line(hb_pen *pen, double x0, double y0, double x1, double y1, const hb_style *style)
{
	pen->kind->path(pen, (hb_dot[]){{x0, y0}, {x1, y1}}, 2, false, style);
}

/* ---- cut and cones ---- */

/* Where the cut crosses a line. */
static double cut_at(const hb_graph *g, const hb_sheet *s, uint32_t l)
{
	double enter, exit;
	if (g->stop[l] == HB_STOP_NOTHING || !g->stop_event[l])
		return s->left;
	hb_layout_x(g->layout, g->axis, (hb_at){l, g->stop_event[l]}, &enter, &exit);
	if (g->stop[l] == HB_STOP_AFTER || g->stop[l] == HB_STOP_END)
		return hb__sheet_right(g, s, exit);
	/* inside: where it waits */
	return exit > enter ? (hb__sheet_left(g, s, enter) + hb__sheet_left(g, s, exit)) / 2
			    : hb__sheet_middle(g, s, enter);
}

static void draw_cones(const hb_graph *g, const hb_sheet *s, hb_pen *pen)
{
	static const hb_style past = {.fill = HB_PAST}, future = {.fill = HB_FUTURE};
	pen->kind->begin(pen, "cones", NULL, NULL);
	for (uint32_t i = 0; i < g->nlines; i++) {
		double y = s->rows[i], high = s->rows[i + 1] - y, x = cut_at(g, s, g->line[i]), enter, exit;
		if (x > s->left)
			pen->kind->box(pen, s->left, y, x - s->left, high, &past);
		if (!g->future[g->line[i]])
			continue;
		hb_layout_x(g->layout, g->axis, (hb_at){g->line[i], g->future[g->line[i]]}, &enter, &exit);
		/* it depends on the event where it returns */
		double from = fmax(x, hb__sheet_left(g, s, exit));
		if (from < s->right)
			pen->kind->box(pen, from, y, s->right - from, high, &future);
	}
	pen->kind->end(pen);
}

void hb__graph_cut(const hb_graph *g, const hb_sheet *s, hb_pen *pen)
{
	static const hb_style style = {.stroke = HB_CUT, .width = 2};
	char name[HB_EVENT_NAME];
	hb_dot *dots = hb__alloc(2 * (size_t)g->nlines * sizeof *dots);
	for (uint32_t i = 0; i < g->nlines; i++) {
		double x = cut_at(g, s, g->line[i]);
		dots[2 * i] = (hb_dot){x, s->rows[i]};
		dots[2 * i + 1] = (hb_dot){x, s->rows[i + 1]};
	}
	hb__event_name(&g->run, g->at, name);
	char *title = hb__format(
		"the cut of %s: where each process stands when everything that %s depends on has happened", name, name);
	pen->kind->begin(pen, "cut", (const char *[]){"event", name, NULL}, title);
	pen->kind->path(pen, dots, 2 * (size_t)g->nlines, false, &style);
	pen->kind->end(pen);
	free(title);
	free(dots);
}

/* ---- time ---- */

/* 1, 2 or 5 times a power of ten, at least `step`. */
static double round_step(double step)
{
	double power = pow(10, floor(log10(step)));
	for (int i = 0; i < 3; i++)
		if ((double[]){1, 2, 5}[i] * power >= step * 0.999)
			return (double[]){1, 2, 5}[i] * power;
	return 10 * power;
}

static void draw_tick(const hb_graph *g, const hb_sheet *s, hb_pen *pen, double x, double value)
{
	static const hb_style style = {.stroke = 0xedf0f4ff, .width = 1};
	char text[48];
	if (!hb__sheet_shows(s, x, x))
		return;
	line(pen, x, s->top, x, s->bottom + 4, &style);
	pen->kind->text(pen, x, s->bottom + 16, hb__graph_number(g, value, text),
		&(hb_lettering){9.5, HB_GREY, HB_ANCHOR_MIDDLE, false});
}

static void draw_time(const hb_graph *g, const hb_sheet *s, hb_pen *pen)
{
	pen->kind->begin(pen, "time", NULL, NULL);
	if (g->axis == HB_AXIS_PHYSICAL) {
		double step = round_step(fmax((g->to - g->from) / 12, 1));
		for (double x = ceil(g->from / step) * step; x <= g->to; x += step)
			draw_tick(g, s, pen, hb__sheet_middle(g, s, x), x);
	} else {
		double last = -1e9;
		double step =
			round_step(fmax(1, (s->value[s->ncolumns - 1] - s->value[0]) / ((s->right - s->left) / 60)));
		for (size_t i = 0; i < s->ncolumns; i++) {
			double x = (s->border[i] + s->border[i + 1]) / 2;
			if (fmod(s->value[i], step) > 1e-9 || x - last < 30)
				continue;
			draw_tick(g, s, pen, x, s->value[i]);
			last = x;
		}
	}
	pen->kind->end(pen);
}

/* ---- lines and titles ---- */

/* Its last event, when that is where the process ended without having finalized, or broke off. */
static bool died(const hb_graph *g, uint32_t l)
{
	const hb_line *of = &hb_model_lines(g->run.model)[l];
	const hb_process *p = &hb_model_processes(g->run.model)[of->process];
	return p->log && !of->lane && !of->inside && hb_log_get_info(p->log)->state != HB_STATE_FINALIZED;
}

static void draw_lines(const hb_graph *g, const hb_sheet *s, hb_pen *pen)
{
	static const hb_style thread = {.stroke = 0xc4ccd6ff, .width = 1.2}, cross = {.stroke = HB_STOP, .width = 2.4};
	for (uint32_t i = 0; i < g->nlines; i++) {
		uint32_t events = hb_model_lines(g->run.model)[g->line[i]].events;
		double y = hb__sheet_row(s, i), enter, exit, end = s->right;
		if (events) {
			hb_layout_x(g->layout, g->axis, (hb_at){g->line[i], events}, &enter, &exit);
			end = exit < g->from ? s->left : exit <= g->to ? hb__sheet_right(g, s, exit) : end;
		}
		bool dead = events && died(g, g->line[i]) && end < s->right - 1;
		end += dead ? 9 : 0;
		if (end > s->begins)
			line(pen, s->begins, y, fmin(end, s->ends), y, &thread);
		if (!dead || !hb__sheet_shows(s, end, end))
			continue;
		pen->kind->begin(pen, "end", NULL, "the process ended here, without MPI_Finalize");
		line(pen, end - 5, y - 5, end + 5, y + 5, &cross);
		line(pen, end - 5, y + 5, end + 5, y - 5, &cross);
		pen->kind->end(pen);
	}
}

void hb__graph_names(const hb_graph *g, const hb_sheet *s, hb_pen *pen, double down)
{
	char name[HB_EVENT_NAME];
	for (uint32_t i = 0; i < g->nlines; i++) {
		double y = hb__sheet_row(s, i) + down + 4;
		hb__line_name(&g->run, g->line[i], name);
		pen->kind->begin(pen, "line", (const char *[]){"line", name, NULL}, NULL);
		pen->kind->text(pen, s->left - 10, y, name, &(hb_lettering){12, HB_INK, HB_ANCHOR_RIGHT, true});
		if (!hb_model_lines(g->run.model)[g->line[i]].lane && *hb_rank_word(name))
			pen->kind->text(pen, s->left - 14 - hb__text_width(name, 12, true), y, "rank",
				&(hb_lettering){10, HB_GREY, HB_ANCHOR_RIGHT, false});
		pen->kind->end(pen);
	}
	pen->kind->text(pen, s->left - 10, s->bottom + down + 16, g->options.physical ? "time" : "logical time",
		&(hb_lettering){9.5, HB_GREY, HB_ANCHOR_RIGHT, false});
}

double hb__graph_title(const hb_graph *g, hb_pen *pen)
{
	char from[48], to[48], name[HB_EVENT_NAME];
	char *part =
		g->what ? hb__format("%llu of %llu events, %s, %s %s to %s", (unsigned long long)g->events,
				  (unsigned long long)g->total, g->what, g->options.physical ? "time" : "logical time",
				  hb__graph_number(g, g->from, from), hb__graph_number(g, g->to, to))
			: hb__format("all %llu events%s", (unsigned long long)g->events,
				  g->options.ranks ? " of these processes" : "");
	char *cut = g->at.event ? hb__format("cut of %s", hb__event_name(&g->run, g->at, name)) : hb__copy("");
	const char *const words[] = {g->name, part, cut};
	const hb_lettering how[] = {{14, HB_INK, HB_ANCHOR_LEFT, true}, {11, HB_GREY, HB_ANCHOR_LEFT, false},
		{11, HB_CUT, HB_ANCHOR_LEFT, true}};
	double x = 16;
	for (int i = 0; i < 3; i++) {
		if (pen && *words[i])
			pen->kind->text(pen, x, 24, words[i], &how[i]);
		x += hb__text_width(words[i], how[i].size, how[i].bold) + 16;
	}
	free(cut);
	free(part);
	return x;
}

void hb__graph_ground(const hb_graph *g, const hb_sheet *s, hb_pen *pen)
{
	if (g->at.event)
		draw_cones(g, s, pen);
	draw_time(g, s, pen);
	draw_lines(g, s, pen);
}

/* ---- the legend: only what is there ---- */

struct legend {
	hb_pen *pen; /* NULL: only measured */
	double x, y;
};

static void word(struct legend *l, const char *text)
{
	if (l->pen)
		l->pen->kind->text(l->pen, l->x, l->y + 4, text, &(hb_lettering){10, HB_GREY, HB_ANCHOR_LEFT, false});
	l->x += hb__text_width(text, 10, false) + 18;
}

static void swatch(struct legend *l, const char *text, const hb_style *style)
{
	if (l->pen)
		l->pen->kind->box(l->pen, l->x, l->y - 5, 16, 10, style);
	l->x += 21;
	word(l, text);
}

static void stroke(struct legend *l, const char *text, const hb_style *style)
{
	if (l->pen)
		line(l->pen, l->x, l->y, l->x + 22, l->y, style);
	l->x += 27;
	word(l, text);
}

static void legend_of_boxes(const hb_graph *g, struct legend *l)
{
	bool kind[HB_BOX_COLLECTIVE + 1] = {0}, waited = false;
	uint8_t flags = 0;
	for (size_t i = 0; i < g->picture.nboxes; i++) {
		const hb_box *b = &g->picture.boxes[i];
		kind[b->kind <= HB_BOX_COLLECTIVE ? b->kind : HB_BOX_LOCAL] = true;
		waited = waited || b->waited > 0 || (g->axis == HB_AXIS_LOGICAL && b->x1 > b->x0);
		flags |= b->flags;
	}
	for (uint8_t k = 0; k <= HB_BOX_COLLECTIVE; k++)
		if (kind[k])
			swatch(l, hb__kind_name(k), &(hb_style){.fill = hb__kind_colour(k), .round = 2});
	if (waited)
		swatch(l, "waiting", &(hb_style){.fill = 0xeef1f4ff, .stroke = 0xb9c2ccff, .width = 0.8, .round = 2});
	if (flags & HB_BOX_INSIDE)
		swatch(l, "never returned", &(hb_style){.stroke = HB_STOP, .width = 1.2, .dash = 3, .round = 2});
	if (flags & HB_BOX_FAILED)
		swatch(l, "failed", &(hb_style){.fill = HB_STOP});
	if (flags & HB_BOX_RACES)
		swatch(l, "raced", &(hb_style){.stroke = HB_RACE, .width = 2, .round = 2});
}

double hb__graph_legend(const hb_graph *g, const hb_sheet *s, hb_pen *pen)
{
	struct legend l = {pen, 16, s->height - 18};
	uint8_t arrows = 0;
	if (pen)
		pen->kind->begin(pen, "legend", NULL, NULL);
	legend_of_boxes(g, &l);
	if (g->picture.nspans)
		swatch(&l, "span of the program",
			&(hb_style){.fill = hb__span_colour(0), .stroke = 0x8c97a5ff, .width = 0.6, .round = 2});
	for (size_t i = 0; i < g->narrows; i++)
		arrows |= g->arrows[i].flags;
	if (arrows & HB_ARROW_ALTERNATIVE)
		stroke(&l, "could have come instead", &(hb_style){.stroke = HB_RACE, .width = 1.2, .dash = 4});
	if (arrows & HB_ARROW_SYNCHRONOUS)
		stroke(&l, "synchronous", &(hb_style){.stroke = HB_SYNCHRON, .width = 3});
	if (arrows & HB_ARROW_ORDER)
		stroke(&l, "order without a message", &(hb_style){.stroke = HB_ORDERED, .width = 1.25, .dash = 7});
	if (arrows & HB_ARROW_UNMATCHED)
		stroke(&l, "never received", &(hb_style){.stroke = HB_STOP, .width = 1.2, .dash = 2});
	if (g->picture.nstubs)
		stroke(&l, "to and from who is not recorded", &(hb_style){.stroke = HB_MESSAGE, .width = 1.25});
	if (g->at.event) {
		swatch(&l, "its past", &(hb_style){.fill = HB_PAST + 0x20});
		swatch(&l, "its future", &(hb_style){.fill = HB_FUTURE + 0x20});
		stroke(&l, "its cut", &(hb_style){.stroke = HB_CUT, .width = 2});
	}
	if (pen)
		pen->kind->end(pen);
	return l.x;
}
