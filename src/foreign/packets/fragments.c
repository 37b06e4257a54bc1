/* IP packets that came in parts are put together (RFC 791, RFC 8200, 4.5). Parts seen at different points of the capture are different ones. */
#include <stdlib.h>
#include <string.h>

#include "foreign/packets/packets.h"

#define PENDING 256                 /* packets that are put together at a time */
#define WAITS UINT64_C(60000000000) /* nanoseconds: then a packet is given up */
#define WHOLE_MOST 65536u
#define PORTS 8u /* bytes */

struct pending {
	bool used, cut;
	struct hb__ip ip;
	uint64_t begun;
	uint32_t length;                  /* of the whole; 0: not known yet */
	uint32_t there;                   /* pieces of 8 bytes */
	uint8_t have[WHOLE_MOST / 8 / 8]; /* which of them */
	uint8_t *bytes;                   /* WHOLE_MOST */
};

struct hb__fragments {
	struct pending pending[PENDING];
	uint8_t *whole; /* the packet that was given out last */
	uint64_t lost;
};

struct hb__fragments *hb__fragments_begin(void) { return calloc(1, sizeof(struct hb__fragments)); }

void hb__fragments_free(struct hb__fragments *f)
{
	for (int i = 0; f && i < PENDING; i++)
		free(f->pending[i].bytes);
	if (f)
		free(f->whole);
	free(f);
}

uint64_t hb__fragments_lost(const struct hb__fragments *f)
{
	uint64_t lost = f->lost;
	for (int i = 0; i < PENDING; i++)
		lost += f->pending[i].used;
	return lost;
}

static bool is_of(const struct pending *p, const struct hb__ip *ip)
{
	return p->used && p->ip.id == ip->id && p->ip.protocol == ip->protocol && p->ip.point == ip->point &&
	       !memcmp(&p->ip.from, &ip->from, sizeof ip->from) && !memcmp(&p->ip.to, &ip->to, sizeof ip->to);
}

static void give_up(struct hb__fragments *f, struct pending *p)
{
	p->used = false;
	f->lost++;
}

/* Its place, a free one, or that of the oldest, which is given up. NULL: out of memory. */
static struct pending *pending_of(struct hb__fragments *f, const struct hb__ip *ip, uint64_t time)
{
	struct pending *at = NULL, *oldest = &f->pending[0];
	for (int i = 0; i < PENDING; i++) {
		struct pending *p = &f->pending[i];
		if (p->used && p->begun + WAITS < time)
			give_up(f, p);
		if (is_of(p, ip))
			return p;
		if (!p->used && !at)
			at = p;
		if (p->begun < oldest->begun)
			oldest = p;
	}
	if (!at) {
		give_up(f, oldest);
		at = oldest;
	}
	uint8_t *bytes = at->bytes ? at->bytes : malloc(WHOLE_MOST);
	if (!bytes)
		return NULL;
	*at = (struct pending){.used = true, .ip = *ip, .begun = time, .bytes = bytes};
	return at;
}

static void take(struct pending *p, const struct hb__ip *ip)
{
	uint32_t first = ip->offset / 8, last = (uint32_t)((ip->offset + ip->length + 7) / 8);
	memcpy(p->bytes + ip->offset, ip->at, ip->have);
	p->cut |= ip->have < ip->length;
	if (ip->have < ip->length)
		memset(p->bytes + ip->offset + ip->have, 0, ip->length - ip->have);
	for (uint32_t i = first; i < last; i++) {
		p->there += !(p->have[i / 8] & 1 << i % 8);
		p->have[i / 8] |= (uint8_t)(1 << i % 8);
	}
	if (!ip->more)
		p->length = (uint32_t)(ip->offset + ip->length);
}

int hb__fragments_add(struct hb__fragments *f, struct hb__ip *ip, uint64_t time)
{
	/* All but the last are of whole pieces; without the ports of the first nothing can be said. */
	if (!ip->length || (ip->more && ip->length % 8) || ip->offset + ip->length > WHOLE_MOST ||
		(!ip->offset && ip->have < (ip->length < PORTS ? ip->length : PORTS)))
		return 0;
	struct pending *p = pending_of(f, ip, time);
	if (!p)
		return -1;
	take(p, ip);
	if (!p->length || p->there < (p->length + 7) / 8)
		return 0;
	uint8_t *bytes = p->bytes;
	p->bytes = f->whole;
	f->whole = bytes;
	p->used = false;
	*ip = p->ip;
	ip->part = ip->more = false;
	ip->at = bytes;
	ip->length = p->length;
	/* Of one that was cut the ports are there. */
	ip->have = p->cut && p->length > PORTS ? PORTS : p->length;
	return 1;
}
