/* Pairs of endpoints: found again for each packet by a hash of both, whichever sent it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "foreign/packets/packets.h"

enum { TCP = 6 };

struct hb__flows {
	struct hb__hosts *hosts;
	const struct hb__known *known;
	struct hb__flow **bucket;
	size_t n, buckets; /* buckets: a power of two */
	struct hb__flow *last;
};

struct hb__flows *hb__flows_begin(struct hb__hosts *hosts, const struct hb__known *known)
{
	struct hb__flows *f = calloc(1, sizeof *f);
	if (!f)
		return NULL;
	*f = (struct hb__flows){.hosts = hosts, .known = known, .buckets = 256};
	f->bucket = calloc(f->buckets, sizeof(struct hb__flow *));
	if (!f->bucket) {
		free(f);
		return NULL;
	}
	return f;
}

void hb__flows_free(struct hb__flows *f)
{
	if (!f)
		return;
	for (struct hb__flow *flow = f->last, *before; flow; flow = before) {
		before = flow->before;
		if (flow->tcp) {
			free(flow->tcp->side[0].early.at);
			free(flow->tcp->side[1].early.at);
		}
		free(flow->tcp);
		free(flow);
	}
	free(f->bucket);
	free(f);
}

struct hb__flow *hb__flows_last(const struct hb__flows *f) { return f->last; }

static void put_endpoint(uint8_t *p, hb__endpoint e)
{
	memcpy(p, &e.address, 16);
	p[16] = (uint8_t)(e.port >> 8);
	p[17] = (uint8_t)e.port;
}

static uint64_t hash_of(hb__endpoint a, hb__endpoint b, uint8_t protocol)
{
	uint8_t key[2 * 18 + 1];
	put_endpoint(key, a);
	put_endpoint(key + 18, b);
	key[36] = protocol;
	return XXH3_64bits(key, sizeof key);
}

static bool is_same(hb__endpoint a, hb__endpoint b)
{
	return a.port == b.port && !memcmp(&a.address, &b.address, sizeof a.address);
}

static bool more_buckets(struct hb__flows *f)
{
	size_t n = 4 * f->buckets;
	struct hb__flow **bucket = calloc(n, sizeof(struct hb__flow *));
	if (!bucket)
		return false;
	for (struct hb__flow *flow = f->last; flow; flow = flow->before) {
		size_t i = hash_of(flow->e[0], flow->e[1], flow->protocol) & (n - 1);
		flow->next = bucket[i];
		bucket[i] = flow;
	}
	free(f->bucket);
	f->bucket = bucket;
	f->buckets = n;
	return true;
}

/* The names of the ends, as hbdb-recording(5), SOCKETS, has them. */
static void name_ends(struct hb__flows *f, struct hb__flow *flow)
{
	for (int side = 0; side < 2; side++) {
		char own[HB_ENDPOINT_TEXT], peer[HB_ENDPOINT_TEXT], end[2 * HB_ENDPOINT_TEXT + 8];
		if (flow->host[side] == HB_NO)
			continue;
		hb__endpoint_text(flow->e[side], own);
		hb__endpoint_text(flow->e[!side], peer);
		if (flow->protocol == TCP)
			snprintf(end, sizeof end, "tcp %s > %s", own, peer);
		else
			snprintf(end, sizeof end, "udp %s", own);
		flow->end[side] = hb__host_text(f->hosts, flow->host[side], end);
		flow->peer[side] = hb__host_text(f->hosts, flow->host[side], peer);
	}
}

static bool has(const struct hb__flows *f, const char *word, const char *own, const char *peer)
{
	char end[2 * HB_ENDPOINT_TEXT + 8];
	snprintf(end, sizeof end, peer ? "%s %s > %s" : "%s %s", word, own, peer);
	return hb__known_has(f->known, end);
}

/* Whether the recording that this is merged with has the events of this side. A socket of datagrams may be bound to all addresses: then it is the
 * one if somebody recorded knows the other side. */
static bool is_recorded(const struct hb__flows *f, const struct hb__flow *flow, int side)
{
	char own[HB_ENDPOINT_TEXT], peer[HB_ENDPOINT_TEXT], any[HB_ENDPOINT_TEXT];
	const char *word = flow->protocol == TCP ? "tcp" : "udp";
	if (!f->known->network || (flow->many && side))
		return false;
	hb__endpoint_text(flow->e[side], own);
	hb__endpoint_text(flow->e[!side], peer);
	if (has(f, word, own, NULL) || has(f, word, own, peer))
		return true;
	if (flow->protocol == TCP || !hb__known_has(f->known, peer))
		return false;
	snprintf(any, sizeof any, "0.0.0.0:%u", flow->e[side].port);
	if (has(f, word, any, NULL))
		return true;
	snprintf(any, sizeof any, "[::]:%u", flow->e[side].port);
	return has(f, word, any, NULL);
}

void hb__flows_count(const struct hb__flows *f, uint64_t *ret_one, uint64_t *ret_both)
{
	*ret_one = *ret_both = 0;
	for (const struct hb__flow *flow = f->last; flow; flow = flow->before) {
		int recorded = (flow->host[0] == HB_NO) + (flow->host[1] == HB_NO && !flow->many);
		*ret_one += recorded == 1;
		*ret_both += recorded == 2;
	}
}

static struct hb__flow *flow_new(
	struct hb__flows *f, hb__endpoint from, hb__endpoint to, uint8_t protocol, bool many, uint64_t hash)
{
	if (f->n >= f->buckets && !more_buckets(f))
		return NULL;
	struct hb__flow *flow = calloc(1, sizeof *flow);
	struct hb__connection *tcp = protocol == TCP ? calloc(1, sizeof *tcp) : NULL;
	if (!flow || (protocol == TCP && !tcp)) {
		free(flow);
		free(tcp);
		return NULL;
	}
	*flow = (struct hb__flow){.e = {from, to}, .protocol = protocol, .many = many, .tcp = tcp};
	if (tcp)
		tcp->client = -1;
	flow->before = f->last;
	f->last = flow;
	flow->next = f->bucket[hash & (f->buckets - 1)];
	f->bucket[hash & (f->buckets - 1)] = flow;
	f->n++;
	for (int side = 0; side < 2; side++) {
		bool none = is_recorded(f, flow, side) || (many && side);
		flow->host[side] = none ? HB_NO : hb__host_of(f->hosts, flow->e[side]);
		if (!none && flow->host[side] == HB_NO)
			return NULL;
	}
	name_ends(f, flow);
	return flow;
}

struct hb__flow *hb__flow_of(
	struct hb__flows *f, hb__endpoint from, hb__endpoint to, uint8_t protocol, bool many, int *ret_side)
{
	uint64_t hash[2] = {hash_of(from, to, protocol), hash_of(to, from, protocol)};
	for (int side = 0; side < 2; side++) {
		struct hb__flow *flow = f->bucket[hash[side] & (f->buckets - 1)];
		for (; flow; flow = flow->next)
			if (flow->protocol == protocol && flow->many == many && is_same(flow->e[side], from) &&
				is_same(flow->e[!side], to)) {
				*ret_side = side;
				return flow;
			}
		if (many)
			break; /* nobody sends from there */
	}
	*ret_side = 0;
	return flow_new(f, from, to, protocol, many, hash[0]);
}
