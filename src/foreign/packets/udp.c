/* Datagrams. */
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "foreign/packets/packets.h"

enum { UDP = 17 };
#define HEAD 8

/* ---- a datagram that was seen at several points of the capture counts once: as often as the point saw it that saw it most often ---- */

struct cell {
	uint64_t key;   /* of the datagram, or of the datagram and a point */
	uint64_t count; /* 0: free */
};

struct hb__sightings {
	struct cell *cell; /* open addressing */
	size_t n, cap;     /* cap: a power of two */
};

static uint64_t *count_of(struct hb__sightings *s, uint64_t key)
{
	size_t i = key & (s->cap - 1);
	while (s->cell[i].count && s->cell[i].key != key)
		i = (i + 1) & (s->cap - 1);
	s->cell[i].key = key;
	return &s->cell[i].count;
}

static bool more_cells(struct hb__sightings *s)
{
	struct hb__sightings old = *s;
	size_t cap = old.cap ? 2 * old.cap : 1024;
	struct cell *cell = calloc(cap, sizeof *cell);
	if (!cell)
		return false;
	*s = (struct hb__sightings){cell, old.n, cap};
	for (size_t i = 0; i < old.cap; i++)
		if (old.cell[i].count)
			*count_of(s, old.cell[i].key) = old.cell[i].count;
	free(old.cell);
	return true;
}

void hb__sightings_free(struct hb__sightings *s)
{
	if (s)
		free(s->cell);
	free(s);
}

/* Whether it is one that was not seen yet. */
static bool is_new(struct hb__packets *p, const struct hb__ip *ip)
{
	struct hb__sightings *s = p->sightings = p->sightings ? p->sightings : calloc(1, sizeof *s);
	if (!s || (2 * (s->n + 2) > s->cap && !more_cells(s))) {
		p->failed = true;
		return false;
	}
	uint64_t seed = XXH3_64bits_withSeed(&ip->from, 2 * sizeof ip->from, (uint64_t)ip->id << 32 | ip->length);
	uint64_t key = XXH3_64bits_withSeed(ip->at, ip->have, seed);
	uint64_t *here = count_of(s, XXH3_64bits_withSeed(&ip->point, sizeof ip->point, key));
	s->n += !*here;
	uint64_t seen = ++*here, *most = count_of(s, key);
	s->n += !*most;
	if (seen <= *most)
		return false;
	*most = seen;
	return true;
}

void hb__udp(struct hb__packets *p, const struct hb__ip *ip)
{
	if (ip->have < HEAD) {
		p->shorts++;
		return;
	}
	if (p->several && !is_new(p, ip)) {
		p->again++;
		return;
	}
	hb__endpoint from = {ip->from, hb__be16(ip->at)}, to = {ip->to, hb__be16(ip->at + 2)};
	size_t length = hb__be16(ip->at + 4);
	if (length < HEAD || length > ip->length) /* 0: a jumbogram, or one that the network card was to cut */
		length = ip->length;
	bool whole = ip->have >= length;
	int side;
	struct hb__flow *flow = hb__flow_of(p->flows, from, to, UDP, ip->many, &side);
	if (!flow) {
		p->failed = true;
		return;
	}
	uint64_t hash = whole ? XXH3_64bits(ip->at + HEAD, length - HEAD) : 0;
	int64_t result[3] = {(int64_t)(length - HEAD), (int64_t)hash, 0};
	p->datagrams++;
	p->cut += !whole;
	p->many += ip->many;
	if (ip->many) {
		result[2] = flow->peer[0];
		hb__host_event(p->hosts, flow->host[0], HB_EVENT_SENDTO, flow->end[0], p->tick, p->tick, 3, result);
		return;
	}
	result[2] = flow->peer[side];
	hb__host_event(p->hosts, flow->host[side], HB_EVENT_SENDTO, flow->end[side], p->tick, p->tick, 3, result);
	result[2] = flow->peer[!side];
	hb__host_event(
		p->hosts, flow->host[!side], HB_EVENT_RECVFROM, flow->end[!side], p->tick, p->tick + 1, 3, result);
}
