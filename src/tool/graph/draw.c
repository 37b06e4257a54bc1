/* Events, messages, collectives and who is not recorded on the sheet. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../show/inert.h"
#include "graph.h"

#define GAP 1.5 /* between boxes */

static hb_colour pale(hb_colour colour, unsigned alpha) { return (colour & ~0xffu) | alpha; }

static uint32_t row_of(const hb_graph *g, uint32_t line)
{
	return line == HB_NO || line >= hb_model_get_info(g->run.model)->lines ? HB_NO : g->row[line];
}

/* ---- collectives ---- */

static void draw_ring(const hb_graph *g, const hb_sheet *s, hb_pen *pen, const hb_ring *ring)
{
	double least = s->right, most = s->left;
	hb_dot *dots = hb__alloc((4 * (size_t)ring->n + 1) * sizeof *dots);
	char from[HB_EVENT_NAME];
	uint32_t functions, n = 0;
	const char *const *names = hb_layout_functions(g->layout, &functions);
	for (uint32_t i = 0; i < ring->n; i++) { /* down the left side ... */
		const hb_part *p = &g->picture.parts[ring->first + i];
		uint32_t row = row_of(g, p->at.line);
		if (row == HB_NO)
			continue;
		double x = hb__sheet_left(g, s, g->axis == HB_AXIS_LOGICAL ? p->x1 : p->x0) + GAP,
		       y = hb__sheet_row(s, row), half = s->bar / 2 + 4;
		dots[n++] = (hb_dot){x, y - half};
		dots[n++] = (hb_dot){x, y + half};
	}
	for (uint32_t i = ring->n; i-- > 0;) { /* ... and up the right one */
		const hb_part *p = &g->picture.parts[ring->first + i];
		uint32_t row = row_of(g, p->at.line);
		if (row == HB_NO)
			continue;
		double x = hb__sheet_right(g, s, p->x1) - GAP, y = hb__sheet_row(s, row), half = s->bar / 2 + 4;
		dots[n++] = (hb_dot){x, y + half};
		dots[n++] = (hb_dot){x, y - half};
	}
	for (uint32_t i = 0; i < n; i++) {
		least = fmin(least, dots[i].x);
		most = fmax(most, dots[i].x);
	}
	if (n && hb__sheet_shows(s, least, most)) {
		const char *name = ring->function < functions ? names[ring->function] : "collective";
		char *title = hb__format("%s of %u processes", name, ring->n);
		hb__event_name(&g->run, g->picture.parts[ring->first].at, from);
		pen->kind->begin(pen, "collective", (const char *[]){"function", name, "first", from, NULL}, title);
		pen->kind->path(pen, dots, n, true, &(hb_style){.fill = 0x3caa8c29, .stroke = 0x1e82688c, .width = 1});
		pen->kind->end(pen);
		free(title);
	}
	free(dots);
}

/* ---- events ---- */

static double end_of(const hb_graph *g, const hb_sheet *s, const hb_box *b)
{
	return b->flags & HB_BOX_INSIDE ? s->right : hb__sheet_right(g, s, b->x1);
}

/* Where its own work begins: what is before it is waiting. */
static double solid_from(const hb_graph *g, const hb_sheet *s, const hb_box *b)
{
	double x = hb__sheet_left(g, s, b->x0);
	if (b->flags & HB_BOX_INSIDE)
		return x;
	if (g->axis == HB_AXIS_LOGICAL)
		return hb__sheet_left(g, s, b->x1);
	return hb__sheet_left(g, s, fmin(b->x1, b->x0 + b->waited));
}

static void draw_name(
	const hb_sheet *s, hb_pen *pen, const char *name, double left, double solid, double right, double y)
{
	double need = hb__text_width(name, s->letters, false) + 4;
	hb_lettering how = {s->letters, HB_INK, HB_ANCHOR_MIDDLE, false};
	if (right - solid >= need) {
		pen->kind->text(pen, (solid + right) / 2, y + s->letters * 0.36, name, &how);
	} else if (solid - left >= need) {
		pen->kind->text(pen, (left + solid) / 2, y + s->letters * 0.36, name, &how);
	}
}

