/* Checksums by tiles: the same for every decomposition, halo and order of storage of it; what they miss and what they do not; indices. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "format/trace/sums/kernel.h"

static uint64_t state = 88172645463325252u;
static uint64_t draw(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}
static int64_t below(int64_t n) { return (int64_t)(draw() % (uint64_t)n); }
static double uniform(void) { return (double)(draw() >> 11) * 0x1p-53 - 0.5; }

static size_t elements(const hb_array *a)
{
	size_t n = 1;
	for (unsigned d = 0; d < a->rank; d++)
		n *= (size_t)(a->below[d] + (a->count[d] ? a->count[d] : a->global[d]) + a->above[d]);
	return n;
}

/* The value of an element by its global index: some not finite, and zeros of both signs. */
static void set(hb_element type, void *at, uint64_t key)
{
	uint64_t h = (key + 77) * 0x9e3779b97f4a7c15u;
	double x = (double)(int64_t)(h >> 20) * 1e-9;
	x = h % 97 == 0 ? NAN : h % 89 == 0 ? INFINITY : h % 31 == 0 ? 0.0 : h % 29 == 0 ? -0.0 : x;
	float f = (float)x;
	int32_t i = (int32_t)h;
	int64_t l = (int64_t)h;
	int8_t c = (int8_t)h;
	double z[2] = {x, -x};
	float w[2] = {f, -f};
	const void *from[HB_ELEMENTS] = {[HB_REAL8] = &x,
		[HB_REAL4] = &f,
		[HB_INTEGER4] = &i,
		[HB_INTEGER8] = &l,
		[HB_INTEGER1] = &c,
		[HB_COMPLEX16] = z,
		[HB_COMPLEX8] = w};
	memcpy(at, from[type], hb_element_bytes(type));
}

/* Fills the storage: what is owned by global index, the halo with something else. */
static void *fill(hb_array *a)
{
	size_t n = elements(a), bytes = hb_element_bytes(a->type);
	char *at = malloc(n * bytes + 1);
	memset(at, 0x5a, n * bytes);
	for (size_t i = 0; i < n; i++) {
		int64_t index[HB_DIMENSIONS];
		bool owned;
		hb_array_index(a, (int64_t)i, index, &owned);
		if (owned)
			set(a->type, at + i * bytes, hb_array_key(a, index));
	}
	a->at = at;
	return at;
}

static bool same(const hb_tile *a, const hb_tile *b)
{
	double scale = 1e-9 * (sqrt(a->squares) + 1e-300) * sqrt((double)a->count + 1);
	return a->hash == b->hash && a->count == b->count && a->odd == b->odd && !(a->least < b->least) &&
	       !(a->least > b->least) && !(a->greatest < b->greatest) && !(a->greatest > b->greatest) &&
	       fabs(a->sum - b->sum) <= scale && hb_tile_distance(a, b) <= scale;
}

/* One array whole, and cut into boxes or dealt out in blocks, with halos. */
static bool decomposed(void)
{
	hb_array all = {
		.type = (hb_element)below(HB_ELEMENTS), .rank = 1 + (unsigned)below(4), .columns = (int)below(2)};
	int64_t parts[HB_DIMENSIONS], processes = 1;
	bool cyclic[HB_DIMENSIONS];
	for (unsigned d = 0; d < all.rank; d++) {
		all.global[d] = 1 + below(all.rank == 1 ? 3000 : 24);
		parts[d] = 1 + below(3);
		cyclic[d] = below(4) == 0;
		processes *= parts[d];
	}
	hb_tiling t;
	hb_tile whole[HB_TILES_MOST], sum[HB_TILES_MOST], part[HB_TILES_MOST];
	bool touched[HB_TILES_MOST];
	void *at = fill(&all);
	if (!hb_tiling_make(all.rank, all.columns, all.global, &t) || !hb_tiles_of_array(&all, &t, whole, touched))
		return false;
	free(at);
	for (uint32_t i = 0; i < t.tiles; i++)
		hb_tile_clear(&sum[i]);
	for (int64_t p = 0; p < processes; p++) {
		hb_array a = all;
		bool nothing = false;
		int64_t q = p;
		for (unsigned d = 0; d < a.rank; d++) {
			int64_t me = q % parts[d], n = a.global[d];
			q /= parts[d];
			a.below[d] = below(3);
			a.above[d] = below(3);
			a.first[d] = n * me / parts[d];
			a.count[d] = n * (me + 1) / parts[d] - a.first[d];
			if (cyclic[d]) {
				a.block[d] = 1 + below(5);
				a.block[d] = 1 + (n + (int64_t)d) % 5; /* the same at all processes */
				a.over[d] = parts[d];
				a.place[d] = me;
				a.count[d] = 0;
				for (int64_t i = 0; i < n; i++)
					a.count[d] += i / a.block[d] % parts[d] == me;
			}
			nothing |= !a.count[d];
		}
		if (nothing)
			continue;
		at = fill(&a);
		bool fine = hb_tiles_of_array(&a, &t, part, touched);
		free(at);
		if (!fine)
			return false;
		for (uint32_t i = 0; i < t.tiles; i++) {
			if (touched[i] != (part[i].count != 0))
				return false;
			hb_tile_add(&sum[i], &part[i]);
		}
	}
	for (uint32_t i = 0; i < t.tiles; i++)
		if (!same(&whole[i], &sum[i]))
			return false;
	return true;
}

