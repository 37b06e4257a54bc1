/* Random logs: everything that the format knows, in any order. */
#ifndef TESTS_UNIT_RANDOM_LOG_H
#define TESTS_UNIT_RANDOM_LOG_H

#include "rawlog.h"

static inline uint64_t below(uint64_t *state, uint64_t n) { return raw_random(state) % n; }

/* A number of any size, small ones more often. */
static inline int64_t any_number(uint64_t *state)
{
	uint64_t v = raw_random(state) >> below(state, 64);
	return below(state, 4) ? (int64_t)(v & 0xff) - 3 : (int64_t)v;
}

/* A kind of remarks with a field of each type that there is, and then one that is not known. */
static inline void random_remark_kinds(struct raw_log *r)
{
	static const uint8_t types[] = {0, 10, 11, 12, 13, 14, 16, 17, 18, 19, 77};
	for (unsigned kind = 0; kind < 2; kind++) {
		uint8_t b[512], *p = raw_text(hb_put_uv(b, 7 * kind), kind ? "all, and one more" : "all");
		p = hb_put_uv(p, 10 + kind);
		for (unsigned i = 0; i < 10 + kind; i++) {
			*p++ = types[i];
			p = hb_put_sv(raw_text(p, "field"), (int64_t)i - 4);
			if (types[i] == 13)
				p = raw_text(raw_text(hb_put_uv(p, 2), "one"), "other");
		}
		raw_definition(r, RAW_LANES, HB_DEF_REMARK, b, (size_t)(p - b));
	}
}

/* Half of them are whole. */
static inline void random_remark(struct raw_log *r, uint64_t *state, int lane)
{
	uint8_t b[512], *p = b;
	if (below(state, 2)) {
		uint64_t mask = below(state, 1 << 10);
		p = hb_put_uv(p, mask);
		p = mask & 1 ? hb_put_sv(p, any_number(state)) : p;
		p = mask & 2 ? hb_put_uv(p, below(state, 30)) : p;
		p = mask & 4 ? hb_put_uv(p, 3 * below(state, 8)) : p;
		p = mask & 16 ? hb_put_uv(p, below(state, 2)) : p;
		p = mask & 32 ? hb_put_uv(p, raw_random(state)) : p;
		p = mask & 64 ? raw_text(p, "a text") : p;
		p = mask & 128 ? hb_put_uv(hb_put_uv(p, 1), raw_random(state)) : p;
		for (int list = 256; list <= 512; list *= 2)
			if (mask & (uint64_t)list) {
				unsigned n = (unsigned)below(state, 5);
				p = hb_put_uv(p, n);
				while (n--)
					p = hb_put_sv(p, any_number(state));
			}
	} else {
		for (uint64_t n = below(state, 40); n--;)
			*p++ = (uint8_t)raw_random(state);
	}
	raw_remark(r, lane, below(state, 9) ? 0 : 7, b, (size_t)(p - b));
}

static inline void random_definitions(struct raw_log *r, uint64_t *state)
{
	static const char *const name[] = {"Send", "Recv", "Waitall", "Waitany", "Iprobe", "Bcast", "", "Wtime"};
	for (unsigned i = 0; i < 8; i++)
		raw_function(r, i * 3, (uint8_t)below(state, 10), name[i], (int)below(state, 7));
	raw_module(r, 0, 0x400000, "/home/user/bin/program", "0123456789abcdef");
	raw_module(r, 1, 0x7f0000000000,
		"/usr/lib/l\xc3\xaf"
		"b.so",
		"");
	for (unsigned i = 1; i < 30; i++)
		raw_site(r, i, i % 2, below(state, 1 << 20));
	raw_comm(r, 0, -1, 8, false);
	raw_comm(r, 1, -1, 1, false);
	raw_comm(r, 2, 0, 5, true);
	raw_datatype(r, 0, 4, "INT");
	raw_datatype(r, 5, 8, "DOUBLE");
	raw_op(r, 0, "SUM");
	if (below(state, 2))
		raw_note(r, RAW_LANES, "a note of the whole process");
	if (below(state, 2))
		random_remark_kinds(r);
	if (below(state, 2))
		random_remark(r, state, RAW_LANES);
}