/* A call that was entered and never left: open to the right. */
static void draw_inside(const hb_sheet *s, hb_pen *pen, double left, double y, hb_colour ground, const char *name)
{
	double h = s->bar, need = hb__text_width(name, s->letters, false) + 16;
	pen->kind->box(pen, left, y - h / 2, s->right - left, h, &(hb_style){.fill = ground});
	pen->kind->path(pen,
		(hb_dot[]){{s->right, y - h / 2}, {left, y - h / 2}, {left, y + h / 2}, {s->right, y + h / 2}}, 4,
		false, &(hb_style){.stroke = HB_STOP, .width = 1.4, .dash = 4});
	if (s->right - left >= need)
		pen->kind->text(pen, left + 8, y + s->letters * 0.36, name,
			&(hb_lettering){s->letters, HB_INK, HB_ANCHOR_LEFT, false});
}

static void draw_bar(const hb_graph *g, const hb_sheet *s, hb_pen *pen, const hb_box *b, const char *name)
{
	double y = hb__sheet_row(s, row_of(g, b->at.line)), h = s->bar;
	double gap = g->axis == HB_AXIS_LOGICAL ? GAP : 0;
	double left = hb__sheet_left(g, s, b->x0) + gap, right = end_of(g, s, b) - gap,
	       solid = solid_from(g, s, b) + gap;
	hb_colour colour = hb__kind_colour(b->kind);
	right = fmax(right, left + 1.5);
	solid = fmin(solid, right - 1);
	if (b->flags & HB_BOX_INSIDE) {
		draw_inside(s, pen, left, y, hb__wait_colour(b->kind), name);
		return;
	}
	if (solid - left > 1)
		pen->kind->box(pen, left, y - h / 2, right - left, h,
			&(hb_style){.fill = hb__wait_colour(b->kind), .stroke = colour, .width = 0.8, .round = 3});
	pen->kind->box(pen, solid, y - h / 2, right - solid, h, &(hb_style){.fill = colour, .round = 3});
	if (b->flags & HB_BOX_FAILED)
		pen->kind->box(pen, solid, y + h / 2 - 4, right - solid, 4, &(hb_style){.fill = HB_STOP});
	if (b->flags & HB_BOX_RACES)
		pen->kind->box(pen, solid - 1, y - h / 2 - 1, right - solid + 2, h + 2,
			&(hb_style){.stroke = HB_RACE, .width = 2.2, .round = 4});
	draw_name(s, pen, name, left, solid, right, y);
}

static void draw_event(const hb_graph *g, const hb_sheet *s, hb_pen *pen, size_t i)
{
	const hb_box *b = &g->picture.boxes[i];
	char name[HB_EVENT_NAME], number[24];
	uint32_t functions;
	const char *const *names = hb_layout_functions(g->layout, &functions);
	const char *function = b->function < functions ? names[b->function] : "?";
	hb__event_name(&g->run, b->at, name);
	pen->kind->begin(pen, b->flags & HB_BOX_RACES ? "event raced" : "event",
		(const char *[]){"event", name, "function", function, "kind", hb__kind_name(b->kind), NULL},
		g->texts[i]);
	draw_bar(g, s, pen, b, hb__short_function(function));
	double right = end_of(g, s, b), left = solid_from(g, s, b);
	bool open = b->flags & HB_BOX_INSIDE;
	if (s->numbers) {
		snprintf(number, sizeof number, "%u", b->at.event);
		pen->kind->text(pen, open ? left + 8 : right - 4,
			hb__sheet_row(s, row_of(g, b->at.line)) + s->bar / 2 + 9.5, number,
			&(hb_lettering){7.5, HB_GREY, open ? HB_ANCHOR_LEFT : HB_ANCHOR_RIGHT, false});
	}
	if (g->at.event && b->at.line == g->at.line && b->at.event == g->at.event)
		pen->kind->box(pen, left - 2.5, hb__sheet_row(s, row_of(g, b->at.line)) - s->bar / 2 - 4,
			right - left + 5, s->bar + 8, &(hb_style){.stroke = HB_CHOSEN, .width = 2.4, .round = 6});
	pen->kind->end(pen);
}

/* ---- messages ---- */

struct shaft {
	double x0, y0, x1, y1;
	bool open; /* its end is not drawn: no head */
};

