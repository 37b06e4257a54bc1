/* pcapng: blocks, each with its kind and length in front and its length behind it (draft-ietf-opsawg-pcapng). */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "foreign/packets/packets.h"

enum { SECTION = 0x0a0d0d0a, INTERFACE = 1, OLD_PACKET = 2, SIMPLE = 3, ENHANCED = 6 };
enum { OPTION_END = 0, OPTION_RESOLUTION = 9, OPTION_OFFSET = 14 };
#define BLOCK_LEAST 12
#define INTERFACES_MOST 65536u
#define NANOSECONDS 9 /* if_tsresol: 10^-9 */
#define MICROSECONDS 6

__extension__ typedef unsigned __int128 wide;

struct block {
	uint32_t kind, length; /* length: of the body */
	const uint8_t *body;
};

/* The block at which the reader stands. 0: the end, or none stands there, which is said. The order of the bytes of a section stands in it. */
static int block_at(struct hb__capture *c, struct block *ret)
{
	size_t left = (size_t)(c->end - c->at);
	uint64_t offset = (uint64_t)(c->at - c->import->bytes);
	if (!left)
		return 0;
	if (left < BLOCK_LEAST) {
		hb__import_cut(c->import, offset, "the file ends within the head of a block");
		return 0;
	}
	bool section = hb__be32(c->at) == SECTION;
	if (section) {
		uint32_t magic = hb__be32(c->at + 8);
		if (magic != 0x1a2b3c4d && magic != 0x4d3c2b1a) {
			hb__import_cut(c->import, offset, "the head of a section makes no sense");
			return 0;
		}
		c->big = magic == 0x1a2b3c4d;
	}
	uint32_t length = hb__capture_u32(c, c->at + 4);
	if (length < BLOCK_LEAST || length % 4) {
		hb__import_cut(c->import, offset, "what stands there is no block");
		return 0;
	}
	if (length > left) {
		hb__import_cut(c->import, offset, "the file ends within a block");
		return 0;
	}
	if (hb__capture_u32(c, c->at + length - 4) != length) {
		hb__import_cut(c->import, offset, "a block has two lengths");
		return 0;
	}
	*ret = (struct block){section ? SECTION : hb__capture_u32(c, c->at), length - BLOCK_LEAST, c->at + 8};
	c->at += length;
	return 1;
}

static void take_option(struct hb__capture *c, struct hb__interface *i, uint16_t code, const uint8_t *p, uint16_t n)
{
	if (code == OPTION_RESOLUTION && n >= 1)
		i->resolution = p[0];
	if (code == OPTION_OFFSET && n >= 8) {
		uint64_t first = hb__capture_u32(c, p), second = hb__capture_u32(c, p + 4);
		i->offset = (int64_t)(c->big ? first << 32 | second : second << 32 | first);
	}
}

static bool take_interface(struct hb__capture *c, const struct block *b)
{
	if (b->length < 8 || c->interfaces == INTERFACES_MOST) {
		hb__import_cut(c->import, (uint64_t)(b->body - c->import->bytes), "an interface makes no sense");
		return false;
	}
	struct hb__interface i = {.link = hb__capture_u16(c, b->body),
		.snap = hb__capture_u32(c, b->body + 4),
		.resolution = MICROSECONDS};
	for (uint32_t at = 8; at + 4 <= b->length;) {
		uint16_t code = hb__capture_u16(c, b->body + at), n = hb__capture_u16(c, b->body + at + 2);
		if (code == OPTION_END || n > b->length - at - 4)
			break;
		take_option(c, &i, code, b->body + at + 4, n);
		at += 4 + (n + 3u) / 4 * 4;
	}
	if (!HB_GROW(c->interface, c->interfaces_cap, c->interfaces + 1)) {
		hb__import_cut(c->import, (uint64_t)(b->body - c->import->bytes), "out of memory");
		return false;
	}
	c->interface[c->interfaces++] = i;
	return true;
}

