/* What went to somebody who is not recorded, or came from there: short arrows to and from a point, with the address beside it. */
#include <math.h>
#include <stdlib.h>

#include "../show/inert.h"
#include "graph.h"

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
	hb__arrow_head(pen, stub->in ? point : box, stub->in ? box : point, 6, HB_MESSAGE);
	draw_address(g, s, pen, stub, point, beside);
	pen->kind->end(pen);
	free(words);
}

void hb__graph_outside(const hb_graph *g, const hb_sheet *s, hb_pen *pen)
{
	struct beside beside = {HB_NO, 0};
	for (size_t i = 0; i < g->picture.nstubs; i++)
		draw_stub(g, s, pen, &g->picture.stubs[i], &beside);
}
