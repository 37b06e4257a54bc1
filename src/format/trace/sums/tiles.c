/* Checksums by tiles: how an array is cut, and what is added up of each part. */
#include <math.h>
#include <string.h>

#include "format/trace/sums/kernel.h"

/* ---- types ---- */

static const struct {
	const char *name;
	unsigned bytes;
	bool real;
} elements[HB_ELEMENTS] = {
	[HB_REAL8] = {"real8", 8, true},
	[HB_REAL4] = {"real4", 4, true},
	[HB_INTEGER4] = {"integer4", 4, false},
	[HB_INTEGER8] = {"integer8", 8, false},
	[HB_INTEGER1] = {"integer1", 1, false},
	[HB_COMPLEX16] = {"complex16", 16, true},
	[HB_COMPLEX8] = {"complex8", 8, true},
};

unsigned hb_element_bytes(hb_element type) { return elements[type].bytes; }
const char *hb_element_name(hb_element type) { return elements[type].name; }
static bool is_complex(hb_element type) { return type == HB_COMPLEX16 || type == HB_COMPLEX8; }
bool hb_element_real(hb_element type) { return elements[type].real; }

bool hb_element_read(const char *name, hb_element *ret)
{
	for (unsigned i = 0; i < HB_ELEMENTS; i++)
		if (!strcmp(name, elements[i].name)) {
			*ret = (hb_element)i;
			return true;
		}
	return false;
}

/* ---- the cut ---- */

#define ROW 128 /* elements that lie together in a tile, where that can be had */
#define FEW 16  /* tiles for which shorter rows are borne; tiles of a few elements say nothing more */

/* Whether a cut of the dimension that is the k-th fastest leaves rows that are long enough to be read at the speed of memory. */
static bool keeps_rows(const hb_tiling *t, bool columns, unsigned k)
{
	int64_t row = 1;
	for (unsigned i = 0; i <= k; i++) {
		unsigned d = columns ? i : t->rank - 1 - i;
		if (i < k && t->parts[d] > 1)
			return true; /* rows are shorter than this already */
		row *= i < k ? t->extent[d] : (t->extent[d] + 1) / 2;
		if (row >= ROW)
			return true;
	}
	return false;
}

/* Halves the longest side of a tile; false: there are enough, or no side is to be cut. */
static bool cut(hb_tiling *t, bool columns, bool any)
{
	unsigned longest = HB_DIMENSIONS;
	for (unsigned k = t->rank; k-- > 0;) {
		unsigned d = columns ? k : t->rank - 1 - k;
		if ((any || keeps_rows(t, columns, k)) &&
			(longest == HB_DIMENSIONS || t->extent[d] > t->extent[longest]))
			longest = d;
	}
	if (longest == HB_DIMENSIONS)
		return false;
	int64_t half = (t->extent[longest] + 1) / 2;
	uint32_t parts = (uint32_t)((t->global[longest] + half - 1) / half);
	uint32_t tiles = t->tiles / t->parts[longest] * parts;
	if (half < 4 || tiles > HB_TILES_MOST)
		return false;
	t->extent[longest] = half;
	t->parts[longest] = parts;
	t->tiles = tiles;
	return true;
}

bool hb_tiling_make(unsigned rank, bool columns, const int64_t *global, hb_tiling *ret)
{
	*ret = (hb_tiling){.rank = rank, .tiles = 1};
	if (!rank || rank > HB_DIMENSIONS)
		return false;
	int64_t most = INT64_C(1) << 62;
	for (unsigned d = 0; d < rank; d++) {
		if (global[d] < 1 || global[d] > most)
			return false;
		most /= global[d];
		ret->global[d] = ret->extent[d] = global[d];
		ret->parts[d] = 1;
	}
	while (cut(ret, columns, false))
		;
	while (ret->tiles < FEW && cut(ret, columns, true))
		;
	return true;
}

uint32_t hb_tile_of(const hb_tiling *t, const int64_t *index)
{
	uint32_t tile = 0;
	for (unsigned d = 0; d < t->rank; d++)
		tile = tile * t->parts[d] + (uint32_t)(index[d] / t->extent[d]);
	return tile;
}

void hb_tile_box(const hb_tiling *t, uint32_t tile, int64_t *ret_first, int64_t *ret_count)
{
	for (unsigned d = t->rank; d-- > 0;) {
		ret_first[d] = (int64_t)(tile % t->parts[d]) * t->extent[d];
		int64_t left = t->global[d] - ret_first[d];
		ret_count[d] = left < t->extent[d] ? left : t->extent[d];
		tile /= t->parts[d];
	}
}

/* ---- tiles ---- */

void hb_tile_clear(hb_tile *tile) { *tile = (hb_tile){.least = INFINITY, .greatest = -INFINITY}; }

