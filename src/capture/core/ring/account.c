/* The account as bytes: hbdb-recording(5), RINGS. */
#include <string.h>

#include "capture/core/ring/ring.h"

#define PAYLOAD (HB_UNIT_SIZE - HB_UNIT_PAYLOAD)

/* Bytes that go on from unit to unit. */
struct out {
	struct hb_unit_header *(*unit)(uint32_t index);
	struct hb_unit_header *at;
	uint32_t n, generation, filled;
	bool failed;
};

static void end_unit(struct out *o)
{
	if (!o->at)
		return;
	o->at->committed = o->filled;
	HB_STORE(o->at, magic, HB_UNIT_MAGIC, __ATOMIC_RELEASE); /* nobody looks before the account is in force */
	hb__unit_sum(o->at);
}

static bool begin_unit(struct out *o)
{
	end_unit(o);
	o->at = o->unit(o->n);
	if (!o->at)
		return false;
	HB_STORE(o->at, magic, 0, __ATOMIC_RELEASE);
	memset(o->at, 0, sizeof *o->at);
	o->at->kind = HB_UNIT_ACCOUNT;
	o->at->lane = HB_LANE_DEFINITIONS;
	o->at->seq = o->n++;
	o->at->generation = o->generation;
	o->filled = 0;
	return true;
}

static void put(struct out *o, const uint8_t *p, size_t n)
{
	while (n && !o->failed) {
		if ((!o->at || o->filled == PAYLOAD) && !begin_unit(o)) {
			o->failed = true;
			return;
		}
		size_t k = PAYLOAD - o->filled < n ? PAYLOAD - o->filled : n;
		memcpy((uint8_t *)o->at + HB_UNIT_PAYLOAD + o->filled, p, k);
		o->filled += (uint32_t)k;
		p += k;
		n -= k;
	}
}

static void uv(struct out *o, uint64_t v)
{
	uint8_t room[HB_UV_MAX];
	put(o, room, (size_t)(hb_put_uv(room, v) - room));
}
static void sv(struct out *o, int64_t v) { uv(o, hb_zigzag(v)); }

static void slots(struct out *o, const struct hb__past *past)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < past->slots; i++)
		n += past->slot[i].defined;
	uv(o, past->lane);
	uv(o, past->first);
	uv(o, n);
	for (uint32_t i = 0; i < past->slots; i++) {
		const struct hb__past_slot *s = &past->slot[i];
		if (!s->defined)
			continue;
		uint8_t room[6 * HB_UV_MAX + HB_MAX_RECORDED * HB_UV_MAX], *w = hb_put_uv(room, i);
		w = hb_put_uv(w, s->function);
		w = hb_put_uv(w, s->site);
		w = hb_put_uv(w, s->flags);
		w = hb_put_uv(w, s->nargs);
		for (unsigned k = 0; k < s->nargs; k++)
			w = hb_put_sv(w, s->arg[k]);
		put(o, room, (size_t)(w - room));
	}
}

static void requests(struct out *o)
{
	uint64_t index = 0, n = 0;
	while (hb__under_way_next(&index))
		n++;
	uv(o, n);
	index = 0;
	for (const struct hb__under_way *it; (it = hb__under_way_next(&index));) {
		uv(o, it->kind | (it->overtaken ? HB_UNDER_WAY_OVERTAKEN : 0u));
		uv(o, it->lane);
		uv(o, it->posting);
		uv(o, it->function);
		uv(o, it->number);
		uv(o, it->nargs);
		for (unsigned k = 0; k < it->nargs; k++)
			sv(o, it->arg[k]);
	}
}

uint32_t hb__account_write(struct hb__past *const *past, uint32_t lanes, uint32_t generation,
	struct hb_unit_header *(*unit)(uint32_t index))
{
	struct out o = {.unit = unit, .generation = generation};
	const struct hb__counter *c;
	uv(&o, lanes);
	for (uint32_t i = 0; i < lanes; i++)
		slots(&o, past[i]);
	uv(&o, lanes);
	for (uint32_t i = 0; i < lanes; i++) {
		uv(&o, past[i]->lane);
		uv(&o, past[i]->events);
		uv(&o, past[i]->posted);
		sv(&o, past[i]->last_ref);
		uv(&o, past[i]->clock);
		uv(&o, past[i]->tick);
	}
	uv(&o, hb__count_flags());
	uint32_t n = hb__counters(&c);
	uv(&o, n);
	for (uint32_t i = 0; i < n; i++) {
		uv(&o, c[i].kind);
		uv(&o, c[i].lane);
		sv(&o, c[i].comm);
		sv(&o, c[i].peer);
		sv(&o, c[i].tag);
		uv(&o, c[i].count);
	}
	requests(&o);
	end_unit(&o);
	return o.failed ? 0 : o.n;
}