/* False: neither end is on the sheet. */
static bool find_shaft(const hb_graph *g, const hb_sheet *s, const hb_arrow *a, struct shaft *ret)
{
	uint32_t from = row_of(g, a->from.line), to = row_of(g, a->to.line);
	bool sync = a->flags & HB_ARROW_SYNCHRONOUS, lost = a->flags & HB_ARROW_UNMATCHED;
	double enter, exit;
	if (from == HB_NO && to == HB_NO)
		return false;
	*ret = (struct shaft){.x0 = hb__sheet_middle(g, s, a->x0), .x1 = hb__sheet_middle(g, s, a->x1)};
	if (sync && a->from.event &&
		g->axis == HB_AXIS_LOGICAL) { /* the two stand under each other where both return */
		hb_layout_x(g->layout, g->axis, a->from, &enter, &exit);
		ret->x0 = hb__sheet_middle(g, s, exit);
	}
	if (a->flags & HB_ARROW_ALTERNATIVE && g->axis == HB_AXIS_LOGICAL) /* beside the message that came */
		ret->x1 -= (hb__sheet_right(g, s, a->x1) - hb__sheet_left(g, s, a->x1)) * 0.28;
	if (lost)
		ret->x1 = fmin(s->right - 4, ret->x0 + 26);
	double half = s->bar / 2;
	if (from != HB_NO && to != HB_NO) {
		double way = to > from ? 1 : to < from ? -1 : 0;
		ret->y0 = hb__sheet_row(s, from) + way * half;
		ret->y1 = hb__sheet_row(s, to) - way * half;
		if (!way) { /* to itself: over the line */
			ret->y0 -= half;
			ret->y1 -= half;
		}
		if (lost)
			ret->y1 = ret->y0 + way * fmin(22, fabs(ret->y1 - ret->y0));
		ret->open = a->x1 > g->to;
		return true;
	}
	/* the other end is another process: a stub that leaves or comes in from there */
	bool out = to == HB_NO;
	uint32_t here = out ? from : to, other = out ? a->to.line : a->from.line;
	double way = other < g->line[here] ? -1 : 1, y = hb__sheet_row(s, here) + way * half;
	ret->y0 = out ? y : y + way * 12;
	ret->y1 = out ? y + way * 12 : y;
	if (out)
		ret->x1 = ret->x0 + 9;
	else
		ret->x0 = ret->x1 - 9;
	return true;
}

static void draw_head(hb_pen *pen, hb_dot from, hb_dot to, double size, hb_colour colour)
{
	double dx = to.x - from.x, dy = to.y - from.y, length = sqrt(dx * dx + dy * dy);
	if (length < 1)
		return;
	dx /= length;
	dy /= length;
	double bx = to.x - dx * size, by = to.y - dy * size, w = size * 0.42;
	pen->kind->path(pen, (hb_dot[]){to, {bx - dy * w, by + dx * w}, {bx + dy * w, by - dx * w}}, 3, true,
		&(hb_style){.fill = colour});
}

/* "0:7, then 1:9: access epoch completed, ..." */
static char *order_words(const hb_graph *g, const hb_arrow *a)
{
	char from[HB_EVENT_NAME], to[HB_EVENT_NAME];
	const hb_edge *edge = hb_model_edges(g->run.model);
	const char *words = "";
	for (uint32_t i = 0; i < hb_model_get_info(g->run.model)->edges; i++)
		if (edge[i].from.line == a->from.line && edge[i].from.event == a->from.event &&
			edge[i].to.line == a->to.line && edge[i].to.event == a->to.event)
			words = hb_edge_meanings[edge[i].kind].sentence;
	return hb__format(
		"%s, then %s: %s", hb__event_name(&g->run, a->from, from), hb__event_name(&g->run, a->to, to), words);
}

static char *message_words(const hb_graph *g, const hb_arrow *a)
{
	char from[HB_EVENT_NAME], to[HB_EVENT_NAME] = "?";
	if (a->flags & HB_ARROW_ORDER)
		return order_words(g, a);
	const hb_send *send = &hb_model_sends(g->run.model)[a->send];
	const hb_channel *channel = &hb_model_channels(g->run.model)[send->channel];
	hb__event_name(&g->run, a->from, from);
	if (a->to.event)
		hb__event_name(&g->run, a->to, to);
	const char *what = a->flags & HB_ARROW_ALTERNATIVE   ? "could also have been received by"
			   : a->flags & HB_ARROW_UNMATCHED   ? "was never received"
			   : a->flags & HB_ARROW_AMBIGUOUS   ? "was perhaps received by"
			   : a->flags & HB_ARROW_SYNCHRONOUS ? "was received (synchronous) by"
							     : "was received by";
	char tag[HB_TAG_WORDS];
	return hb__format("message of %s, %s%llu bytes, %s: %s %s", from,
		hb__tag_words(g->run.model, send->channel, tag),
		(unsigned long long)hb_send_bytes(g->run.model, a->send),
		hb_model_group_title(g->run.model, channel->group), what, a->flags & HB_ARROW_UNMATCHED ? "" : to);
}

