/* Columns of unsigned numbers, in the way that needs least room. */
#include <stdlib.h>
#include <string.h>

#include "format/sealed/sealed.h"

enum { CONSTANT, BYTES, DICTIONARY, BUCKETS, INTEGERS, DIFFERENCES };

/* A number below 8 is its own bucket. A larger one is in the bucket of its
 * highest bit and the two after it; the bits below those follow elsewhere. */
static inline uint8_t bucket_of(uint64_t v)
{
	if (v < 8)
		return (uint8_t)v;
	unsigned e = 63 - (unsigned)__builtin_clzll(v);
	return (uint8_t)(8 + (e - 3) * 4 + (v >> (e - 2) & 3));
}

static inline unsigned bucket_bits(uint8_t bucket) { return bucket < 8 ? 0 : (bucket - 8u) / 4 + 1; }

static inline uint64_t bucket_low(uint8_t bucket)
{
	return bucket < 8 ? bucket : (uint64_t)(4 + (bucket - 8u) % 4) << bucket_bits(bucket);
}

/* ---- writing ---- */

struct shape {
	bool constant;
	uint64_t most;
	size_t distinct;     /* 257: more than 256 */
	uint64_t value[256]; /* ascending */
};

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

static struct shape shape_of(const uint64_t *v, size_t n)
{
	struct shape s = {.constant = true};
	uint64_t seen[1024];
	uint8_t used[1024] = {0};
	for (size_t i = 0; i < n; i++) {
		s.constant = s.constant && v[i] == v[0];
		if (v[i] > s.most)
			s.most = v[i];
		if (s.distinct > 256)
			continue;
		size_t h = v[i] * 0x9e3779b97f4a7c15u >> 54;
		while (used[h] && seen[h] != v[i])
			h = (h + 1) & 1023;
		if (used[h])
			continue;
		used[h] = 1;
		seen[h] = v[i];
		if (s.distinct < 256)
			s.value[s.distinct] = v[i];
		s.distinct++;
	}
	if (s.distinct <= 256)
		qsort(s.value, s.distinct, sizeof *s.value, by_value);
	return s;
}

static void write_bytes(struct hb__packer *k, struct hb__bytes *out, const uint64_t *v, size_t n)
{
	uint8_t *symbol = malloc(n);
	if (!symbol) {
		out->failed = true;
		return;
	}
	for (size_t i = 0; i < n; i++)
		symbol[i] = (uint8_t)v[i];
	hb__bytes_u8(out, BYTES);
	hb__pack(k, out, symbol, n);
	free(symbol);
}

static uint8_t index_of(const struct shape *s, uint64_t v)
{
	size_t low = 0, high = s->distinct;
	while (high - low > 1) {
		size_t middle = (low + high) / 2;
		if (s->value[middle] <= v)
			low = middle;
		else
			high = middle;
	}
	return (uint8_t)low;
}

static void write_dictionary(
	struct hb__packer *k, struct hb__bytes *out, const struct shape *s, const uint64_t *v, size_t n)
{
	uint8_t *symbol = malloc(n);
	if (!symbol) {
		out->failed = true;
		return;
	}
	hb__bytes_u8(out, DICTIONARY);
	hb__bytes_uv(out, s->distinct);
	for (size_t i = 0; i < s->distinct; i++)
		hb__bytes_uv(out, s->value[i] - (i ? s->value[i - 1] : 0));
	for (size_t i = 0; i < n; i++)
		symbol[i] = index_of(s, v[i]);
	hb__pack(k, out, symbol, n);
	free(symbol);
}

static void write_buckets(struct hb__packer *k, struct hb__bytes *out, const uint64_t *v, size_t n)
{
	uint8_t *symbol = malloc(n), *bits = calloc(n + 1, 8), *b = bits;
	if (!symbol || !bits) {
		out->failed = true;
		n = 0;
	}
	unsigned have = 0; /* bits in the byte at b */
	for (size_t i = 0; i < n; i++) {
		symbol[i] = bucket_of(v[i]);
		unsigned left = bucket_bits(symbol[i]);
		uint64_t low = v[i] - bucket_low(symbol[i]);
		while (left) {
			unsigned take = left < 8 - have ? left : 8 - have;
			*b |= (uint8_t)((low & ((1u << take) - 1)) << have);
			low >>= take;
			left -= take;
			have += take;
			b += have / 8;
			have %= 8;
		}
	}
	if (n) {
		hb__bytes_u8(out, BUCKETS);
		hb__pack(k, out, symbol, n);
		hb__bytes_put(out, bits, (size_t)(b - bits) + (have > 0));
	}
	free(symbol);
	free(bits);
}

