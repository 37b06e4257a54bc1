/* Where two arrays differ, as a map: each cell shows the largest difference among the elements in it. */
#ifndef HBDB_ARRAYS_MAP_H
#define HBDB_ARRAYS_MAP_H

#include "../graph/pen.h"
#include "npy.h"

#define HB_MAP_MOST 400u /* cells along a side */

/* A part of the array that a process owns, in global indices from 0. */
typedef struct hb_map_box {
	const char *name;
	int64_t first[HB_DIMENSIONS], count[HB_DIMENSIONS];
} hb_map_box;

typedef struct hb_map_what {
	const char *title;   /* "flux at 13.E: reference.hbdb and lu.hbdb" */
	const int64_t *base; /* what the first index of each dimension is called; NULL: 0 */
	double tolerance;    /* relative differences up to this are equal */
	double scale; /* what differences are relative to; 0: the root of the mean square of all elements of both */
	const hb_map_box *box;
	size_t boxes;
	const hb_map_box *part; /* only this part of the array, which lies in it; NULL: all of it */
} hb_map_what;

typedef struct hb_map {
	hb_map_what what;
	unsigned rank;
	int64_t global[HB_DIMENSIONS];
	int64_t from[HB_DIMENSIONS], count[HB_DIMENSIONS]; /* what is shown of it */
	unsigned down, across; /* the two longest dimensions; of one dimension both are it, and there is one row */
	uint32_t rows, columns;
	double *cell;                          /* rows * columns: relative difference, 0: equal; NAN: not known */
	uint64_t elements, differing, unknown; /* in what is shown; differing: by more than is tolerated */
	double largest;                        /* relative difference */
	bool found;
	int64_t first
		[HB_DIMENSIONS]; /* the first that differs by more, in the order of the indices; of a tile: where it begins */
	double a, b;             /* its values */
	bool tiles;              /* cells are tiles: elements were not known */
} hb_map;

/* Of elements; both of the same type and extents (else false, *ret_why). A NaN in one of them alone is the largest difference there is (infinity). */
bool hb__map_elements(const hb_npy *a, const hb_npy *b, const hb_map_what *what, hb_map *ret_map, char **ret_why);
/* Of tiles: their relative differences, NAN: not known. */
void hb__map_tiles(const hb_tiling *tiling, const double *difference, const hb_map_what *what, hb_map *ret_map);
void hb__map_free(hb_map *map);

/* How large the picture becomes, where its cells are in it, and drawing it. */
void hb__map_size(const hb_map *map, double *ret_width, double *ret_height);
void hb__map_plot(const hb_map *map, double *ret_left, double *ret_top, double *ret_width, double *ret_height);
void hb__map_draw(const hb_map *map, hb_pen *pen);

#endif
