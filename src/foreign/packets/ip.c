/* IPv4 (RFC 791) and IPv6 (RFC 8200), down to what they carry. */
#include <string.h>

#include "foreign/packets/packets.h"

enum { HOP_BY_HOP = 0, ROUTING = 43, FRAGMENT = 44, AUTHENTICATION = 51, DESTINATION = 60, MOBILITY = 135 };
#define HEADERS_MOST 16

static hb__address of_4(const uint8_t *p)
{
	hb__address a = {.byte = {[10] = 0xff, [11] = 0xff}};
	memcpy(a.byte + 12, p, 4);
	return a;
}

static enum hb__found open_4(const struct hb__packet *p, struct hb__ip *ip)
{
	if (p->have < 20)
		return HB_FOUND_SHORT;
	size_t head = (p->at[0] & 15u) * 4, all = hb__be16(p->at + 2);
	if (!all || all > p->length) /* 0: the network card was to cut it */
		all = p->length;
	if (head < 20 || all < head)
		return HB_FOUND_OTHER;
	if (p->have < head)
		return HB_FOUND_SHORT;
	uint16_t part = hb__be16(p->at + 6);
	ip->from = of_4(p->at + 12);
	ip->to = of_4(p->at + 16);
	ip->many |= (p->at[16] & 0xf0) == 0xe0 || hb__be32(p->at + 16) == UINT32_MAX;
	ip->protocol = p->at[9];
	ip->id = hb__be16(p->at + 4);
	ip->more = part & 0x2000;
	ip->offset = (part & 0x1fffu) * 8;
	ip->part = ip->more || ip->offset;
	ip->at = p->at + head;
	ip->length = all - head;
	ip->have = (p->have < all ? p->have : all) - head;
	return HB_FOUND;
}

/* One header behind the first. False: it is none of IP's own. *ret_n: its length, 0: it is not there whole. */
static bool extension(struct hb__ip *ip, size_t *ret_n)
{
	*ret_n = 0;
	switch (ip->protocol) {
	case FRAGMENT:
		if (ip->have < 8)
			return true;
		ip->part = true;
		ip->more = ip->at[3] & 1;
		ip->offset = hb__be16(ip->at + 2) & 0xfff8u;
		ip->id = hb__be32(ip->at + 4);
		*ret_n = 8;
		return true;
	case HOP_BY_HOP:
	case ROUTING:
	case DESTINATION:
	case MOBILITY:
		*ret_n = ip->have < 2 ? 0 : (ip->at[1] + 1u) * 8;
		break;
	case AUTHENTICATION:
		*ret_n = ip->have < 2 ? 0 : (ip->at[1] + 2u) * 4;
		break;
	default:
		return false;
	}
	if (ip->have < *ret_n)
		*ret_n = 0;
	return true;
}

static enum hb__found open_6(const struct hb__packet *p, struct hb__ip *ip)
{
	if (p->have < 40)
		return HB_FOUND_SHORT;
	size_t length = hb__be16(p->at + 4), most = p->length - 40;
	memcpy(ip->from.byte, p->at + 8, 16);
	memcpy(ip->to.byte, p->at + 24, 16);
	ip->many |= p->at[24] == 0xff;
	ip->protocol = p->at[6];
	ip->at = p->at + 40;
	ip->length = !length || length > most ? most : length; /* 0: a jumbogram */
	ip->have = p->have - 40 < ip->length ? p->have - 40 : ip->length;
	size_t n;
	for (int i = 0; i < HEADERS_MOST && extension(ip, &n); i++) {
		if (!n)
			return HB_FOUND_SHORT;
		bool fragment = ip->protocol == FRAGMENT;
		ip->protocol = ip->at[0];
		ip->at += n;
		ip->have -= n;
		ip->length -= n;
		if (fragment && (ip->offset || ip->more)) /* what follows belongs to the whole packet */
			return HB_FOUND;
	}
	return HB_FOUND;
}

enum hb__found hb__ip_open(const struct hb__packet *p, bool many, struct hb__ip *ret)
{
	*ret = (struct hb__ip){.many = many, .point = p->point};
	if (!p->have)
		return HB_FOUND_SHORT;
	unsigned version = p->at[0] >> 4;
	return version == 4 ? open_4(p, ret) : version == 6 ? open_6(p, ret) : HB_FOUND_OTHER;
}