static void write_integers(struct hb__packer *k, struct hb__bytes *out, const uint64_t *v, size_t n)
{
	struct hb__bytes b = {0};
	for (size_t i = 0; i < n; i++)
		hb__bytes_uv(&b, v[i]);
	hb__bytes_u8(out, INTEGERS);
	hb__bytes_uv(out, b.n);
	hb__pack(k, out, b.p, b.n);
	out->failed |= b.failed;
	free(b.p);
}

/* Keeps the shorter of *best and *trial in *best. */
static void keep_shorter(struct hb__bytes *best, struct hb__bytes *trial)
{
	if (!trial->failed && (best->n == 0 || trial->n < best->n)) {
		struct hb__bytes b = *best;
		*best = *trial;
		*trial = b;
	}
	trial->n = 0;
}

static void write_plain(struct hb__packer *k, struct hb__bytes *out, const uint64_t *v, size_t n)
{
	struct shape s = shape_of(v, n);
	struct hb__bytes best = {0}, trial = {0};
	if (s.constant) {
		hb__bytes_u8(out, CONSTANT);
		hb__bytes_uv(out, n ? v[0] : 0);
		return;
	}
	if (s.most < 256) {
		write_bytes(k, &trial, v, n);
		keep_shorter(&best, &trial);
	}
	if (s.distinct <= 256 && (s.most >= 256 || k->small)) {
		write_dictionary(k, &trial, &s, v, n);
		keep_shorter(&best, &trial);
	}
	if (s.most >= 8) {
		write_buckets(k, &trial, v, n);
		keep_shorter(&best, &trial);
	}
	if (s.most >= 256) {
		write_integers(k, &trial, v, n);
		keep_shorter(&best, &trial);
	}
	if (!best.n)
		out->failed = true;
	hb__bytes_put(out, best.p, best.n);
	free(best.p);
	free(trial.p);
}

/* Whether differences are worth a trial: they are mostly the same, or much smaller. */
static bool worth_differences(const uint64_t *v, const uint64_t *d, size_t n)
{
	size_t smaller = 0, repeated = 0;
	for (size_t i = 1; i < n; i++) {
		smaller += d[i] < v[i] / 4;
		repeated += d[i] == d[i - 1];
	}
	return n > 2 && (smaller > n / 2 || repeated > n / 2);
}

void hb__column_write(struct hb__packer *k, struct hb__bytes *out, const uint64_t *v, size_t n)
{
	if (n == 0)
		return;
	struct hb__bytes plain = {0}, trial = {0};
	write_plain(k, &plain, v, n);
	uint64_t *d = plain.n > 8 ? malloc(n * sizeof *d) : NULL;
	if (d) {
		for (size_t i = 0; i < n; i++)
			d[i] = hb_zigzag((int64_t)(v[i] - (i ? v[i - 1] : 0)));
		if (worth_differences(v, d, n)) {
			hb__bytes_u8(&trial, DIFFERENCES);
			write_plain(k, &trial, d, n);
			keep_shorter(&plain, &trial);
		}
	}
	out->failed |= plain.failed;
	hb__bytes_put(out, plain.p, plain.n);
	free(d);
	free(plain.p);
	free(trial.p);
}

/* ---- reading ---- */

static uint8_t *symbols(struct hb__in *in, struct hb__arena *arena, size_t n)
{
	uint8_t *symbol = in->bad ? NULL : hb__arena_get(arena, n);
	if (!symbol) {
		in->bad = true;
		return NULL;
	}
	hb__unpack(in, n, symbol);
	return in->bad ? NULL : symbol;
}

static void read_dictionary(struct hb__in *in, struct hb__arena *arena, size_t n, uint64_t *v)
{
	uint64_t value[256] = {0}, count = hb__in_uv(in);
	if (count > 256)
		in->bad = true;
	for (uint64_t i = 0; i < count && !in->bad; i++)
		value[i] = hb__in_uv(in) + (i ? value[i - 1] : 0);
	const uint8_t *symbol = symbols(in, arena, n);
	for (size_t i = 0; symbol && i < n; i++) {
		if (symbol[i] >= count) {
			in->bad = true;
			return;
		}
		v[i] = value[symbol[i]];
	}
}

/* The `count` bits from bit `at` of a string of `bytes` bytes; count below 64. */
static inline uint64_t bits_at(const uint8_t *p, size_t bytes, uint64_t at, unsigned count)
{
	size_t byte = at / 8;
	unsigned shift = at % 8;
	uint64_t word = 0, mask = (1ull << count) - 1;
	if (bytes - byte >= 9) {
		memcpy(&word, p + byte, 8);
		word >>= shift;
		if (shift + count > 64)
			word |= (uint64_t)p[byte + 8] << (64 - shift);
		return word & mask;
	}
	for (unsigned i = 0; i < count; i++)
		word |= (uint64_t)(p[(at + i) / 8] >> (at + i) % 8 & 1) << i;
	return word;
}

