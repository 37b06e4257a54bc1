/* What stands in front of IP. Numbers: the list of link types of tcpdump.org. */
#include "foreign/packets/packets.h"

enum {
	LINK_NULL = 0,
	LINK_ETHERNET = 1,
	LINK_RAW_OLD = 12,
	LINK_RAW_BSD = 14,
	LINK_RAW = 101,
	LINK_LOOP = 108,
	LINK_IPV4 = 228,
	LINK_IPV6 = 229,
};
enum { TYPE_IPV4 = 0x0800, TYPE_IPV6 = 0x86dd, TYPE_VLAN = 0x8100, TYPE_VLAN_OUTER = 0x88a8, TYPE_VLAN_OLD = 0x9100 };
enum { COOKED_BROADCAST = 1, COOKED_MULTICAST = 2, COOKED_OUT = 4 }; /* how Linux says which way a packet went */
#define VLANS_MOST 8

static bool drop(struct hb__packet *p, size_t n)
{
	if (p->have < n)
		return false;
	p->at += n;
	p->have -= n;
	p->length -= n;
	return true;
}

static enum hb__found by_type(struct hb__packet *p, uint16_t type)
{
	for (int i = 0; i < VLANS_MOST && (type == TYPE_VLAN || type == TYPE_VLAN_OUTER || type == TYPE_VLAN_OLD);
		i++) {
		if (p->have < 4)
			return HB_FOUND_SHORT;
		type = hb__be16(p->at + 2);
		drop(p, 4);
	}
	return type == TYPE_IPV4 || type == TYPE_IPV6 ? HB_FOUND : HB_FOUND_OTHER;
}

static enum hb__found ethernet(struct hb__packet *p, bool *ret_many)
{
	if (p->have < 14)
		return HB_FOUND_SHORT;
	*ret_many = p->at[0] & 1;
	uint16_t type = hb__be16(p->at + 12);
	drop(p, 14);
	return by_type(p, type);
}

/* The way is a part of the place where it was captured: on the interface "any" a packet that stays on the machine is seen twice. */
static enum hb__found cooked(struct hb__packet *p, bool second, bool *ret_many)
{
	size_t head = second ? 20 : 16;
	if (p->have < head)
		return HB_FOUND_SHORT;
	unsigned way = second ? p->at[10] : hb__be16(p->at);
	uint16_t type = hb__be16(second ? p->at : p->at + 14);
	uint64_t interface = second ? hb__be32(p->at + 4) : 0;
	*ret_many = way == COOKED_BROADCAST || way == COOKED_MULTICAST;
	p->point = p->point << 33 ^ interface << 1 ^ (way == COOKED_OUT);
	drop(p, head);
	return by_type(p, type);
}

/* The family as the system that captured has it: IPv6 has another number on each. */
static enum hb__found family(struct hb__packet *p, bool network)
{
	if (p->have < 4)
		return HB_FOUND_SHORT;
	uint32_t f = hb__be32(p->at);
	if (!network && f > 0xffff)
		f = __builtin_bswap32(f);
	drop(p, 4);
	return f == 2 || f == 10 || f == 24 || f == 28 || f == 30 ? HB_FOUND : HB_FOUND_OTHER;
}

enum hb__found hb__link_open(struct hb__packet *p, bool *ret_many)
{
	*ret_many = false;
	switch (p->link) {
	case LINK_ETHERNET:
		return ethernet(p, ret_many);
	case HB_LINK_COOKED:
		return cooked(p, false, ret_many);
	case HB_LINK_COOKED_2:
		return cooked(p, true, ret_many);
	case LINK_NULL:
	case LINK_LOOP:
		return family(p, p->link == LINK_LOOP);
	case LINK_RAW:
	case LINK_RAW_OLD:
	case LINK_RAW_BSD:
	case LINK_IPV4:
	case LINK_IPV6:
		return HB_FOUND;
	default:
		return HB_FOUND_UNKNOWN;
	}
}
