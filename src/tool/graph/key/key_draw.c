/* The picture of a key: a row for each process, time to the right; what should come next is dashed. */
#include <math.h>
#include <stdlib.h>

#include "../../show/inert.h"
#include "../graph.h"
#include "key.h"

#define ROW 64.0
#define BOX 34.0
#define TOP 48.0
#define GAP 34.0 /* between columns */
#define LETTERS 11.0
#define SMALL 9.0
#define EDGE 16.0

static double name_width(const hb_key_picture *p)
{
	double width = 60;
	char name[96];
	for (size_t i = 0; i < p->graph->processes; i++) {
		hb_pattern_process(
			hb__model_judgement(p->found)->pattern, p->graph->process[i].process, name, sizeof name);
		width = fmax(width, hb__text_width(name, LETTERS, true));
	}
	return width + 2 * EDGE;
}

static double box_width(const hb_key_box *b)
{
	return fmax(hb__text_width(b->words, LETTERS, false), hb__text_width(b->more, SMALL, false)) + 14;
}

/* Where each column begins; one more than columns. To be freed. */
static double *columns_of(const hb_key_picture *p)
{
	double *x = hb__alloc(((size_t)p->columns + 2) * sizeof *x);
	for (size_t i = 0; i < p->boxes; i++)
		x[p->box[i].column + 1] = fmax(x[p->box[i].column + 1], box_width(&p->box[i]) + GAP);
	x[0] = name_width(p);
	for (uint32_t c = 0; c < p->columns; c++)
		x[c + 1] += x[c];
	return x;
}

/* Boxes of one process in one column, as alternatives are, stand below each other: which one it is of how many. */
static uint32_t place_in_cell(const hb_key_picture *p, size_t box, uint32_t *ret_n)
{
	uint32_t place = 0;
	*ret_n = 0;
	for (size_t i = 0; i < p->boxes; i++)
		if (p->box[i].process == p->box[box].process && p->box[i].column == p->box[box].column) {
			place += i < box;
			++*ret_n;
		}
	return place;
}

/* Where each row begins; one more than rows. To be freed. */
static double *rows_of(const hb_key_picture *p)
{
	double *y = hb__alloc(((size_t)p->rows + 2) * sizeof *y);
	uint32_t n;
	for (size_t i = 0; i < p->boxes; i++) {
		place_in_cell(p, i, &n);
		uint32_t row = p->row[p->box[i].process];
		y[row + 1] = fmax(y[row + 1], ROW + (n - 1) * (BOX + 8));
	}
	y[0] = TOP;
	for (uint32_t r = 0; r < p->rows; r++)
		y[r + 1] += y[r];
	return y;
}

void hb__key_size(const hb_key_picture *p, double *ret_width, double *ret_height)
{
	double *x = columns_of(p), *y = rows_of(p);
	*ret_width = fmax(x[p->columns] + EDGE, hb__text_width(p->title, 14, true) + 2 * EDGE);
	*ret_height = y[p->rows] + EDGE;
	free(x);
	free(y);
}

struct drawing {
	const hb_key_picture *p;
	hb_pen *pen;
	double *x, *y;
};

static double middle_of(const struct drawing *d, size_t box)
{
	uint32_t n, place = place_in_cell(d->p, box, &n);
	return d->y[d->p->row[d->p->box[box].process]] + ROW / 2 + place * (BOX + 8);
}

static void arrow(const struct drawing *d, size_t from, size_t to, const hb_style *style, const char *words)
{
	double x0 = d->x[d->p->box[from].column] + box_width(&d->p->box[from]), x1 = d->x[d->p->box[to].column];
	double y0 = middle_of(d, from), y1 = middle_of(d, to);
	if (x1 <= x0) { /* back, or in the same column: from below the one to above the other */
		x0 -= box_width(&d->p->box[from]) / 2;
		x1 += box_width(&d->p->box[to]) / 2;
		y0 += y1 > y0 ? BOX / 2 : -BOX / 2;
		y1 += y1 > y0 ? -BOX / 2 : BOX / 2;
	}
	double length = hypot(x1 - x0, y1 - y0), u = length > 0 ? (x1 - x0) / length : 1,
	       v = length > 0 ? (y1 - y0) / length : 0;
	d->pen->kind->path(d->pen, (hb_dot[]){{x0, y0}, {x1, y1}}, 2, false, style);
	d->pen->kind->path(d->pen,
		(hb_dot[]){
			{x1, y1}, {x1 - 7 * u + 3 * v, y1 - 7 * v - 3 * u}, {x1 - 7 * u - 3 * v, y1 - 7 * v + 3 * u}},
		3, true, &(hb_style){.fill = style->stroke});
	if (words)
		d->pen->kind->text(d->pen, x0 + 0.35 * (x1 - x0), y0 + 0.35 * (y1 - y0) - 4, words,
			&(hb_lettering){.size = SMALL, .colour = HB_MESSAGE, .anchor = HB_ANCHOR_MIDDLE});
}

