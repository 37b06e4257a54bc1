/* Arrays as a process has them: storage, what of it is its own, global indices. */
#include <string.h>

#include "format/trace/sums/kernel.h"

/* The dimension that is the k-th fastest in memory. */
static unsigned fast(const hb_array *a, unsigned k) { return a->columns ? k : a->rank - 1 - k; }

static bool whole(const hb_array *a)
{
	for (unsigned d = 0; d < a->rank; d++)
		if (a->count[d])
			return false;
	return true;
}

static int64_t owned(const hb_array *a, unsigned d) { return whole(a) ? a->global[d] : a->count[d]; }
static int64_t stored(const hb_array *a, unsigned d) { return a->below[d] + owned(a, d) + a->above[d]; }

/* The global index of an element that is the local-th of those owned in a dimension, negative or behind them in the halo; and how many next to
 * it, itself among them, have the following ones. */
static int64_t global_of(const hb_array *a, unsigned d, int64_t local, int64_t *ret_run)
{
	int64_t left = owned(a, d) - local;
	if (!a->block[d]) {
		*ret_run = left;
		return (whole(a) ? 0 : a->first[d]) + local;
	}
	int64_t round = local / a->block[d], in = local % a->block[d];
	*ret_run = a->block[d] - in < left ? a->block[d] - in : left;
	return (round * a->over[d] + a->place[d]) * a->block[d] + in;
}

/* Elements of a cyclic dimension that a process has: numroc of ScaLAPACK. */
static int64_t share(const hb_array *a, unsigned d)
{
	int64_t blocks = a->global[d] / a->block[d], mine = blocks / a->over[d], more = blocks % a->over[d];
	int64_t n = mine * a->block[d];
	if (a->place[d] < more)
		n += a->block[d];
	else if (a->place[d] == more)
		n += a->global[d] % a->block[d];
	return n;
}

static const char *dimension_trouble(const hb_array *a, unsigned d)
{
	if (a->below[d] < 0 || a->above[d] < 0 || a->count[d] < 0)
		return "count, below and above must not be negative";
	if (a->below[d] > INT64_C(1) << 40 || a->above[d] > INT64_C(1) << 40)
		return "below and above are larger than any memory";
	if (a->block[d] < 0)
		return "a block must not be negative";
	if (a->block[d]) {
		if (a->over[d] < 1 || a->place[d] < 0 || a->place[d] >= a->over[d])
			return "of a block-cyclic dimension place must be one of 0 to over - 1";
		if (a->block[d] > INT64_C(1) << 40 || a->over[d] > INT64_C(1) << 30)
			return "block and over are larger than any machine";
		return owned(a, d) > share(a, d)
			       ? "a process has more of a block-cyclic dimension than block, over and place give it"
			       : NULL;
	}
	if (whole(a))
		return NULL;
	return a->first[d] < 0 || a->first[d] > a->global[d] || a->count[d] > a->global[d] - a->first[d]
		       ? "what a process owns (first, count) lies outside of the array (global)"
		       : NULL;
}

const char *hb_array_trouble(const hb_array *a)
{
	hb_tiling tiling;
	if ((unsigned)a->type >= HB_ELEMENTS)
		return "its type is none of hb_element";
	if (!a->rank || a->rank > HB_DIMENSIONS)
		return "it must have 1 to 7 dimensions";
	if (!hb_tiling_make(a->rank, a->columns, a->global, &tiling))
		return "its global extents must be 1 or more, and not more than 2^62 elements together";
	int64_t most = INT64_C(1) << 58;
	for (unsigned d = 0; d < a->rank; d++) {
		const char *trouble = dimension_trouble(a, d);
		if (trouble)
			return trouble;
		if (stored(a, d) && stored(a, d) > most)
			return "its storage is larger than any memory";
		most /= stored(a, d) ? stored(a, d) : 1;
	}
	return NULL;
}

void hb_array_index(const hb_array *a, int64_t offset, int64_t *ret_index, bool *ret_owned)
{
	*ret_owned = true;
	for (unsigned k = 0; k < a->rank; k++) {
		unsigned d = fast(a, k);
		int64_t n = stored(a, d) ? stored(a, d) : 1, local = offset % n - a->below[d], run;
		bool inside = local >= 0 && local < owned(a, d);
		if (a->block[d] && !inside) /* what lies around a cyclic part belongs to nobody */
			ret_index[d] = -1;
		else
			ret_index[d] = global_of(a, d, local, &run);
		*ret_owned &= inside;
		offset /= n;
	}
}

int64_t hb_array_offset(const hb_array *a, const int64_t *index)
{
	int64_t offset = 0;
	for (unsigned k = a->rank; k-- > 0;) {
		unsigned d = fast(a, k);
		int64_t local = index[d] - (whole(a) ? 0 : a->first[d]);
		if (a->block[d]) {
			int64_t block = index[d] / a->block[d];
			if (index[d] < 0 || block % a->over[d] != a->place[d])
				return -1;
			local = block / a->over[d] * a->block[d] + index[d] % a->block[d];
		}
		local += a->below[d];
		if (local < 0 || local >= stored(a, d))
			return -1;
		offset = offset * stored(a, d) + local;
	}
	return offset;
}