static void boxes(void)
{
	size_t wrong = 0, far = 0;
	for (int k = 0; k < 300; k++) {
		int64_t global[HB_DIMENSIONS];
		unsigned rank = 1 + (unsigned)below(HB_DIMENSIONS);
		for (unsigned d = 0; d < rank; d++)
			global[d] = 1 + below(9);
		hb_tiling t;
		if (!hb_tiling_make(rank, below(2), global, &t) || t.tiles > HB_TILES_MOST) {
			wrong++;
			continue;
		}
		int64_t elements_seen = 0, all = 1;
		for (unsigned d = 0; d < rank; d++)
			all *= global[d];
		for (uint32_t i = 0; i < t.tiles; i++) {
			int64_t first[HB_DIMENSIONS], count[HB_DIMENSIONS], n = 1;
			hb_tile_box(&t, i, first, count);
			for (unsigned d = 0; d < rank; d++) {
				n *= count[d];
				wrong += count[d] < 1;
			}
			wrong += hb_tile_of(&t, first) != i;
			for (unsigned d = 0; d < rank; d++)
				first[d] += count[d] - 1;
			wrong += hb_tile_of(&t, first) != i;
			elements_seen += n;
		}
		far += elements_seen != all;
	}
	check(!wrong && !far, "tiles cut the box of an array without gaps (%zu, %zu wrong)", wrong, far);
}

static void offsets(void)
{
	size_t wrong = 0;
	for (int k = 0; k < 200; k++) {
		hb_array a = {.type = HB_REAL8, .rank = 1 + (unsigned)below(3), .columns = (int)below(2)};
		for (unsigned d = 0; d < a.rank; d++) {
			a.global[d] = 4 + below(12);
			a.first[d] = below(3);
			a.count[d] = 1 + below(a.global[d] - a.first[d]);
			a.below[d] = below(3);
			a.above[d] = below(3);
		}
		for (size_t i = 0; i < elements(&a); i++) {
			int64_t index[HB_DIMENSIONS];
			bool owned, inside = true;
			hb_array_index(&a, (int64_t)i, index, &owned);
			for (unsigned d = 0; d < a.rank; d++)
				inside &= index[d] >= a.first[d] && index[d] < a.first[d] + a.count[d];
			wrong += inside != owned || hb_array_offset(&a, index) != (int64_t)i;
		}
	}
	check(!wrong, "an offset in the storage and a global index are each other's (%zu wrong)", wrong);
}

static hb_tile tile_of(const double *x, int64_t n, uint64_t key)
{
	hb_tile t;
	hb_tile_clear(&t);
	hb_tile_take(&t, HB_REAL8, x, n, key);
	return t;
}

/* What a change does. */
static void changes(void)
{
	enum { N = 1000 };
	static double x[N], y[N];
	size_t flips = 0, swaps = 0, single = 0;
	for (int i = 0; i < N; i++)
		x[i] = uniform();
	hb_tile before = tile_of(x, N, 12345);
	for (int i = 0; i < N; i++)
		for (int bit = 0; bit < 64; bit++) {
			memcpy(y, x, sizeof x);
			uint64_t u;
			memcpy(&u, &y[i], 8);
			u ^= UINT64_C(1) << bit;
			memcpy(&y[i], &u, 8);
			/* all but this one are the same: its part alone */
			hb_tile a = tile_of(&x[i], 1, 12345 + (uint64_t)i), b = tile_of(&y[i], 1, 12345 + (uint64_t)i);
			flips += a.hash == b.hash;
		}
	check(!flips, "each bit of each element counts (%zu missed)", flips);
	for (int i = 0; i < N; i++) {
		int j = (int)below(N);
		memcpy(y, x, sizeof x);
		y[i] = x[j];
		y[j] = x[i];
		hb_tile t = tile_of(y, N, 12345);
		swaps += i != j && t.hash == before.hash;
		memcpy(y, x, sizeof x);
		y[i] += 1;
		t = tile_of(y, N, 12345);
		single += !(fabs(hb_tile_distance(&before, &t) - 1) < 1e-9);
	}
	check(!swaps, "two elements exchanged count (%zu missed)", swaps);
	check(!single, "one element that is off by 1 is off by 1 (%zu wrong)", single);
}