static void draw_arrow(const hb_graph *g, const hb_sheet *s, hb_pen *pen, const hb_arrow *a)
{
	bool order = a->flags & HB_ARROW_ORDER, alternative = a->flags & HB_ARROW_ALTERNATIVE,
	     sync = a->flags & HB_ARROW_SYNCHRONOUS && !alternative, lost = a->flags & HB_ARROW_UNMATCHED;
	char from[HB_EVENT_NAME], to[HB_EVENT_NAME] = "";
	struct shaft shaft;
	if (!find_shaft(g, s, a, &shaft) || !hb__sheet_shows(s, shaft.x0, shaft.x1))
		return;
	hb_style style = {.stroke = HB_MESSAGE, .width = 1.25};
	if (alternative)
		style = (hb_style){.stroke = pale(HB_RACE, 0xb0), .width = 1.1, .dash = 4};
	else if (order)
		style = (hb_style){.stroke = HB_ORDERED, .width = 1.25, .dash = 7};
	else if (lost)
		style = (hb_style){.stroke = HB_STOP, .width = 1.2, .dash = 2};
	else if (sync)
		style = (hb_style){.stroke = HB_SYNCHRON, .width = 3};
	char *words = message_words(g, a);
	hb__event_name(&g->run, a->from, from);
	if (a->to.event)
		hb__event_name(&g->run, a->to, to);
	pen->kind->begin(pen,
		alternative ? "alternative"
		: order     ? "order"
		: lost      ? "message unmatched"
		: sync      ? "message synchronous"
			    : "message",
		(const char *[]){"from", from, "to", to, NULL}, words);
	pen->kind->path(pen, (hb_dot[]){{shaft.x0, shaft.y0}, {shaft.x1, shaft.y1}}, 2, false, &style);
	if (lost) { /* a cross at its end */
		hb_style cross = {.stroke = HB_STOP, .width = 1.6};
		double x = shaft.x1, y = shaft.y1;
		pen->kind->path(pen, (hb_dot[]){{x - 4, y - 4}, {x + 4, y + 4}}, 2, false, &cross);
		pen->kind->path(pen, (hb_dot[]){{x - 4, y + 4}, {x + 4, y - 4}}, 2, false, &cross);
	} else if (!shaft.open)
		draw_head(pen, (hb_dot){shaft.x0, shaft.y0}, (hb_dot){shaft.x1, shaft.y1},
			sync          ? 10
			: alternative ? 6
				      : 7.5,
			style.stroke);
	pen->kind->end(pen);
	free(words);
}

static void draw_arrows(const hb_graph *g, const hb_sheet *s, hb_pen *pen, bool alternatives)
{
	for (size_t i = 0; i < g->narrows; i++)
		if (!(g->arrows[i].flags & HB_ARROW_ALTERNATIVE) == !alternatives)
			draw_arrow(g, s, pen, &g->arrows[i]);
}

/* ---- to and from who is not recorded: short arrows to and from a point, with the address beside it ---- */

#define HIGH 13.0
#define ACROSS 9.0
#define POINT 2.6 /* radius */
#define LETTERS 8.0

const char *hb__outside_name(const hb_graph *g, const hb_stub *stub)
{
	const hb_crossing *c = &hb_model_crossings(g->run.model)[stub->crossing];
	return hb__tame(hb_model_outside(g->run.model)[c->outside].name);
}

char *hb__outside_words(const hb_graph *g, const hb_stub *stub)
{
	const hb_crossing *c = &hb_model_crossings(g->run.model)[stub->crossing];
	char at[HB_EVENT_NAME];
	char *several = c->n > 1 ? hb__format("%u datagrams, ", c->n) : hb__copy("");
	char *words = hb__format("%s: %s%llu bytes %s %s, who is not recorded", hb__event_name(&g->run, stub->at, at),
		several, (unsigned long long)c->bytes, stub->in ? "from" : "to", hb__outside_name(g, stub));
	free(several);
	return words;
}

/* The addresses that stand beside points of a line, from left to right: where one would cover the other it is left out. */
struct beside {
	uint32_t line;
	double end;
};