void hb_tile_add(hb_tile *to, const hb_tile *tile)
{
	to->hash += tile->hash;
	to->count += tile->count;
	to->odd += tile->odd;
	to->least = fmin(to->least, tile->least);
	to->greatest = fmax(to->greatest, tile->greatest);
	to->sum += tile->sum;
	to->squares += tile->squares;
	for (unsigned i = 0; i < 2 * HB_SKETCH; i++)
		to->sketch[i / HB_SKETCH][i % HB_SKETCH] += tile->sketch[i / HB_SKETCH][i % HB_SKETCH];
}

/* By the triangle, and by Cauchy and Schwarz, |x - y| is no less than ||x| - |y||, and than |sum x - sum y| / sqrt(count). */
double hb_tile_distance(const hb_tile *a, const hb_tile *b)
{
	double squares = 0;
	for (unsigned i = 0; i < 2 * HB_SKETCH; i++) {
		double d = a->sketch[i / HB_SKETCH][i % HB_SKETCH] - b->sketch[i / HB_SKETCH][i % HB_SKETCH];
		squares += d * d / 2;
	}
	double count = (double)(a->count > b->count ? a->count : b->count);
	double by_sum = count > 0 ? fabs(a->sum - b->sum) / sqrt(2 * count) : 0; /* complex elements are two */
	return fmax(sqrt(squares), fmax(by_sum, fabs(sqrt(a->squares) - sqrt(b->squares))));
}

typedef void take_chunk(hb_tile *tile, const struct hb__chunk *chunk);

static take_chunk *best(void)
{
	static take_chunk *known; /* threads that ask at the same time find the same */
	take_chunk *way = __atomic_load_n(&known, __ATOMIC_RELAXED);
	if (__builtin_expect(!way, 0)) {
		__builtin_cpu_init();
		way = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") ? hb__tile_chunk_avx512
		      : __builtin_cpu_supports("avx2")                                        ? hb__tile_chunk_avx2
											      : hb__tile_chunk_sse2;
		__atomic_store_n(&known, way, __ATOMIC_RELAXED);
	}
	return way;
}

/* Elements as bits and as numbers. Memory of the program is read by memcpy: it need not be aligned. */
#define CONVERT(ctype, btype)                                          \
	for (unsigned i = 0; i < n; i++) {                             \
		ctype x;                                               \
		btype b;                                               \
		memcpy(&x, (const char *)at + i * sizeof x, sizeof x); \
		memcpy(&b, &x, sizeof b);                              \
		bits[i] = (uint64_t)b;                                 \
		value[i] = (double)x;                                  \
	}

static void convert(hb_element type, const void *at, unsigned n, uint64_t *restrict bits, double *restrict value)
{
	switch (type) {
	case HB_REAL8:
	case HB_COMPLEX16:
		memcpy(bits, at, n * sizeof *bits);
		memcpy(value, at, n * sizeof *value);
		break;
	case HB_REAL4:
	case HB_COMPLEX8:
		CONVERT(float, uint32_t)
		break;
	case HB_INTEGER4:
		CONVERT(int32_t, uint32_t)
		break;
	case HB_INTEGER8:
		CONVERT(int64_t, uint64_t)
		break;
	default:
		CONVERT(int8_t, uint8_t)
	}
}

static void pad(struct hb__chunk *c, unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++) {
		c->live[i] = c->bits[i] = 0;
		c->value[i] = 0;
	}
}

void hb__chunk_end(struct hb__chunk *c, hb_tile *tile)
{
	if (c->n)
		best()(tile, c);
	c->n = 0;
}

void hb__chunk_put(struct hb__chunk *c, hb_tile *tile, hb_element type, const void *at, uint64_t n, uint64_t key)
{
	unsigned bytes = elements[type].bytes / (1 + is_complex(type));
	while (n) {
		unsigned before = (unsigned)(key % HB_LANES), first = c->n + before, room = HB_CHUNK - first;
		if (first >= HB_CHUNK)
			__builtin_unreachable(); /* n is a multiple of HB_LANES below it, which gcc 14 does not see */
		unsigned take = n < room ? (unsigned)n : room, behind = first + take;
		unsigned end = (behind + HB_LANES - 1) / HB_LANES * HB_LANES;
		for (unsigned i = c->n / HB_LANES; i < end / HB_LANES; i++)
			c->group[i] = key / HB_LANES + (i - c->n / HB_LANES);
		pad(c, c->n, first);
		pad(c, behind, end);
		memset(c->live + first, 0xff, take * sizeof *c->live);
		convert(type, at, take, c->bits + first, c->value + first);
		c->n = end;
		if (c->n == HB_CHUNK)
			hb__chunk_end(c, tile);
		at = (const char *)at + (size_t)take * bytes;
		n -= take;
		key += take;
	}
}

void hb_tile_take(hb_tile *tile, hb_element type, const void *at, int64_t n, uint64_t key)
{
	struct hb__chunk c;
	c.n = 0;
	tile->count += (uint64_t)n;
	hb__chunk_put(&c, tile, type, at, (uint64_t)n << is_complex(type), key << is_complex(type));
	hb__chunk_end(&c, tile);
}
