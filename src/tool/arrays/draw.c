/* A map as a picture: cells, the parts of the processes, the first element that differs, what the colours mean. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "map.h"

#define MARGIN 16.0
#define TOP 64.0    /* title and figures */
#define BOTTOM 56.0 /* legend */
#define LEFT 64.0   /* indices of rows */
#define SIDE 480.0  /* the longer side, about */
#define LEAST 440.0 /* width, for the words */

static double cell_size(const hb_map *m)
{
	uint32_t longer = m->rows > m->columns ? m->rows : m->columns;
	double size = floor(SIDE / longer);
	return size < 1 ? 1 : size > 24 ? 24 : size;
}

static double cell_height(const hb_map *m) { return m->rank == 1 ? 32 : cell_size(m); }

void hb__map_size(const hb_map *m, double *ret_width, double *ret_height)
{
	*ret_width = fmax(m->columns * cell_size(m), LEAST) + LEFT + MARGIN;
	*ret_height = m->rows * cell_height(m) + TOP + BOTTOM;
}

void hb__map_plot(const hb_map *m, double *ret_left, double *ret_top, double *ret_width, double *ret_height)
{
	*ret_left = LEFT;
	*ret_top = TOP;
	*ret_width = m->columns * cell_size(m);
	*ret_height = m->rows * cell_height(m);
}

/* Equal is nearly white; from the tolerance up to 1 and more from yellow to dark red, by powers of ten. */
static hb_colour colour_of(const hb_map *m, double difference)
{
	static const hb_colour steps[] = {0xfde68aff, 0xfbbf24ff, 0xf97316ff, 0xdc2626ff, 0x7f1d1dff};
	enum { STEPS = sizeof steps / sizeof *steps };
	if (isnan(difference))
		return 0xd4d8ddff;
	if (!(difference > m->what.tolerance))
		return difference > 0 ? 0xe8f5ecff : 0xf4f6f8ff;
	double low = log10(m->what.tolerance > 1e-16 ? m->what.tolerance : 1e-16),
	       share = (log10(difference) - low) / (0 - low);
	return steps[!(share < 1) ? STEPS - 1 : share < 0 ? 0 : (unsigned)(share * (STEPS - 1))];
}

static void words(hb_pen *pen, double x, double y, double size, bool bold, hb_anchor anchor, const char *text)
{
	pen->kind->text(pen, x, y, text, &(hb_lettering){size, 0x1f2933ff, anchor, bold});
}

static int64_t base(const hb_map *m, unsigned d) { return m->what.base ? m->what.base[d] : 0; }

/* "(3, 17)" */
static void index_text(const hb_map *m, const int64_t *index, char *text, size_t room)
{
	int n = snprintf(text, room, "(");
	for (unsigned d = 0; d < m->rank; d++)
		n += snprintf(text + n, room - (size_t)n, "%s%lld", d ? ", " : "", (long long)(index[d] + base(m, d)));
	snprintf(text + n, room - (size_t)n, ")");
}

static void heading(const hb_map *m, hb_pen *pen)
{
	char text[512], index[200];
	const char *what = m->tiles ? "tiles" : "elements";
	words(pen, MARGIN, 24, 15, true, HB_ANCHOR_LEFT, m->what.title);
	if (!m->differing)
		snprintf(text, sizeof text, "none of %llu %s differs by more than %g",
			(unsigned long long)(m->elements - m->unknown), what, m->what.tolerance);
	else
		snprintf(text, sizeof text, "%llu of %llu %s differ, by up to %.3g of the array's root mean square",
			(unsigned long long)m->differing, (unsigned long long)(m->elements - m->unknown), what,
			m->largest);
	words(pen, MARGIN, 42, 11, false, HB_ANCHOR_LEFT, text);
	if (!m->found)
		return;
	index_text(m, m->first, index, sizeof index);
	if (m->tiles)
		snprintf(text, sizeof text, "the first one begins at %s", index);
	else
		snprintf(text, sizeof text, "the first one is %s: %.10g != %.10g", index, m->a, m->b);
	words(pen, MARGIN, 56, 11, false, HB_ANCHOR_LEFT, text);
}

static void cells(const hb_map *m, hb_pen *pen)
{
	double w = cell_size(m), h = cell_height(m);
	pen->kind->begin(pen, "cells", NULL, NULL);
	for (uint32_t r = 0; r < m->rows; r++)
		for (uint32_t c = 0, run; c < m->columns; c += run) {
			hb_colour colour = colour_of(m, m->cell[(size_t)r * m->columns + c]);
			for (run = 1; c + run < m->columns &&
				      colour_of(m, m->cell[(size_t)r * m->columns + c + run]) == colour;)
				run++;
			pen->kind->box(pen, LEFT + c * w, TOP + r * h, run * w, h, &(hb_style){.fill = colour});
		}
	pen->kind->end(pen);
}