static uint64_t nanoseconds(const struct hb__interface *i, uint64_t stamp)
{
	unsigned digits = i->resolution & 0x7f;
	wide ns;
	if (i->resolution & 0x80) {
		ns = digits < 64 ? (wide)stamp * 1000000000u >> digits : 0;
	} else {
		ns = stamp;
		for (unsigned k = digits; k < NANOSECONDS; k++)
			ns *= 10;
		for (unsigned k = NANOSECONDS; k < digits && ns; k++)
			ns /= 10;
	}
	__extension__ __int128 all = (__int128)ns + (__int128)i->offset * 1000000000;
	return all < 0 ? 0 : all > INT64_MAX ? INT64_MAX : (uint64_t)all;
}

/* A packet with a time: enhanced, or as older versions wrote it, which differ in the first eight bytes. */
static bool take_packet(struct hb__capture *c, const struct block *b, struct hb__packet *ret)
{
	if (b->length < 20)
		return false;
	uint32_t which = b->kind == ENHANCED ? hb__capture_u32(c, b->body) : hb__capture_u16(c, b->body);
	uint32_t have = hb__capture_u32(c, b->body + 12), length = hb__capture_u32(c, b->body + 16);
	if (which >= c->interfaces || have > b->length - 20)
		return false;
	const struct hb__interface *i = &c->interface[which];
	uint64_t stamp = (uint64_t)hb__capture_u32(c, b->body + 4) << 32 | hb__capture_u32(c, b->body + 8);
	c->time = nanoseconds(i, stamp);
	*ret = (struct hb__packet){.time = c->time,
		.point = c->points + which,
		.link = i->link,
		.at = b->body + 20,
		.have = have,
		.length = length > have ? length : have};
	return true;
}

/* It has no time: it came after the one before. */
static bool take_simple(struct hb__capture *c, const struct block *b, struct hb__packet *ret)
{
	if (b->length < 4 || !c->interfaces)
		return false;
	uint32_t length = hb__capture_u32(c, b->body), have = b->length - 4, snap = c->interface[0].snap;
	have = have > length ? length : have;
	have = snap && have > snap ? snap : have;
	*ret = (struct hb__packet){.time = c->time,
		.point = c->points,
		.link = c->interface[0].link,
		.at = b->body + 4,
		.have = have,
		.length = length};
	return true;
}

bool hb__blocks_next(struct hb__capture *c, struct hb__packet *ret)
{
	struct block b;
	while (block_at(c, &b) > 0) {
		bool packet = b.kind == ENHANCED || b.kind == OLD_PACKET || b.kind == SIMPLE;
		if (b.kind == SECTION) {
			uint16_t major = b.length >= 8 ? hb__capture_u16(c, b.body + 4) : 0;
			if (major != 1) {
				hb__import_cut(c->import, (uint64_t)(b.body - c->import->bytes),
					"a section has version %u of pcapng", major);
				return false;
			}
			c->points += c->interfaces;
			c->interfaces = 0;
		} else if (b.kind == INTERFACE) {
			if (!take_interface(c, &b))
				return false;
		} else if (packet) {
			if (b.kind == SIMPLE ? take_simple(c, &b, ret) : take_packet(c, &b, ret))
				return true;
			hb__import_cut(c->import, (uint64_t)(b.body - c->import->bytes), "a packet makes no sense");
			return false;
		}
	}
	return false;
}

hb_status hb__blocks_open(struct hb__capture *c, hb_error *err)
{
	hb_import *m = c->import;
	if (m->size < 28)
		return hb__import_fail(err, HB_E_DAMAGED, m->path, m->size, "%s ends within its head", m->path);
	uint32_t magic = hb__be32(m->bytes + 8);
	if (magic != 0x1a2b3c4d && magic != 0x4d3c2b1a)
		return hb__import_fail(err, HB_E_DAMAGED, m->path, 8, "the head of %s makes no sense", m->path);
	c->big = magic == 0x1a2b3c4d;
	uint16_t major = hb__capture_u16(c, m->bytes + 12);
	if (major != 1)
		return hb__import_fail(
			err, HB_E_VERSION, m->path, 12, "%s has version %u of pcapng, known is 1", m->path, major);
	return HB_OK;
}
