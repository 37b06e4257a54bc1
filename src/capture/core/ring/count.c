/* Messages and collectives of the events that were given up, by channel, and requests that are under way where they end. Tables of a fixed
 * size: a program may have channels without end. What found no room is not known, and the account says that there is such. */
#include <string.h>

#include "capture/core/ring/ring.h"

#define COUNTERS 65536u /* kept; and as many places of the table twice */
#define PLACES (2 * COUNTERS)
#define REQUESTS 16384u
#define BUCKETS 16384u

struct tables {
	struct hb__counter counter[COUNTERS];
	uint32_t place[PLACES]; /* 1 + counter */
	struct hb__under_way request[REQUESTS];
	uint32_t bucket[BUCKETS]; /* 1 + request */
};
static struct tables *tables;
static uint32_t counters, requests, unused; /* unused: 1 + a request whose place is free */
static uint32_t first, last;                /* 1 + receives in the order of posting */
static bool lost, broken;

static bool there(void)
{
	if (!tables && !(tables = hb__pages(sizeof *tables)))
		lost = true;
	return tables;
}

void hb__count_lost(void) { lost = true; }
void hb__count_broken(void) { broken = true; }
unsigned hb__count_flags(void) { return (lost ? HB_BEFORE_PART : 0u) | (broken ? HB_BEFORE_BROKEN : 0u); }

void hb__counts_forked(void)
{
	tables = NULL; /* the parent's pages, which this process has a copy of: they stay */
	counters = requests = unused = first = last = 0;
	lost = broken = false;
}

uint32_t hb__counters(const struct hb__counter **ret)
{
	*ret = tables ? tables->counter : NULL;
	return counters;
}

uint64_t hb__counted(uint8_t kind, uint16_t lane, int64_t comm, int64_t peer, int64_t tag)
{
	if (!there())
		return 0;
	uint64_t h = ((uint64_t)comm << 34 ^ (uint64_t)peer << 12 ^ (uint64_t)tag ^ (uint64_t)kind << 60) *
		     0x9e3779b97f4a7c15u;
	h ^= h >> 29;
	for (uint32_t at = (uint32_t)h % PLACES;; at = (at + 1) % PLACES) {
		struct hb__counter *c = tables->place[at] ? &tables->counter[tables->place[at] - 1] : NULL;
		if (!c && counters == COUNTERS) {
			lost = true;
			return 0;
		}
		if (!c) {
			tables->place[at] = ++counters;
			tables->counter[counters - 1] = (struct hb__counter){kind, lane, comm, peer, tag, 1};
			return 0;
		}
		if (c->kind != kind || c->comm != comm || c->peer != peer || c->tag != tag)
			continue;
		if (c->lane != lane)
			c->lane = HB_LANE_DEFINITIONS;
		return c->count++;
	}
}

/* ---- requests ---- */

static uint32_t *bucket_of(uint16_t lane, uint64_t posting)
{
	return &tables->bucket[(posting + lane * 389u) % BUCKETS];
}

static struct hb__under_way *at(uint32_t number) { return &tables->request[number - 1]; }
static uint32_t number_of(const struct hb__under_way *it) { return (uint32_t)(it - tables->request) + 1; }

struct hb__under_way *hb__under_way(uint16_t lane, uint64_t posting)
{
	for (uint32_t k = tables ? *bucket_of(lane, posting) : 0; k; k = at(k)->next)
		if (at(k)->posting == posting && at(k)->lane == lane)
			return at(k);
	return NULL;
}

struct hb__under_way *hb__under_way_new(const struct hb__past_event *e, uint64_t posting, uint8_t kind)
{
	if (!there() || (!unused && requests == REQUESTS)) {
		broken = true;
		return NULL;
	}
	uint32_t k = unused ? unused : ++requests;
	if (unused)
		unused = at(k)->next;
	struct hb__under_way *it = at(k);
	*it = (struct hb__under_way){.kind = kind,
		.lane = e->past->lane,
		.function = e->slot->function,
		.nargs = e->slot->nargs,
		.posting = posting};
	memcpy(it->arg, e->slot->arg, sizeof it->arg);
	uint32_t *bucket = bucket_of(it->lane, posting);
	it->next = *bucket;
	*bucket = k;
	if (kind != HB_UNDER_WAY_RECEIVE)
		return it;
	it->earlier = last;
	*(last ? &at(last)->later : &first) = k;
	last = k;
	return it;
}

void hb__under_way_told(struct hb__under_way *it)
{
	if (it->kind == HB_UNDER_WAY_RECEIVE) {
		*(it->earlier ? &at(it->earlier)->later : &first) = it->later;
		*(it->later ? &at(it->later)->earlier : &last) = it->earlier;
	}
	if (it->kind != HB_UNDER_WAY_PERSISTENT)
		it->kind = 0;
}

void hb__under_way_over(struct hb__under_way *it)
{
	uint32_t k = number_of(it), *link = bucket_of(it->lane, it->posting);
	hb__under_way_told(it);
	while (*link && *link != k)
		link = &at(*link)->next;
	if (*link)
		*link = it->next;
	it->kind = 0;
	it->next = unused;
	it->posting = UINT64_MAX;
	unused = k;
}

void hb__overtakes(const struct hb__under_way *it, int64_t comm, int64_t source, int64_t tag)
{
	for (uint32_t k = it ? it->earlier : last; k; k = at(k)->earlier) {
		struct hb__under_way *q = at(k);
		if (q->comm == comm && (q->source < 0 || q->source == source) && (q->tag < 0 || q->tag == tag))
			q->overtaken = true;
	}
}

const struct hb__under_way *hb__under_way_next(uint64_t *index)
{
	uint32_t receive = (uint32_t)*index, other = (uint32_t)(*index >> 32);
	if (!tables)
		return NULL;
	if (!other) { /* along the receives */
		uint32_t k = receive ? at(receive)->later : first;
		if (k) {
			*index = k;
			return at(k);
		}
		other = 1;
	}
	for (; other <= requests; other++) {
		const struct hb__under_way *it = at(other);
		if (it->kind == HB_UNDER_WAY_COLLECTIVE || it->kind == HB_UNDER_WAY_PERSISTENT) {
			*index = (uint64_t)(other + 1) << 32;
			return it;
		}
	}
	*index = (uint64_t)(requests + 1) << 32;
	return NULL;
}