/* Where an index is among those of a dimension that are shown, 0 to 1: one outside is at the edge. */
static double part_of(const hb_map *m, unsigned d, int64_t index)
{
	return fmin(fmax((double)(index - m->from[d]) / (double)m->count[d], 0), 1);
}
static double across(const hb_map *m, int64_t index)
{
	return LEFT + part_of(m, m->across, index) * m->columns * cell_size(m);
}
static double down(const hb_map *m, int64_t index)
{
	return TOP + (m->rank == 1 ? 0 : part_of(m, m->down, index) * m->rows * cell_height(m));
}

static void borders(const hb_map *m, hb_pen *pen)
{
	static const hb_style style = {.stroke = 0x334e68ff, .width = 1};
	pen->kind->begin(pen, "processes", NULL, NULL);
	for (size_t i = 0; i < m->what.boxes; i++) {
		const hb_map_box *b = &m->what.box[i];
		double x = across(m, b->first[m->across]), y = down(m, m->rank == 1 ? 0 : b->first[m->down]);
		double w = across(m, b->first[m->across] + b->count[m->across]) - x;
		double h = m->rank == 1 ? cell_height(m) : down(m, b->first[m->down] + b->count[m->down]) - y;
		if (!(w > 0 && h > 0))
			continue;
		pen->kind->box(pen, x, y, w, h, &style);
		if (w > hb__text_width(b->name, 10, false) + 4 && h > 14)
			words(pen, x + 3, y + 11, 10, false, HB_ANCHOR_LEFT, b->name);
	}
	pen->kind->end(pen);
}

/* What the first index that is shown is called. */
static int64_t first_of(const hb_map *m, unsigned d) { return base(m, d) + m->from[d]; }

static void axes(const hb_map *m, hb_pen *pen)
{
	char text[32];
	double wide = m->columns * cell_size(m), high = m->rows * cell_height(m), below = TOP + high + 12;
	snprintf(text, sizeof text, "%lld", (long long)first_of(m, m->across));
	words(pen, LEFT, below, 10, false, HB_ANCHOR_LEFT, text);
	snprintf(text, sizeof text, "%lld", (long long)(first_of(m, m->across) + m->count[m->across] - 1));
	if (wide > 60)
		words(pen, LEFT + wide, below, 10, false, HB_ANCHOR_RIGHT, text);
	snprintf(text, sizeof text, "index %u", m->across + 1);
	if (wide > 160)
		words(pen, LEFT + wide / 2, below, 10, false, HB_ANCHOR_MIDDLE, text);
	if (m->rank == 1)
		return;
	snprintf(text, sizeof text, "%lld", (long long)first_of(m, m->down));
	words(pen, LEFT - 4, TOP + 9, 10, false, HB_ANCHOR_RIGHT, text);
	snprintf(text, sizeof text, "%lld", (long long)(first_of(m, m->down) + m->count[m->down] - 1));
	if (high > 22)
		words(pen, LEFT - 4, TOP + high, 10, false, HB_ANCHOR_RIGHT, text);
	snprintf(text, sizeof text, "index %u", m->down + 1);
	if (high > 44)
		words(pen, LEFT - 4, TOP + high / 2, 10, false, HB_ANCHOR_RIGHT, text);
}

static void mark(const hb_map *m, hb_pen *pen)
{
	if (!m->found)
		return;
	double x = across(m, m->first[m->across]), y = down(m, m->rank == 1 ? 0 : m->first[m->down]),
	       w = fmax(cell_size(m), 6);
	pen->kind->box(
		pen, x - 1, y - 1, w + 2, fmax(cell_height(m), 6) + 2, &(hb_style){.stroke = 0x1d4ed8ff, .width = 2});
}

static void legend(const hb_map *m, hb_pen *pen)
{
	double y = TOP + m->rows * cell_height(m) + 24, x = LEFT;
	const struct {
		double difference;
		char text[24];
	} all[] = {{0, "equal"}, {m->what.tolerance, ""}, {sqrt(m->what.tolerance), ""}, {1, ""}, {NAN, "not known"}};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		char text[24];
		bool least = i == 1;
		if (i == 4 && !m->unknown)
			break;
		snprintf(text, sizeof text, "%s", all[i].text);
		if (!*text)
			snprintf(text, sizeof text, "%s%.1g", least ? "> " : "", all[i].difference);
		pen->kind->box(pen, x, y, 12, 12,
			&(hb_style){.fill = colour_of(m, least ? all[i].difference * 1.01 : all[i].difference),
				.stroke = 0x9aa5b1ff,
				.width = 0.5});
		words(pen, x + 16, y + 10, 10, false, HB_ANCHOR_LEFT, text);
		x += 30 + hb__text_width(text, 10, false);
	}
	if (m->rank > 2)
		words(pen, LEFT, y + 26, 10, false, HB_ANCHOR_LEFT,
			"each cell shows the largest difference over all other indices");
}

void hb__map_draw(const hb_map *m, hb_pen *pen)
{
	double width, height;
	hb__map_size(m, &width, &height);
	pen->kind->box(pen, 0, 0, width, height, &(hb_style){.fill = 0xffffffff});
	heading(m, pen);
	cells(m, pen);
	borders(m, pen);
	axes(m, pen);
	mark(m, pen);
	legend(m, pen);
}
