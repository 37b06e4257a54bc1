/* Where two arrays differ: all of them, and every part, against looking at each element. */
#include <math.h>
#include <string.h>

#include "../check.h"
#include "tool/arrays/map.h"

enum { ROWS = 7, COLUMNS = 5 };

static bool wrong_at(int64_t i, int64_t j) { return (i == 2 && j == 1) || (i == 6 && j == 4); }

static void make(hb_npy *a, bool columns, bool wrong)
{
	*a = (hb_npy){.type = HB_REAL8, .rank = 2, .extent = {ROWS, COLUMNS}, .columns = columns};
	if (!hb__npy_make(a))
		abort();
	for (int64_t i = 0; i < ROWS; i++)
		for (int64_t j = 0; j < COLUMNS; j++)
			((double *)a->at)[hb__npy_offset(a, (int64_t[]){i, j})] =
				(double)(10 * i + j + 1) + (wrong && wrong_at(i, j) ? 0.5 : 0);
}

/* The cells of a part are those of the whole map, and so is what it counts. */
static bool as_whole(const hb_map *whole, const hb_map *m, const hb_map_box *part)
{
	uint64_t differing = 0;
	int64_t rows = part->count[0], columns = part->count[1];
	bool good = m->rows == rows && m->columns == columns && m->elements == (uint64_t)(rows * columns);
	for (int64_t i = 0; good && i < rows; i++)
		for (int64_t j = 0; j < columns; j++) {
			int64_t row = part->first[0] + i, column = part->first[1] + j;
			double cell = m->cell[i * columns + j];
			good &= cell == whole->cell[row * COLUMNS + column] && (cell > 0) == wrong_at(row, column);
			if (cell > 0 && !differing++)
				good &= m->found && m->first[0] == row && m->first[1] == column;
		}
	return good && m->differing == differing && m->found == (differing > 0);
}

static void elements(bool columns)
{
	hb_npy a, b;
	hb_map whole, m;
	hb_map_box part = {0};
	char *why;
	unsigned parts = 0, good = 0;
	make(&a, columns, false);
	make(&b, !columns, true);
	hb_map_what what = {.title = "", .tolerance = 1e-8};
	check(hb__map_elements(&a, &b, &what, &whole, &why) && whole.differing == 2 && whole.first[0] == 2 &&
			whole.first[1] == 1 && whole.a == 22 && whole.b == 22.5,
		"two elements differ, and the first one is known");
	for (part.first[0] = 0; part.first[0] < ROWS; part.first[0]++)
		for (part.first[1] = 0; part.first[1] < COLUMNS; part.first[1]++)
			for (part.count[0] = 1; part.first[0] + part.count[0] <= ROWS; part.count[0]++)
				for (part.count[1] = 1; part.first[1] + part.count[1] <= COLUMNS; part.count[1]++) {
					what.part = &part;
					parts++;
					good += hb__map_elements(&a, &b, &what, &m, &why) &&
						as_whole(&whole, &m, &part);
					hb__map_free(&m);
				}
	check(parts == 28 * 15 && good == parts, "each of %u parts shows its own cells: %u do", parts, good);
	hb__map_free(&whole);
	hb__npy_free(&a);
	hb__npy_free(&b);
}

/* More elements than cells: those of a part are elements again. */
static void many(void)
{
	enum { N = 100000 };
	hb_npy a = {.type = HB_INTEGER4, .rank = 1, .extent = {N}}, b = a;
	hb_map m;
	char *why;
	if (!hb__npy_make(&a) || !hb__npy_make(&b))
		abort();
	((int32_t *)b.at)[70001] = 1;
	hb_map_what what = {.title = "", .tolerance = 1e-8};
	check(hb__map_elements(&a, &b, &what, &m, &why) && m.columns == HB_MAP_MOST && m.differing == 1 &&
			m.cell[70001 / (N / HB_MAP_MOST)] > 0,
		"a cell stands for many elements");
	hb__map_free(&m);
	const hb_map_box part = {.first = {70000}, .count = {100}};
	what.part = &part;
	check(hb__map_elements(&a, &b, &what, &m, &why) && m.rows == 1 && m.columns == 100 && m.cell[1] > 0 &&
			!(m.cell[0] > 0) && !(m.cell[2] > 0) && m.first[0] == 70001,
		"in a part of it for one");
	hb__map_free(&m);
	hb__npy_free(&a);
	hb__npy_free(&b);
}

static void tiles(void)
{
	hb_tiling t;
	hb_map m;
	const int64_t global[] = {ROWS, COLUMNS};
	if (!hb_tiling_make(2, false, global, &t))
		abort();
	double *difference = calloc(t.tiles, sizeof *difference);
	uint32_t wrong = hb_tile_of(&t, (int64_t[]){6, 4}), other = hb_tile_of(&t, (int64_t[]){0, 0});
	difference[wrong] = 0.25;
	difference[other] = NAN;
	hb_map_what what = {.title = "", .tolerance = 1e-8};
	hb__map_tiles(&t, difference, &what, &m);
	bool good = wrong != other && m.tiles && m.elements == t.tiles && m.differing == 1 && m.unknown == 1;
	for (int64_t i = 0; i < ROWS; i++)
		for (int64_t j = 0; j < COLUMNS; j++) {
			uint32_t tile = hb_tile_of(&t, (int64_t[]){i, j});
			double cell = m.cell[i * COLUMNS + j];
			good &= tile == other ? isnan(cell) : cell == difference[tile];
		}
	check(good, "every cell shows its tile (%u)", t.tiles);
	hb__map_free(&m);
	/* one that begins inside of tiles */
	const hb_map_box part = {.first = {ROWS - 1, COLUMNS - 2}, .count = {1, 2}};
	what.part = &part;
	hb__map_tiles(&t, difference, &what, &m);
	uint32_t left = hb_tile_of(&t, (int64_t[]){6, 3});
	check(m.rows == 1 && m.columns == 2 && m.cell[1] == 0.25 && m.cell[0] == difference[left] && m.differing == 1 &&
			m.elements == (left == wrong ? 1u : 2u) && !m.unknown,
		"a part shows its tiles alone");
	hb__map_free(&m);
	free(difference);
}

int main(void)
{
	elements(false);
	elements(true);
	many();
	tiles();
	return check_end();
}
