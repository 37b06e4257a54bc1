/* Where things stand on the sheet. On the logical axis a column is as wide as what is written into it. */
#include <math.h>
#include <stdlib.h>

#include "graph.h"

#define MARGIN 16.0
#define HEAD 46.0       /* title above the field */
#define FOOT 36.0       /* legend below all */
#define SCALE 28.0      /* time below the field */
#define BETWEEN 14.0    /* bands */
#define ROOMY 12000.0   /* as long as the strip may become for the sake of names */
#define NARROW 7.0      /* the least width of a column */
#define BAND 1440.0     /* a strip up to a fifth longer is not cut */
#define HIGHEST 16000.0 /* pixels of a sheet */

const char *hb__short_function(const char *name) { return strncmp(name, "MPI_", 4) ? name : name + 4; }

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

/* The column of a time: the first that is not before it. */
static size_t column(const hb_sheet *s, double x)
{
	size_t low = 0, high = s->ncolumns;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (s->value[middle] < x)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void add(const hb_graph *g, hb_sheet *s, double x)
{
	if (x >= g->from && x <= g->to)
		s->value[s->ncolumns++] = x;
}

static void find_columns(const hb_graph *g, hb_sheet *s)
{
	const hb_picture *p = &g->picture;
	size_t n = 0;
	s->value = hb__alloc((2 * p->nboxes + 2) * sizeof *s->value);
	for (size_t i = 0; i < p->nboxes; i++) {
		add(g, s, p->boxes[i].x0);
		add(g, s, p->boxes[i].x1);
	}
	if (!s->ncolumns)
		s->value[s->ncolumns++] = g->from;
	qsort(s->value, s->ncolumns, sizeof *s->value, by_value);
	for (size_t i = 0; i < s->ncolumns; i++)
		if (!n || s->value[i] != s->value[n - 1])
			s->value[n++] = s->value[i];
	s->ncolumns = n;
	s->border = hb__alloc((n + 1) * sizeof *s->border);
}

/* What a column needs for the names in it; returns the sum. border[i]: the width of column i. */
static double wanted_widths(const hb_graph *g, hb_sheet *s)
{
	uint32_t n;
	double sum = 0;
	const char *const *functions = hb_layout_functions(g->layout, &n);
	for (size_t i = 0; i < s->ncolumns; i++)
		s->border[i] = 26;
	for (size_t i = 0; i < g->picture.nboxes; i++) {
		const hb_box *b = &g->picture.boxes[i];
		size_t c = column(s, b->x1);
		if (c >= s->ncolumns || b->function >= n)
			continue;
		double need = hb__text_width(hb__short_function(functions[b->function]), s->letters, false) + 14;
		s->border[c] = fmax(s->border[c], need);
	}
	for (size_t i = 0; i < s->ncolumns; i++)
		sum += s->border[i];
	return sum;
}

/* The width of each column when names have no room; 0: they have. */
static double even_width(const hb_graph *g, hb_sheet *s, double *ret_sum)
{
	*ret_sum = wanted_widths(g, s);
	if (*ret_sum > ROOMY) {
		s->letters = 9;
		*ret_sum = wanted_widths(g, s);
	}
	s->numbers = *ret_sum <= ROOMY;
	if (s->numbers)
		return 0;
	double each = fmin(30, fmax(NARROW, ROOMY / (double)s->ncolumns));
	s->numbers = each >= 20;
	*ret_sum = each * (double)s->ncolumns;
	return each;
}

static void logical(const hb_graph *g, hb_sheet *s)
{
	double sum, x = s->left;
	find_columns(g, s);
	double each = even_width(g, s, &sum), spread = each > 0 || sum >= 600 ? 1 : fmin(1.6, 600 / sum);
	for (size_t i = 0; i < s->ncolumns; i++) {
		double width = (each > 0 ? each : s->border[i]) * spread;
		s->border[i] = x;
		x += width;
	}
	s->border[s->ncolumns] = s->right = x;
	for (size_t i = 0; i < g->picture.nboxes; i++)
		if (g->picture.boxes[i].flags & HB_BOX_INSIDE) /* room for what never returned */
			s->right = x + 84;
}

/* Cuts the strip between columns into bands of about the same length. Returns the greatest. */
static double cut_bands(hb_sheet *s)
{
	double length = s->right - s->left, greatest = 0;
	size_t wanted = length <= BAND * 1.2 ? 1 : (size_t)ceil(length / BAND), column = 0;
	s->band = hb__alloc((wanted + 1) * sizeof *s->band);
	s->band[0] = s->left;
	for (size_t i = 1; i < wanted; i++) {
		double end = s->left + length * (double)i / (double)wanted;
		while (column < s->ncolumns && s->border[column] < end)
			column++;
		if (s->border[column] > s->band[s->nbands])
			s->band[++s->nbands] = s->border[column];
	}
	s->band[++s->nbands] = s->right;
	for (size_t i = 0; i < s->nbands; i++)
		greatest = fmax(greatest, s->band[i + 1] - s->band[i]);
	return greatest;
}

int hb__sheet_make(const hb_graph *g, hb_sheet *ret)
{
	hb_sheet *s = ret;
	char name[HB_EVENT_NAME];
	double names = 0;
	*s = (hb_sheet){.letters = 11};
	for (uint32_t i = 0; i < g->nlines; i++)
		names = fmax(names, hb__text_width(hb__line_name(&g->run, g->line[i], name), 12, true));
	s->left = MARGIN + 34 + names + 14;
	s->row = g->nlines <= 4 ? 62 : g->nlines <= 12 ? 52 : g->nlines <= 32 ? 40 : 28;
	s->bar = g->nlines <= 32 ? 20 : 15;
	s->top = HEAD;
	s->rows = hb__alloc((g->nlines + 1) * sizeof *s->rows);
	s->rows[0] = s->top;
	for (uint32_t i = 0; i < g->nlines; i++)
		s->rows[i + 1] = s->rows[i] + s->row + hb__spans_height(g, g->line[i]);
	s->bottom = s->rows[g->nlines];
	s->right = s->left + BAND;
	if (g->axis == HB_AXIS_LOGICAL)
		logical(g, s);
	double length = cut_bands(s);
	s->begins = s->left;
	s->ends = s->right;
	s->band_height = s->bottom - s->top + SCALE + BETWEEN;
	s->height = s->top + s->band_height * (double)s->nbands - BETWEEN + FOOT;
	s->width = fmax(s->left + length + MARGIN, fmax(hb__graph_title(g, NULL), hb__graph_legend(g, s, NULL)));
	if (s->height > HIGHEST)
		return hb__fail_with(HB_EXIT_USAGE,
			"%zu points of time of %u lines are more than a picture can show: narrow it with --from and --to, --events or "
			"--ranks",
			s->ncolumns, g->nlines);
	return 0;
}

void hb__sheet_free(hb_sheet *s)
{
	free(s->rows);
	free(s->value);
	free(s->border);
	free(s->band);
}

bool hb__sheet_shows(const hb_sheet *s, double x0, double x1)
{
	return fmax(x0, x1) >= s->begins - 3 && fmin(x0, x1) <= s->ends + 3;
}

static double physical(const hb_graph *g, const hb_sheet *s, double x)
{
	double span = g->to > g->from ? g->to - g->from : 1;
	return fmin(s->right, fmax(s->left, s->left + (x - g->from) / span * (s->right - s->left)));
}

double hb__sheet_left(const hb_graph *g, const hb_sheet *s, double x)
{
	if (g->axis == HB_AXIS_PHYSICAL)
		return physical(g, s, x);
	return x > g->to ? s->right : s->border[column(s, x)];
}

double hb__sheet_right(const hb_graph *g, const hb_sheet *s, double x)
{
	if (g->axis == HB_AXIS_PHYSICAL)
		return physical(g, s, x);
	if (x > g->to)
		return s->right;
	size_t c = column(s, x);
	bool there = c < s->ncolumns && s->value[c] == x;
	return s->border[there ? c + 1 : c];
}

double hb__sheet_middle(const hb_graph *g, const hb_sheet *s, double x)
{
	return (hb__sheet_left(g, s, x) + hb__sheet_right(g, s, x)) / 2;
}

double hb__sheet_row(const hb_sheet *s, uint32_t row) { return s->rows[row] + 0.5 * s->row; }