/* How well the sketch knows |x - y|: the least and the greatest of many tries, for differences of several shapes. */
static void estimates(void)
{
	enum { N = 4096, TRIES = 2000 };
	static double x[N], y[N];
	static const char *const shape[] = {
		"random", "one and minus one", "smooth", "each eighth element", "alternating", "each 64th element"};
	for (size_t s = 0; s < sizeof shape / sizeof *shape; s++) {
		double least = INFINITY, greatest = 0, mean = 0;
		for (int k = 0; k < TRIES; k++) {
			double squares = 0;
			memset(y, 0, sizeof y);
			for (int i = 0; i < N; i++) {
				x[i] = uniform();
				double by_shape[] = {uniform(), uniform() > 0 ? 1 : -1, sin(i * 1e-2),
					i % 8 ? 0 : uniform(), i % 2 ? 1 : -1, i % 64 ? 0 : uniform()};
				y[i] = by_shape[s];
			}
			for (int i = 0; i < N; i++) {
				squares += y[i] * y[i];
				y[i] += x[i];
			}
			uint64_t key = (uint64_t)below(1 << 30);
			hb_tile a = tile_of(x, N, key), b = tile_of(y, N, key);
			double ratio = hb_tile_distance(&a, &b) / sqrt(squares);
			least = fmin(least, ratio);
			greatest = fmax(greatest, ratio);
			mean += ratio * ratio / TRIES;
		}
		check(mean > 0.9 && mean < 1.2 && greatest < 4.5 && least > 0.01,
			"%s: estimated / true between %.3g and %.3g, mean square %.3f", shape[s], least, greatest,
			mean);
	}
}

/* Two elements exchanged: neither sums nor squares see it, and the sketch does not where the two fall into the same sums with the same
 * signs: of 64 pairs one is in the same sums, of 4 of those one has the same signs. The hash sees all of them. */
static void exchanged(void)
{
	enum { N = 4096, TRIES = 20000 };
	static double x[N];
	size_t missed = 0;
	for (int k = 0; k < TRIES; k++) {
		int i = (int)below(N), j = (i + 1 + (int)below(N - 1)) % N;
		x[i] = 1;
		x[j] = -1;
		uint64_t key = (uint64_t)below(1 << 30);
		hb_tile a = tile_of(x, N, key);
		x[i] = -1;
		x[j] = 1;
		hb_tile b = tile_of(x, N, key);
		x[i] = x[j] = 0;
		missed += hb_tile_distance(&a, &b) < 1e-9;
		if (a.hash == b.hash)
			check(0, "an exchange of %d and %d has the same hash", i, j);
	}
	check(missed > TRIES / 400 && missed < TRIES / 180, "of %d exchanges the sketch misses %zu, one of 256", TRIES,
		missed);
}

static void kernels(void)
{
	size_t wrong = 0;
	for (int k = 0; k < 500; k++) {
		static struct hb__chunk c;
		c.n = (unsigned)(1 + below(HB_CHUNK / 8)) * 8;
		for (unsigned i = 0; i < c.n; i++) {
			c.group[i / HB_LANES] = draw() >> 20;
			c.live[i] = below(5) ? ~UINT64_C(0) : 0;
			set(HB_REAL8, &c.value[i], draw());
			memcpy(&c.bits[i], &c.value[i], 8);
		}
		hb_tile a, b;
		memset(&a, 0, sizeof a);
		memset(&b, 0, sizeof b);
		hb__tile_chunk_sse2(&a, &c);
		if (__builtin_cpu_supports("avx2")) {
			hb__tile_chunk_avx2(&b, &c);
			wrong += memcmp(&a, &b, sizeof a) != 0;
		}
		memset(&b, 0, sizeof b);
		if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) {
			hb__tile_chunk_avx512(&b, &c);
			wrong += memcmp(&a, &b, sizeof a) != 0;
		}
	}
	check(!wrong, "all widths of registers give the same bits (%zu wrong)", wrong);
}

static void troubles(void)
{
	const hb_array good = {.type = HB_REAL8, .rank = 2, .global = {8, 8}, .first = {2, 0}, .count = {3, 8}};
	check(!hb_array_trouble(&good), "a good description");
	hb_array bad[10];
	for (size_t i = 0; i < 10; i++)
		bad[i] = good;
	bad[0].rank = 0;
	bad[1].rank = 8;
	bad[2].global[1] = 0;
	bad[3].count[0] = 7;
	bad[4].first[0] = -1;
	bad[5].below[1] = -1;
	bad[6].type = HB_ELEMENTS;
	bad[7].block[0] = 2;
	bad[8].global[0] = INT64_C(1) << 61;
	bad[9].block[0] = 2, bad[9].over[0] = 2, bad[9].count[0] = 5;
	size_t silent = 0;
	for (size_t i = 0; i < 10; i++)
		silent += !hb_array_trouble(&bad[i]);
	check(!silent, "ten bad descriptions are told (%zu not)", silent);
}

int main(void)
{
	size_t wrong = 0;
	for (int k = 0; k < 1500; k++)
		wrong += !decomposed();
	check(!wrong, "tiles are the same for every decomposition (%zu of 1500 are not)", wrong);
	boxes();
	offsets();
	changes();
	estimates();
	exchanged();
	kernels();
	troubles();
	return check_end();
}
