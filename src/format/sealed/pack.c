/* Strings of byte symbols, stored in the way that needs least room. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "format/sealed/rangecoder.h"
#include "format/sealed/sealed.h"

enum { STORED, ZSTD, RANGE }; /* RANGE + order 0, 1, 2 */

bool hb__packer_open(struct hb__packer *k, bool small)
{
	*k = (struct hb__packer){.zstd = ZSTD_createCCtx(), .small = small, .level = small ? 12 : 3};
	return k->zstd;
}

void hb__packer_close(struct hb__packer *k)
{
	ZSTD_freeCCtx(k->zstd);
	free(k->trial[0].p);
	free(k->trial[1].p);
}

/* Bits of the largest symbol. */
static unsigned width_of(const uint8_t *symbol, size_t n)
{
	uint8_t all = 0;
	for (size_t i = 0; i < n; i++)
		all |= symbol[i];
	unsigned width = 1;
	while (all >> width)
		width++;
	return width;
}

/* Nodes for symbols of `width` bits after `order` symbols before. NULL: too many, or no memory. */
static struct hb__rc_node *nodes(unsigned order, unsigned width)
{
	if (order > 2 || width < 1 || width > 8 || (order == 2 && width > 6))
		return NULL;
	size_t n = (size_t)1 << width * (order + 1);
	struct hb__rc_node *node = malloc(n * sizeof *node);
	if (node)
		hb__rc_start(node, n);
	return node;
}

/* The context of the next symbol: the last `order` symbols. */
static size_t context(size_t before, unsigned symbol, unsigned order, unsigned width)
{
	return (before << width | symbol) & (((size_t)1 << width * order) - 1);
}

static bool range_write(struct hb__bytes *out, unsigned order, unsigned width, const uint8_t *symbol, size_t n)
{
	struct hb__rc_node *node = nodes(order, width);
	if (!node)
		return false;
	size_t start = out->n, before = 0;
	struct hb__rc_encoder e = hb__rc_encoder(out);
	for (size_t i = 0; i < n; i++) {
		struct hb__rc_node *tree = node + (before << width);
		unsigned at = 1;
		for (unsigned b = width; b-- > 0;) {
			unsigned bit = symbol[i] >> b & 1;
			hb__rc_encode(&e, &tree[at], bit);
			at = at << 1 | bit;
		}
		before = context(before, symbol[i], order, width);
	}
	hb__rc_finish(&e, start);
	free(node);
	return !out->failed;
}

static bool range_read(const uint8_t *p, size_t bytes, unsigned order, unsigned width, size_t n, uint8_t *ret_symbol)
{
	struct hb__rc_node *node = nodes(order, width);
	if (!node)
		return false;
	struct hb__rc_decoder d = hb__rc_decoder(p, bytes);
	size_t before = 0;
	for (size_t i = 0; i < n; i++) {
		struct hb__rc_node *tree = node + (before << width);
		unsigned at = 1;
		for (unsigned b = 0; b < width; b++)
			at = at << 1 | hb__rc_decode(&d, &tree[at]);
		ret_symbol[i] = (uint8_t)(at - (1u << width));
		before = context(before, ret_symbol[i], order, width);
	}
	free(node);
	return true;
}

/* Keeps the shorter one in trial[0]. */
static void keep_shorter(struct hb__packer *k)
{
	if (k->trial[1].failed || k->trial[1].n >= k->trial[0].n)
		return;
	struct hb__bytes b = k->trial[0];
	k->trial[0] = k->trial[1];
	k->trial[1] = b;
}

static void try_zstd(struct hb__packer *k, const uint8_t *symbol, size_t n)
{
	struct hb__bytes *t = &k->trial[1], body = {0};
	size_t bound = ZSTD_compressBound(n);
	uint8_t *p = hb__bytes_room(&body, bound);
	size_t bytes = p ? ZSTD_compressCCtx(k->zstd, p, bound, symbol, n, k->level) : 0;
	t->n = 0;
	if (p && !ZSTD_isError(bytes)) {
		hb__bytes_u8(t, ZSTD);
		hb__bytes_uv(t, bytes);
		hb__bytes_put(t, p, bytes);
		keep_shorter(k);
	}
	free(body.p);
}

static void try_range(struct hb__packer *k, unsigned order, const uint8_t *symbol, size_t n)
{
	unsigned width = width_of(symbol, n);
	if ((order == 2 && width > 6) || n * 4 < (size_t)1 << width * order)
		return; /* so few symbols would not teach so many contexts anything */
	struct hb__bytes *t = &k->trial[1], body = {0};
	t->n = 0;
	if (range_write(&body, order, width, symbol, n)) {
		hb__bytes_u8(t, (uint8_t)(RANGE + order));
		hb__bytes_u8(t, (uint8_t)width);
		hb__bytes_uv(t, body.n - 1);
		hb__bytes_put(t, body.p + 1, body.n - 1);
		keep_shorter(k);
	}
	free(body.p);
}

void hb__pack(struct hb__packer *k, struct hb__bytes *out, const uint8_t *symbol, size_t n)
{
	k->trial[0].n = 0;
	hb__bytes_u8(&k->trial[0], STORED);
	hb__bytes_put(&k->trial[0], symbol, n);
	if (n > 12) /* a frame alone is longer */
		try_zstd(k, symbol, n);
	for (unsigned order = 0; k->small && order < 3 && n > 2; order++)
		try_range(k, order, symbol, n);
	if (k->trial[0].failed)
		out->failed = true;
	hb__bytes_put(out, k->trial[0].p, k->trial[0].n);
}

/* ---- reading ---- */

static pthread_key_t decoder_key;
static bool decoder_kept;

static void free_decoder(void *decoder) { ZSTD_freeDCtx(decoder); }
static void make_key(void) { decoder_kept = pthread_key_create(&decoder_key, free_decoder) == 0; }

/* One for each thread: to make one asks the processor what it can do, which under a hypervisor takes longer than to
 * decode most packs. */
static ZSTD_DCtx *decoder(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, make_key);
	ZSTD_DCtx *d = decoder_kept ? pthread_getspecific(decoder_key) : NULL;
	if (!d && decoder_kept && (d = ZSTD_createDCtx()) && pthread_setspecific(decoder_key, d)) {
		ZSTD_freeDCtx(d);
		d = NULL;
	}
	return d;
}

void hb__unpack_skip(struct hb__in *in, size_t n)
{
	uint8_t how = hb__in_u8(in);
	if (how >= RANGE)
		hb__in_u8(in);
	hb__in_bytes(in, how == STORED ? n : hb__in_uv(in));
}

void hb__unpack(struct hb__in *in, size_t n, uint8_t *ret_symbol)
{
	uint8_t how = hb__in_u8(in);
	if (how == STORED) {
		const uint8_t *p = hb__in_bytes(in, n);
		if (p)
			memcpy(ret_symbol, p, n);
		return;
	}
	unsigned width = how >= RANGE ? hb__in_u8(in) : 0;
	uint64_t bytes = hb__in_uv(in);
	const uint8_t *p = hb__in_bytes(in, bytes);
	bool good = false;
	if (p && how == ZSTD) {
		ZSTD_DCtx *d = decoder();
		good = d && ZSTD_decompressDCtx(d, ret_symbol, n, p, bytes) == n;
	} else if (p) {
		good = range_read(p, bytes, how - RANGE, width, n, ret_symbol);
	}
	if (!good)
		in->bad = true;
}
