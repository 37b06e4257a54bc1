/* The inner loop of checksums, compiled twice: for any processor and for wide registers (tiles-avx2.c). Both give the same bits. */
#ifndef HBDB_FORMAT_TRACE_KERNEL_H
#define HBDB_FORMAT_TRACE_KERNEL_H

#include "format/trace/tiles.h"

#define HB_LANES HB_SKETCH /* element `key` is in lane key % 8 and in that sum of the sketch's first row */
#define HB_CHUNK 512u      /* elements that are taken at once */

/* Elements of one tile, in groups of eight neighbouring keys; those that are not there have live 0, bits 0 and value 0. */
struct hb__chunk {
	unsigned n;                          /* of elements: a multiple of 8 */
	uint64_t group[HB_CHUNK / HB_LANES]; /* key / 8 */
	uint64_t bits[HB_CHUNK] __attribute__((aligned(64)));
	double value[HB_CHUNK] __attribute__((aligned(64)));
	uint64_t live[HB_CHUNK] __attribute__((aligned(64))); /* all bits, or none */
};

/* Puts elements with neighbouring keys, the first of which is `key`, into the chunk of a tile; a full one is added to it. `n` counts real numbers: a
 * complex one is two. */
void hb__chunk_put(struct hb__chunk *chunk, hb_tile *tile, hb_element type, const void *at, uint64_t n, uint64_t key);
void hb__chunk_end(struct hb__chunk *chunk, hb_tile *tile);

void hb__tile_chunk_sse2(hb_tile *tile, const struct hb__chunk *chunk);
void hb__tile_chunk_avx2(hb_tile *tile, const struct hb__chunk *chunk);
void hb__tile_chunk_avx512(hb_tile *tile, const struct hb__chunk *chunk);

/* HB_WIDE lanes in a register: 2, 4 or 8, as the processor has them. The hash is the finaliser of splitmix64 (Steele, Lea, Flood 2014) of
 * (bits xor key * golden ratio); the signs are the top bits of the key mixed once more, by itself. */
#ifdef HB_WIDE
typedef uint64_t hb__words __attribute__((vector_size(8 * HB_WIDE)));
typedef int64_t hb__masks __attribute__((vector_size(8 * HB_WIDE)));
typedef double hb__reals __attribute__((vector_size(8 * HB_WIDE)));

struct hb__sums {
	hb__words hash, odd;
	hb__reals sketch, sum, squares, least, greatest;
};

static inline __attribute__((always_inline)) void hb__tile_step(
	struct hb__sums *t, hb__reals *second, hb__words key, hb__words live, hb__words bits, hb__words value)
{
	const uint64_t top = UINT64_C(1) << 63, exponent = 0x7ff0000000000000u;
	hb__words z = bits ^ key, s = key;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	t->hash += (z ^ z >> 31) & live;
	s = (s ^ s >> 32) * 0xd6e8feb86659fd93u;
	s ^= s >> 29;
	hb__words use = (hb__words)((value & exponent) != exponent) & live;
	t->odd -= live & ~use;
	value &= use;
	hb__reals x = (hb__reals)value;
	t->sketch += (hb__reals)(value ^ (s & top));
	*second += (hb__reals)(value ^ (s << 1 & top));
	t->sum += x;
	t->squares += x * x;
	hb__masks lower = (hb__masks)use & (x < t->least), higher = (hb__masks)use & (x > t->greatest);
	t->least = (hb__reals)(((hb__masks)x & lower) | ((hb__masks)t->least & ~lower));
	t->greatest = (hb__reals)(((hb__masks)x & higher) | ((hb__masks)t->greatest & ~higher));
}

static inline __attribute__((always_inline)) void hb__tile_loop(hb_tile *tile, const struct hb__chunk *c)
{
	enum { REGISTERS = HB_LANES / HB_WIDE };
	const uint64_t golden = 0x9e3779b97f4a7c15u;
	struct hb__sums t[REGISTERS] = {0};
	hb__reals second[HB_SKETCH][REGISTERS] = {0};
	hb__words lane[REGISTERS];
	for (unsigned r = 0; r < REGISTERS; r++) {
		t[r].least += __builtin_inf();
		t[r].greatest -= __builtin_inf();
		for (unsigned j = 0; j < HB_WIDE; j++)
			lane[r][j] = (r * HB_WIDE + j + 1) * golden;
	}
	for (unsigned i = 0; i < c->n; i += HB_LANES) {
		uint64_t group = c->group[i / HB_LANES], base = group * HB_LANES * golden;
#pragma GCC unroll 4
		for (unsigned r = 0; r < REGISTERS; r++)
			hb__tile_step(&t[r], &second[group % HB_SKETCH][r], lane[r] + base,
				*(const hb__words *)(c->live + i + r * HB_WIDE),
				*(const hb__words *)(c->bits + i + r * HB_WIDE),
				*(const hb__words *)(c->value + i + r * HB_WIDE));
	}
	for (unsigned j = 0; j < HB_LANES; j++) {
		const struct hb__sums *s = &t[j / HB_WIDE];
		unsigned k = j % HB_WIDE;
		tile->hash += s->hash[k];
		tile->odd += s->odd[k];
		tile->sketch[0][j] += s->sketch[k];
		for (unsigned i = 0; i < HB_LANES; i++)
			tile->sketch[1][j] += second[j][i / HB_WIDE][i % HB_WIDE];
		tile->sum += s->sum[k];
		tile->squares += s->squares[k];
		tile->least = s->least[k] < tile->least ? s->least[k] : tile->least;
		tile->greatest = s->greatest[k] > tile->greatest ? s->greatest[k] : tile->greatest;
	}
}
#endif

#endif
