/* pcap: a head of 24 bytes, then packets with 16 bytes in front of each (draft-ietf-opsawg-pcap). */
#include <stdlib.h>
#include <string.h>

#include "foreign/packets/packets.h"

#define HEAD 24
#define RECORD 16
#define PACKET_MOST (64u << 20) /* bytes: more is not a packet */

uint32_t hb__capture_u32(const struct hb__capture *c, const uint8_t *p)
{
	uint32_t v = hb__be32(p);
	return c->big ? v : __builtin_bswap32(v);
}

uint16_t hb__capture_u16(const struct hb__capture *c, const uint8_t *p)
{
	uint16_t v = hb__be16(p);
	return c->big ? v : __builtin_bswap16(v);
}

hb_status hb__capture_open(hb_import *m, struct hb__capture *c, hb_error *err)
{
	*c = (struct hb__capture){.import = m, .at = m->bytes, .end = m->bytes + m->size};
	uint32_t magic = hb__be32(m->bytes);
	c->next = magic == 0x0a0d0d0a;
	m->from = c->next ? "pcapng" : "pcap";
	if (c->next)
		return hb__blocks_open(c, err);
	c->big = magic == 0xa1b2c3d4 || magic == 0xa1b23c4d;
	c->nanoseconds = magic == 0xa1b23c4d || magic == 0x4d3cb2a1;
	if (m->size < HEAD)
		return hb__import_fail(err, HB_E_DAMAGED, m->path, m->size, "%s ends within its head", m->path);
	uint16_t major = hb__capture_u16(c, c->at + 4), minor = hb__capture_u16(c, c->at + 6);
	if (major != 2 || minor < 3)
		return hb__import_fail(err, HB_E_VERSION, m->path, 4, "%s has version %u.%u of pcap, known is 2.4",
			m->path, major, minor);
	c->link = hb__capture_u32(c, c->at + 20) & 0xffff; /* above it: whether frames have a checksum behind them */
	c->at += HEAD;
	return HB_OK;
}

bool hb__capture_next(struct hb__capture *c, struct hb__packet *ret)
{
	if (c->next)
		return hb__blocks_next(c, ret);
	size_t left = (size_t)(c->end - c->at);
	uint64_t offset = (uint64_t)(c->at - c->import->bytes);
	if (!left)
		return false;
	if (left < RECORD) {
		hb__import_cut(c->import, offset, "the file ends within the head of a packet");
		return false;
	}
	uint32_t seconds = hb__capture_u32(c, c->at), part = hb__capture_u32(c, c->at + 4);
	uint32_t have = hb__capture_u32(c, c->at + 8), length = hb__capture_u32(c, c->at + 12);
	if (have > PACKET_MOST || part >= (c->nanoseconds ? 1000000000u : 1000000u)) {
		hb__import_cut(c->import, offset, "what stands there is no packet");
		return false;
	}
	if (left - RECORD < have) {
		hb__import_cut(c->import, offset, "the file ends within a packet");
		return false;
	}
	*ret = (struct hb__packet){.time = seconds * UINT64_C(1000000000) + part * (c->nanoseconds ? 1u : 1000u),
		.link = c->link,
		.at = c->at + RECORD,
		.have = have,
		.length = length > have ? length : have};
	c->at += RECORD + have;
	return true;
}

void hb__capture_close(struct hb__capture *c) { free(c->interface); }