/* Bytes of the low bits of n buckets. */
static uint64_t low_bytes(struct hb__in *in, const uint8_t *symbol, size_t n)
{
	uint64_t bits = 0;
	uint8_t most = 0;
	for (size_t i = 0; i < n; i++) {
		most = symbol[i] > most ? symbol[i] : most;
		bits += bucket_bits(symbol[i]);
	}
	in->bad |= most > bucket_of(UINT64_MAX);
	return (bits + 7) / 8;
}

static void read_buckets(struct hb__in *in, struct hb__arena *arena, size_t n, uint64_t *v)
{
	const uint8_t *symbol = symbols(in, arena, n);
	uint64_t at = 0, bytes = symbol ? low_bytes(in, symbol, n) : 0;
	const uint8_t *p = symbol ? hb__in_bytes(in, bytes) : NULL;
	for (size_t i = 0; p && i < n; i++) {
		unsigned count = bucket_bits(symbol[i]);
		v[i] = bucket_low(symbol[i]) + (count ? bits_at(p, bytes, at, count) : 0);
		at += count;
	}
}

static void read_integers(struct hb__in *in, struct hb__arena *arena, size_t n, uint64_t *v)
{
	uint64_t bytes = hb__in_uv(in);
	if (bytes > n * HB_UV_MAX) {
		in->bad = true;
		return;
	}
	const uint8_t *p = symbols(in, arena, bytes);
	struct hb__in body = {p, p ? p + bytes : NULL, !p};
	for (size_t i = 0; p && i < n; i++)
		v[i] = hb__in_uv(&body);
	if (body.bad || body.p != body.end)
		in->bad = true;
}

static void skip_buckets(struct hb__in *in, struct hb__arena *arena, size_t n)
{
	const uint8_t *symbol = symbols(in, arena, n);
	if (symbol)
		hb__in_bytes(in, low_bytes(in, symbol, n));
}

void hb__column_skip(struct hb__in *in, struct hb__arena *arena, size_t n)
{
	if (n == 0 || in->bad)
		return;
	uint8_t how = hb__in_u8(in);
	if (how == DIFFERENCES)
		how = hb__in_u8(in);
	switch (how) {
	case CONSTANT:
		hb__in_uv(in);
		break;
	case BYTES:
		hb__unpack_skip(in, n);
		break;
	case DICTIONARY:
		for (uint64_t left = hb__in_uv(in); left && !in->bad; left--)
			hb__in_uv(in);
		hb__unpack_skip(in, n);
		break;
	case BUCKETS:
		skip_buckets(in, arena, n);
		break;
	case INTEGERS:
		hb__unpack_skip(in, hb__in_uv(in));
		break;
	default:
		in->bad = true;
	}
}

void hb__column_read(struct hb__in *in, struct hb__arena *arena, size_t n, struct hb__column *ret_column)
{
	*ret_column = (struct hb__column){.v = &ret_column->fixed};
	if (n == 0 || in->bad)
		return;
	uint8_t how = hb__in_u8(in);
	bool differences = how == DIFFERENCES;
	if (differences)
		how = hb__in_u8(in);
	if (how == CONSTANT && !differences) {
		ret_column->fixed = hb__in_uv(in);
		return;
	}
	uint64_t *v = hb__arena_get(arena, n * sizeof *v);
	if (!v || how > INTEGERS) {
		in->bad = true;
		return;
	}
	struct hb__arena before = *arena;
	uint64_t fixed = how == CONSTANT ? hb__in_uv(in) : 0;
	const uint8_t *symbol = how == BYTES ? symbols(in, arena, n) : NULL;
	if (how == CONSTANT)
		for (size_t i = 0; i < n; i++)
			v[i] = fixed;
	else if (how == BYTES)
		for (size_t i = 0; symbol && i < n; i++)
			v[i] = symbol[i];
	else if (how == DICTIONARY)
		read_dictionary(in, arena, n, v);
	else if (how == BUCKETS)
		read_buckets(in, arena, n, v);
	else
		read_integers(in, arena, n, v);
	if (differences && !in->bad)
		for (size_t i = 0; i < n; i++)
			v[i] = (uint64_t)hb_unzigzag(v[i]) + (i ? v[i - 1] : 0);
	hb__arena_back(arena, &before);
	ret_column->v = v;
	ret_column->mask = SIZE_MAX;
}
