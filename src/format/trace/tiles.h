/* Checksums of arrays, by tiles of their global indices: what a process knows of the elements that it owns is added up over all
 * processes, and is then the same for every way in which the array was distributed. Shared by the target and all who read.
 *
 * Of each tile:
 *   hash     the sum modulo 2^64 of a hash of (global index, bits of the value): no order, no decomposition. Two tiles that differ in any
 *            way have the same one with a probability of about 2^-64 (src/format/trace/README.md argues it).
 *   moments  count, least, greatest, sum, sum of squares: for people, and for scales.
 *   sketch   sixteen sums of elements with random signs, in two rows of eight (Charikar, Chen, Farach-Colton 2002): element number k is added to sum k mod 8
 *            of the first row and to sum (k / 8) mod 8 of the second one, with signs that depend on k alone. Linear: the sum over a row of
 *            (x_b - y_b)^2 estimates |x - y|^2, without either run having the other's values.
 * Values that are no finite numbers are counted (odd), and are 0 in moments and sketch. Complex numbers are two elements. */
#ifndef HBDB_FORMAT_TRACE_TILES_H
#define HBDB_FORMAT_TRACE_TILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef HB_TYPES_ALONE
#define HB_TYPES_ALONE
#endif
#include <hbdb/compare.h>

#define HB_TILES_MOST 64u /* of an array */
#define HB_SKETCH 8u      /* sums in a row */

typedef struct hb_tile {
	uint64_t hash;
	uint64_t count, odd;
	double least, greatest, sum, squares; /* of no elements: +inf, -inf, 0, 0 */
	double sketch[2][HB_SKETCH];
} hb_tile;

/* How the global box of an array is cut: the same wherever its global extents and the order of its storage are the same. */
typedef struct hb_tiling {
	unsigned rank;
	int64_t global[HB_DIMENSIONS];
	int64_t extent[HB_DIMENSIONS]; /* of a tile, but for the last ones */
	uint32_t parts[HB_DIMENSIONS];
	uint32_t tiles; /* 1 to HB_TILES_MOST */
} hb_tiling;

/* False: an extent below 1, more than 7 dimensions, or more than 2^62 elements. */
bool hb_tiling_make(unsigned rank, bool columns, const int64_t *global, hb_tiling *ret_tiling);
/* The tile of a global index (from 0 in each dimension), and the box of a tile. The last dimension of tiles varies fastest. */
uint32_t hb_tile_of(const hb_tiling *tiling, const int64_t *index);
void hb_tile_box(const hb_tiling *tiling, uint32_t tile, int64_t *ret_first, int64_t *ret_count);

void hb_tile_clear(hb_tile *tile);
/* The tiles of two processes become that of both. */
void hb_tile_add(hb_tile *to, const hb_tile *tile);
/* Adds n elements that are next to each other in memory and in global index; key: the number of the first of them in its array, in the
 * order of storage (the fastest dimension of storage is the fastest of the number). Elements of type read only. */
void hb_tile_take(hb_tile *tile, hb_element type, const void *at, int64_t n, uint64_t key);

/* All elements that the process owns of an array, into tile[0 .. tiling->tiles - 1], which are cleared first. touched[t] is set where it owns
 * some of tile t. The array is as in hb_array (its base is not looked at). HB_E-like: false where the array makes no sense (see hb_array_trouble). */
bool hb_tiles_of_array(const hb_array *array, const hb_tiling *tiling, hb_tile *tile, bool *touched);
/* What is wrong with a description, a sentence; NULL: nothing. Static. */
const char *hb_array_trouble(const hb_array *array);

/* Bytes of an element, and how people call its type ("real8"). */
unsigned hb_element_bytes(hb_element type);
const char *hb_element_name(hb_element type);
bool hb_element_real(hb_element type);
bool hb_element_read(const char *name, hb_element *ret_type);

/* From an offset in elements of the storage to a global index (from 0) and back. Where the element is in the halo the index may lie outside
 * of the array. *ret_owned: it is one that the process owns. */
void hb_array_index(const hb_array *array, int64_t offset, int64_t *ret_index, bool *ret_owned);
/* -1: the process has no storage for it. */
int64_t hb_array_offset(const hb_array *array, const int64_t *index);
/* The number of a global index among all elements, in the order of storage. */
uint64_t hb_array_key(const hb_array *array, const int64_t *index);

/* The estimated |x - y| of two runs of one tile: from the sketch, and not less than follows from sums and sums of squares. */
double hb_tile_distance(const hb_tile *a, const hb_tile *b);

#endif
