/* Spans of the program itself: bars in rows of their own below a line, one for each depth. */
#include <math.h>
#include <stdlib.h>

#include "graph.h"

#define EACH 13.0 /* a row of spans */
#define BAR 11.0

hb_colour hb__span_colour(uint32_t function)
{
	static const hb_colour shades[] = {0xdfe3f7ff, 0xf6e3d3ff, 0xdcefd9ff, 0xf3dcecff, 0xe9e6cfff, 0xd5edf0ff};
	return shades[function % (sizeof shades / sizeof *shades)];
}

const char *hb__span_name(const hb_graph *g, const hb_span *span)
{
	uint32_t functions;
	const char *const *names = hb_layout_functions(g->layout, &functions);
	return span->function < functions ? names[span->function] : "?";
}

double hb__spans_height(const hb_graph *g, uint32_t line)
{
	uint32_t depth = 0;
	for (size_t i = 0; i < g->picture.nspans; i++)
		if (g->picture.spans[i].line == line && g->picture.spans[i].depth >= depth)
			depth = g->picture.spans[i].depth + 1;
	return depth * EACH;
}

static void draw_span(const hb_graph *g, const hb_sheet *s, hb_pen *pen, const hb_span *span)
{
	uint32_t row = g->row[span->line];
	double left = hb__sheet_left(g, s, span->x0), right = hb__sheet_right(g, s, span->x1);
	if (row == HB_NO || !hb__sheet_shows(s, left, right))
		return;
	char from[HB_EVENT_NAME], to[HB_EVENT_NAME] = "";
	const char *name = hb__span_name(g, span);
	double y = s->rows[row + 1] - hb__spans_height(g, span->line) + span->depth * EACH;
	hb__event_name(&g->run, (hb_at){span->line, span->begin}, from);
	if (span->end)
		hb__event_name(&g->run, (hb_at){span->line, span->end}, to);
	char *title = span->merged > 1 ? hb__format("%u spans, the first is %s, from %s", span->merged, name, from)
		      : span->end      ? hb__format("span %s from %s to %s", name, from, to)
				       : hb__format("span %s from %s on: it did not end", name, from);
	pen->kind->begin(pen, "span", (const char *[]){"name", name, "from", from, "to", to, NULL}, title);
	pen->kind->box(pen, left, y, fmax(right - left, 1), BAR,
		&(hb_style){.fill = hb__span_colour(span->function), .stroke = 0x8c97a5ff, .width = 0.6, .round = 2});
	left = fmax(left, s->begins);
	right = fmin(right, s->ends);
	if (hb__text_width(name, 8.5, false) + 8 <= right - left)
		pen->kind->text(
			pen, left + 4, y + BAR - 2.5, name, &(hb_lettering){8.5, HB_INK, HB_ANCHOR_LEFT, false});
	pen->kind->end(pen);
	free(title);
}

void hb__graph_spans(const hb_graph *g, const hb_sheet *s, hb_pen *pen)
{
	for (size_t i = 0; i < g->picture.nspans; i++)
		draw_span(g, s, pen, &g->picture.spans[i]);
}