uint64_t hb_array_key(const hb_array *a, const int64_t *index)
{
	uint64_t key = 0;
	for (unsigned k = a->rank; k-- > 0;) {
		unsigned d = fast(a, k);
		key = key * (uint64_t)a->global[d] + (uint64_t)index[d];
	}
	return key;
}

/* What is walked over: tile by tile, in each of them rows of what lies together in memory and in the key. */
struct walk {
	const hb_array *a;
	const hb_tiling *tiling;
	hb_tile *tile;
	bool *touched;
	unsigned joined;  /* of the fastest dimensions: whole, without halo, and in one tile */
	int64_t together; /* their elements */
	int64_t stride[HB_DIMENSIONS], step[HB_DIMENSIONS]; /* of storage and of the key, by dimension */
	uint32_t weight[HB_DIMENSIONS];                     /* of a part in the number of a tile */
	int64_t run[HB_DIMENSIONS];                         /* of the box at hand: its extents */
	uint32_t open;                                      /* the tile that the chunk is of */
	struct hb__chunk *chunk;
};

/* A box within one tile, from its k-th fastest dimension down, at an offset and a key. */
static void rows(struct walk *w, unsigned k, int64_t offset, uint64_t key)
{
	const hb_array *a = w->a;
	bool two = a->type == HB_COMPLEX16 || a->type == HB_COMPLEX8;
	int64_t n = w->together;
	if (k > w->joined + 1) {
		unsigned d = fast(a, k - 1);
		for (int64_t i = 0; i < w->run[d]; i++)
			rows(w, k - 1, offset + i * w->stride[d], key + (uint64_t)(i * w->step[d]));
		return;
	}
	if (k > w->joined)
		n *= w->run[fast(a, k - 1)];
	w->tile[w->open].count += (uint64_t)n;
	hb__chunk_put(w->chunk, &w->tile[w->open], a->type,
		(const char *)a->at + (uint64_t)offset * hb_element_bytes(a->type), (uint64_t)n << two, key << two);
}

/* Boxes of the dimensions up to the k-th fastest one, where the slower ones have given the rest. */
static void boxes(struct walk *w, unsigned k, int64_t offset, uint64_t key, uint32_t tile)
{
	const hb_array *a = w->a;
	if (k == w->joined) {
		if (tile != w->open)
			hb__chunk_end(w->chunk, &w->tile[w->open]);
		w->open = tile;
		w->touched[tile] = true;
		rows(w, a->rank, offset, key);
		return;
	}
	unsigned d = fast(a, k - 1);
	int64_t extent = w->tiling->extent[d], run;
	for (int64_t local = 0; local < owned(a, d); local += run) {
		int64_t global = global_of(a, d, local, &run), part = global / extent;
		if (run > (part + 1) * extent - global)
			run = (part + 1) * extent - global;
		w->run[d] = run;
		boxes(w, k - 1, offset + (a->below[d] + local) * w->stride[d], key + (uint64_t)(global * w->step[d]),
			tile + (uint32_t)part * w->weight[d]);
	}
}

bool hb_tiles_of_array(const hb_array *a, const hb_tiling *tiling, hb_tile *tile, bool *touched)
{
	if (hb_array_trouble(a) || tiling->rank != a->rank)
		return false;
	struct walk w = {.a = a, .tiling = tiling, .tile = tile, .touched = touched, .together = 1};
	int64_t stride = 1, step = 1;
	bool joins = true, empty = false;
	for (unsigned k = 0; k < a->rank; k++) {
		unsigned d = fast(a, k);
		w.stride[d] = stride;
		w.step[d] = step;
		stride *= stored(a, d);
		step *= a->global[d];
		empty |= !owned(a, d);
		joins &= !a->block[d] && stored(a, d) == a->global[d] && owned(a, d) == a->global[d] &&
			 tiling->parts[d] == 1;
		if (joins) {
			w.joined = k + 1;
			w.together *= a->global[d];
		}
	}
	uint32_t weight = 1;
	for (unsigned d = a->rank; d-- > 0;) {
		w.weight[d] = weight;
		weight *= tiling->parts[d];
	}
	for (uint32_t t = 0; t < tiling->tiles; t++) {
		hb_tile_clear(&tile[t]);
		touched[t] = false;
	}
	if (!empty) {
		struct hb__chunk chunk;
		chunk.n = 0;
		w.chunk = &chunk;
		boxes(&w, a->rank, 0, 0, 0);
		hb__chunk_end(&chunk, &tile[w.open]);
	}
	return true;
}
