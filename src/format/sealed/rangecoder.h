/* An adaptive binary range coder: every decision between 0 and 1 has a node that
 * learns how probable 1 is, and costs about -log2 of the probability of what came.
 *
 * The arithmetic (32-bit range, carry handed on through a cached byte) is that of
 * G. N. N. Martin, "Range encoding", 1979, in the carry-propagating form that LZMA
 * made common. The estimate is close to that of Krichevsky and Trofimov: after n
 * decisions a node moves by 1 / (n + 1.5) of its error, n at most HB__RC_LIMIT, so
 * that it follows a source that changes. hbdb-recording(5) says the same in words. */
#ifndef HBDB_FORMAT_SEALED_RANGECODER_H
#define HBDB_FORMAT_SEALED_RANGECODER_H

#include "format/internal.h"

#define HB__RC_ONE (1u << 22) /* probability 1 */
#define HB__RC_LIMIT 255u
#define HB__RC_TOP (1u << 24)

struct hb__rc_node {
	uint32_t p; /* that 1 comes, of HB__RC_ONE */
	uint32_t n; /* decisions seen, at most HB__RC_LIMIT */
};

static inline void hb__rc_start(struct hb__rc_node *node, size_t n)
{
	for (size_t i = 0; i < n; i++)
		node[i] = (struct hb__rc_node){HB__RC_ONE / 2, 0};
}

static inline void hb__rc_learn(struct hb__rc_node *node, unsigned bit)
{
	if (bit)
		node->p += (HB__RC_ONE - node->p) * 2 / (2 * node->n + 3);
	else
		node->p -= node->p * 2 / (2 * node->n + 3);
	if (node->n < HB__RC_LIMIT)
		node->n++;
}

/* The part of `range` that belongs to 1: never nothing, never all of it. */
static inline uint32_t hb__rc_bound(uint32_t range, const struct hb__rc_node *node)
{
	uint32_t p = node->p >> 6;
	return (range >> 16) * (p ? p : 1);
}

struct hb__rc_encoder {
	uint64_t low, cached; /* cached: bytes held back, waiting for a carry */
	uint32_t range;
	uint8_t cache;
	struct hb__bytes *out;
};

static inline struct hb__rc_encoder hb__rc_encoder(struct hb__bytes *out)
{
	return (struct hb__rc_encoder){.range = UINT32_MAX, .cached = 1, .out = out};
}

static inline void hb__rc_shift(struct hb__rc_encoder *e)
{
	if (e->low < 0xff000000u || e->low > UINT32_MAX) {
		uint8_t carry = (uint8_t)(e->low >> 32);
		for (; e->cached; e->cached--) {
			hb__bytes_u8(e->out, (uint8_t)(e->cache + carry));
			e->cache = 0xff;
		}
		e->cache = (uint8_t)(e->low >> 24);
		e->cached = 0;
	}
	e->cached++;
	e->low = (e->low & 0x00ffffffu) << 8;
}

static inline void hb__rc_encode(struct hb__rc_encoder *e, struct hb__rc_node *node, unsigned bit)
{
	uint32_t bound = hb__rc_bound(e->range, node);
	if (bit) {
		e->range = bound;
	} else {
		e->low += bound;
		e->range -= bound;
	}
	hb__rc_learn(node, bit);
	while (e->range < HB__RC_TOP) {
		e->range <<= 8;
		hb__rc_shift(e);
	}
}

/* Ends the code with the roundest number that still decodes, so that zeros at
 * its end need not be written: past the end a decoder reads zeros. The first
 * byte of the code is always 0: it is not handed on. */
static inline void hb__rc_finish(struct hb__rc_encoder *e, size_t start)
{
	for (int k = 31; k >= 0; k--) {
		uint64_t mask = (1ull << k) - 1, round = (e->low + mask) & ~mask;
		if (round < e->low + e->range) {
			e->low = round;
			break;
		}
	}
	for (int i = 0; i < 5; i++)
		hb__rc_shift(e);
	while (!e->out->failed && e->out->n > start + 1 && e->out->p[e->out->n - 1] == 0)
		e->out->n--;
}

struct hb__rc_decoder {
	uint32_t range, code;
	const uint8_t *p, *end;
};

static inline uint8_t hb__rc_byte(struct hb__rc_decoder *d) { return d->p < d->end ? *d->p++ : 0; }

static inline struct hb__rc_decoder hb__rc_decoder(const uint8_t *p, size_t n)
{
	struct hb__rc_decoder d = {.range = UINT32_MAX, .p = p, .end = p + n};
	for (int i = 0; i < 4; i++)
		d.code = d.code << 8 | hb__rc_byte(&d);
	return d;
}

static inline unsigned hb__rc_decode(struct hb__rc_decoder *d, struct hb__rc_node *node)
{
	uint32_t bound = hb__rc_bound(d->range, node);
	unsigned bit = d->code < bound;
	if (bit) {
		d->range = bound;
	} else {
		d->code -= bound;
		d->range -= bound;
	}
	hb__rc_learn(node, bit);
	while (d->range < HB__RC_TOP) {
		d->range <<= 8;
		d->code = d->code << 8 | hb__rc_byte(d);
	}
	return bit;
}

#endif
