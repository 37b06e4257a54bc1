/* From two arrays to a map of where they differ. */
#include "map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool begin(hb_map *m, unsigned rank, const int64_t *global, const hb_map_what *what)
{
	*m = (hb_map){.what = *what, .rank = rank};
	memcpy(m->global, global, rank * sizeof *global);
	memcpy(m->count, what->part ? what->part->count : global, rank * sizeof *global);
	if (what->part)
		memcpy(m->from, what->part->first, rank * sizeof *global);
	/* the two longest dimensions of the array, also for a part of it; the later one across: among equal ones the last two */
	unsigned longest = 0;
	for (unsigned d = 1; d < rank; d++)
		longest = global[d] >= global[longest] ? d : longest;
	unsigned second = longest ? 0 : rank > 1;
	for (unsigned d = 0; d < rank; d++)
		if (d != longest && global[d] >= global[second])
			second = d;
	m->down = longest < second ? longest : second;
	m->across = rank == 1 ? 0 : longest < second ? second : longest;
	m->columns = (uint32_t)(m->count[m->across] < HB_MAP_MOST ? m->count[m->across] : HB_MAP_MOST);
	m->rows = rank == 1 ? 1 : (uint32_t)(m->count[m->down] < HB_MAP_MOST ? m->count[m->down] : HB_MAP_MOST);
	size_t n = (size_t)m->rows * m->columns;
	m->cell = hb__alloc(n * sizeof *m->cell);
	for (size_t i = 0; i < n; i++)
		m->cell[i] = NAN;
	return n > 0;
}

static uint32_t row_of(const hb_map *m, int64_t index)
{
	return m->rank == 1 ? 0 : (uint32_t)((double)(index - m->from[m->down]) * m->rows / (double)m->count[m->down]);
}

static uint32_t column_of(const hb_map *m, int64_t index)
{
	return (uint32_t)((double)(index - m->from[m->across]) * m->columns / (double)m->count[m->across]);
}

static void put(hb_map *m, uint32_t row, uint32_t column, double difference)
{
	double *cell = &m->cell[(size_t)row * m->columns + column];
	if (isnan(*cell) || difference > *cell)
		*cell = difference;
}

static double norm(const hb_npy *a, uint64_t n, unsigned parts)
{
	double squares = 0;
	uint64_t known = 0;
	for (uint64_t i = 0; i < n; i++)
		for (unsigned p = 0; p < parts; p++) {
			double x = hb__npy_value(a, i, p);
			if (isfinite(x)) {
				squares += x * x;
				known++;
			}
		}
	return known ? sqrt(squares / (double)known) : 0;
}

/* Infinity: one of them is no finite number and the other is, or is another one. */
static double apart(double x, double y)
{
	if ((isnan(x) && isnan(y)) || !(x < y || x > y || isnan(x) || isnan(y)))
		return 0;
	double d = fabs(x - y);
	return isnan(d) ? INFINITY : d;
}

static bool next(const hb_map *m, int64_t *index)
{
	for (unsigned d = m->rank; d-- > 0;) {
		if (++index[d] < m->from[d] + m->count[d])
			return true;
		index[d] = m->from[d];
	}
	return false;
}

bool hb__map_elements(const hb_npy *a, const hb_npy *b, const hb_map_what *what, hb_map *m, char **ret_why)
{
	uint64_t n;
	*m = (hb_map){0};
	*ret_why = NULL;
	if (a->type != b->type)
		*ret_why = hb__format("elements of %s cannot be compared with those of %s", hb_element_name(a->type),
			hb_element_name(b->type));
	else if (a->rank != b->rank || memcmp(a->extent, b->extent, a->rank * sizeof *a->extent))
		*ret_why = hb__copy("the arrays have different extents");
	else if (!hb__npy_elements(a, &n) || !n || !begin(m, a->rank, a->extent, what))
		*ret_why = hb__copy("the arrays have no elements");
	if (*ret_why)
		return false;
	unsigned parts = a->type == HB_COMPLEX16 || a->type == HB_COMPLEX8 ? 2 : 1;
	double scale = what->scale > 0 ? what->scale : fmax(norm(a, n, parts), norm(b, n, parts));
	int64_t index[HB_DIMENSIONS];
	memcpy(index, m->from, sizeof index);
	do {
		uint64_t i = hb__npy_offset(a, index), j = hb__npy_offset(b, index);
		double most = 0;
		unsigned which = 0;
		for (unsigned p = 0; p < parts; p++) {
			double d = apart(hb__npy_value(a, i, p), hb__npy_value(b, j, p));
			which = d > most ? p : which;
			most = fmax(most, d);
		}
		double relative = most > 0 && scale > 0 ? most / scale : most > 0 ? INFINITY : 0;
		m->elements++;
		m->largest = fmax(m->largest, relative);
		if (relative > what->tolerance && !m->differing++) {
			m->found = true;
			memcpy(m->first, index, sizeof index);
			m->a = hb__npy_value(a, i, which);
			m->b = hb__npy_value(b, j, which);
		}
		put(m, row_of(m, index[m->down]), column_of(m, index[m->across]), relative);
	} while (next(m, index));
	return true;
}

/* What is shown of a box: false where nothing is. */
static bool cut(const hb_map *m, int64_t *first, int64_t *count)
{
	for (unsigned d = 0; d < m->rank; d++) {
		int64_t end = first[d] + count[d], last = m->from[d] + m->count[d];
		first[d] = first[d] > m->from[d] ? first[d] : m->from[d];
		count[d] = (end < last ? end : last) - first[d];
		if (count[d] <= 0)
			return false;
	}
	return true;
}

/* Every cell that has something of a box. */
static void fill(hb_map *m, const int64_t *first, const int64_t *count, double difference)
{
	uint32_t bottom = row_of(m, first[m->down] + count[m->down] - 1),
		 right = column_of(m, first[m->across] + count[m->across] - 1);
	for (uint32_t r = row_of(m, first[m->down]); r <= bottom; r++)
		for (uint32_t c = column_of(m, first[m->across]); c <= right; c++)
			put(m, r, c, difference);
}

void hb__map_tiles(const hb_tiling *t, const double *difference, const hb_map_what *what, hb_map *m)
{
	begin(m, t->rank, t->global, what);
	m->tiles = true;
	for (uint32_t i = 0; i < t->tiles; i++) {
		int64_t begin_of[HB_DIMENSIONS], first[HB_DIMENSIONS], count[HB_DIMENSIONS];
		hb_tile_box(t, i, first, count);
		memcpy(begin_of, first, sizeof begin_of);
		if (!cut(m, first, count))
			continue;
		m->elements++;
		if (isnan(difference[i])) {
			m->unknown++;
			continue;
		}
		m->largest = fmax(m->largest, difference[i]);
		if (difference[i] > what->tolerance && !m->differing++) {
			m->found = true;
			memcpy(m->first, begin_of, sizeof begin_of);
		}
		fill(m, first, count, difference[i]);
	}
}

void hb__map_free(hb_map *m)
{
	free(m->cell);
	m->cell = NULL;
}