static void draw_address(
	const hb_graph *g, const hb_sheet *s, hb_pen *pen, const hb_stub *stub, hb_dot point, struct beside *beside)
{
	const char *name = hb__outside_name(g, stub);
	double x = point.x + POINT + 3;
	if (beside->line != stub->at.line)
		*beside = (struct beside){stub->at.line, s->begins};
	if (x < beside->end || s->row < 40)
		return;
	pen->kind->box(pen, x - 1, point.y - LETTERS / 2, hb__text_width(name, LETTERS, false) + 2, LETTERS,
		&(hb_style){.fill = 0xffffffd0});
	pen->kind->text(
		pen, x, point.y + LETTERS * 0.36, name, &(hb_lettering){LETTERS, HB_GREY, HB_ANCHOR_LEFT, false});
	beside->end = x + hb__text_width(name, LETTERS, false) + 6;
}

static void draw_stub(const hb_graph *g, const hb_sheet *s, hb_pen *pen, const hb_stub *stub, struct beside *beside)
{
	uint32_t row = g->row[stub->at.line];
	double x = hb__sheet_middle(g, s, stub->x), half = s->bar / 2;
	if (row == HB_NO || !hb__sheet_shows(s, x - ACROSS, x + ACROSS))
		return;
	double high = fmax(6, fmin(HIGH, s->row / 2 - half - 4)), y = hb__sheet_row(s, row) - half;
	hb_dot point = {stub->in ? x - ACROSS : x + ACROSS, y - high}, box = {x, y};
	char at[HB_EVENT_NAME], *words = hb__outside_words(g, stub);
	hb__event_name(&g->run, stub->at, at);
	pen->kind->begin(pen, stub->in ? "outside in" : "outside out",
		(const char *[]){"event", at, "peer", hb__outside_name(g, stub), NULL}, words);
	pen->kind->path(pen, (hb_dot[]){point, box}, 2, false, &(hb_style){.stroke = HB_MESSAGE, .width = 1.25});
	pen->kind->box(pen, point.x - POINT, point.y - POINT, 2 * POINT, 2 * POINT,
		&(hb_style){.fill = 0xffffffff, .stroke = HB_MESSAGE, .width = 1.2, .round = POINT});
	draw_head(pen, stub->in ? point : box, stub->in ? box : point, 6, HB_MESSAGE);
	draw_address(g, s, pen, stub, point, beside);
	pen->kind->end(pen);
	free(words);
}

static void draw_outside(const hb_graph *g, const hb_sheet *s, hb_pen *pen)
{
	struct beside beside = {HB_NO, 0};
	for (size_t i = 0; i < g->picture.nstubs; i++)
		draw_stub(g, s, pen, &g->picture.stubs[i], &beside);
}

static void draw_band(const hb_graph *g, const hb_sheet *s, hb_pen *pen)
{
	hb__graph_ground(g, s, pen);
	hb__graph_spans(g, s, pen);
	for (size_t i = 0; i < g->picture.nrings; i++)
		draw_ring(g, s, pen, &g->picture.rings[i]);
	draw_arrows(g, s, pen, true);
	draw_arrows(g, s, pen, false);
	draw_outside(g, s, pen);
	for (size_t i = 0; i < g->picture.nboxes; i++)
		if (hb__sheet_shows(
			    s, hb__sheet_left(g, s, g->picture.boxes[i].x0), end_of(g, s, &g->picture.boxes[i])))
			draw_event(g, s, pen, i);
	if (g->at.event)
		hb__graph_cut(g, s, pen);
}

void hb__graph_draw(const hb_graph *g, const hb_sheet *sheet, hb_pen *pen)
{
	hb_sheet s = *sheet;
	pen->kind->box(pen, 0, 0, s.width, s.height, &(hb_style){.fill = 0xffffffff});
	hb__graph_title(g, pen);
	for (size_t i = 0; i < s.nbands; i++) {
		double down = (double)i * s.band_height;
		s.begins = s.band[i];
		s.ends = s.band[i + 1];
		hb__graph_names(g, &s, pen, down);
		pen->kind->clip(pen, s.left - 3, s.top - 6 + down, s.ends - s.begins + 6, s.bottom - s.top + 28,
			(hb_dot){s.left - s.begins, down});
		draw_band(g, &s, pen);
		pen->kind->unclip(pen);
	}
	hb__graph_legend(g, &s, pen);
}