static inline void random_slot(struct raw_log *r, uint64_t *state, int lane, unsigned slot)
{
	int64_t arg[40];
	int nargs = below(state, 10) ? (int)below(state, 6) : (int)below(state, 40);
	for (int i = 0; i < nargs; i++)
		arg[i] = any_number(state);
	raw_slot(r, lane, slot, (unsigned)below(state, 8) * 3, (unsigned)below(state, 30), (unsigned)below(state, 2),
		nargs, arg);
}

/* One event with what may stand before it. `wild`: everything differs; else the same few patterns. */
static inline void random_event(struct raw_log *r, uint64_t *state, int lane, unsigned slots, bool wild)
{
	int64_t res[3000];
	unsigned slot = (unsigned)below(state, slots);
	if (wild && below(state, 5) == 0)
		random_slot(r, state, lane, slot);
	if (below(state, 8) == 0)
		raw_polls(r, lane, below(state, 2) ? 1 : raw_random(state) >> 40);
	if (r->level == HB_LEVEL_RACING && below(state, 3) == 0)
		raw_skipped(r, lane, 1 + below(state, 40));
	if (r->level == HB_LEVEL_RACING && below(state, 9) == 0)
		raw_mark(r, lane, lane, r->lane[lane].events, below(state, 8), below(state, 1000));
	if (below(state, 20) == 0)
		raw_result(r, lane, any_number(state));
	if (below(state, 100) == 0)
		raw_note(r, lane, "something worth a note");
	if (below(state, 30) == 0)
		random_remark(r, state, lane);
	int n = below(state, 200) ? (int)below(state, 8) : (int)below(state, 3000);
	if (!wild)
		n = (int)(slot % 5);
	for (int i = 0; i < n; i++)
		res[i] = wild ? any_number(state) : (int64_t)below(state, 9) - 2;
	if (below(state, 300) == 0)
		raw_early_results(r, lane, 700, res[0] = 5);
	uint64_t gap = raw_random(state) >> (40 + below(state, 20)),
		 lasted = raw_random(state) >> (38 + below(state, 24));
	if (below(state, 500) == 0)
		gap = (uint64_t)0 - below(state, 100); /* a clock that went back */
	raw_event(r, lane, slot, gap, lasted, (uint16_t)raw_random(state), n, res);
}

static inline void random_log(struct raw_log *r, uint64_t seed, int level, int lanes, long events, bool wild)
{
	uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
	unsigned slots = wild ? 300 : 12;
	raw_begin(r, level);
	for (int l = 0; l < lanes; l++)
		raw_lane(r, l, l ? raw_random(&state) : 0);
	random_definitions(r, &state);
	for (int l = 0; l < lanes; l++)
		for (unsigned s = 0; s < slots; s++)
			random_slot(r, &state, l, s);
	for (long i = 0; i < events; i++)
		random_event(r, &state, (int)below(&state, (uint64_t)lanes), slots, wild);
	for (int l = 0; l < lanes; l++) {
		struct hb_lane_control *k = raw_control(r, l);
		k->polls = below(&state, 3) ? 0 : 17;
		k->inside = below(&state, 2) ? 1 + below(&state, slots) : 0;
		k->inside_enter = k->inside ? r->lane[l].tick + 5 : 0;
		for (int f = 0; f < 24; f += 3)
			k->calls[f] = below(&state, 1000);
		if (below(&state, 3) == 0)
			raw_polls(r, l, 4);
		if (level == HB_LEVEL_RACING)
			raw_skipped(r, l, 1 + below(&state, 9));
	}
	if (below(&state, 2))
		raw_header(r)->last_tick = 1000000, raw_header(r)->last_mono = 5000000000u + 4100000;
}

#endif