static void draw_box(const struct drawing *d, size_t i)
{
	const hb_key_box *b = &d->p->box[i];
	double x = d->x[b->column], y = middle_of(d, i), w = box_width(b);
	bool marked = b->expected || b->wrong;
	hb_style style = {.fill = b->expected && !*b->event ? 0xffffffff : b->fill,
		.stroke = marked ? HB_STOP : HB_GREY,
		.width = marked ? 2 : 1,
		.dash = b->expected ? 4 : 0,
		.round = 4};
	d->pen->kind->begin(d->pen,
		b->expected ? "expected"
		: b->wrong  ? "wrong"
			    : "event",
		*b->event ? (const char *[]){"event", b->event, NULL} : NULL, hb__tame(b->words));
	d->pen->kind->box(d->pen, x, y - BOX / 2, w, BOX, &style);
	d->pen->kind->text(d->pen, x + w / 2, y - 1, hb__tame(b->words),
		&(hb_lettering){.size = LETTERS, .colour = HB_INK, .anchor = HB_ANCHOR_MIDDLE});
	d->pen->kind->text(d->pen, x + w / 2, y + 12, b->more,
		&(hb_lettering){.size = SMALL, .colour = marked ? HB_STOP : HB_GREY, .anchor = HB_ANCHOR_MIDDLE});
	d->pen->kind->end(d->pen);
}

static void draw_names(const struct drawing *d, double width)
{
	char name[96];
	d->pen->kind->text(
		d->pen, EDGE, 24, hb__tame(d->p->title), &(hb_lettering){.size = 14, .colour = HB_INK, .bold = true});
	for (size_t i = 0; i < d->p->graph->processes; i++) {
		uint32_t process = d->p->graph->process[i].process;
		double y = d->y[d->p->row[process]] + ROW / 2;
		hb_pattern_process(hb__model_judgement(d->p->found)->pattern, process, name, sizeof name);
		d->pen->kind->path(d->pen, (hb_dot[]){{d->x[0] - EDGE, y}, {width - EDGE, y}}, 2, false,
			&(hb_style){.stroke = 0xd5dbe2ff, .width = 1});
		d->pen->kind->text(d->pen, EDGE, y + 4, hb__tame(name),
			&(hb_lettering){.size = LETTERS, .colour = HB_INK, .bold = true});
	}
}

void hb__key_draw(const hb_key_picture *p, hb_pen *pen)
{
	struct drawing d = {p, pen, columns_of(p), rows_of(p)};
	double width, height;
	hb__key_size(p, &width, &height);
	pen->kind->box(pen, 0, 0, width, height, &(hb_style){.fill = 0xffffffff});
	draw_names(&d, width);
	for (size_t i = 0; i < p->boxes; i++)
		if (p->box[i].before != SIZE_MAX)
			arrow(&d, p->box[i].before, i,
				&(hb_style){.stroke = HB_GREY, .width = 1, .dash = p->box[i].expected ? 3 : 0}, NULL);
	for (size_t i = 0; i < p->lines; i++)
		arrow(&d, p->line[i].from, p->line[i].to,
			&(hb_style){.stroke = HB_CHOSEN, .width = 1.5, .dash = p->line[i].expected ? 4 : 0},
			p->line[i].words);
	for (size_t i = 0; i < p->boxes; i++)
		draw_box(&d, i);
	free(d.x);
	free(d.y);
}
