/* A small writer of raw logs for tests: builds the file in memory, as
 * hbdb-recording(5) says, without any of the code under test but row.h. */
#ifndef TESTS_UNIT_RAWLOG_H
#define TESTS_UNIT_RAWLOG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "format/row.h"

#define RAW_LANES 8
#define RAW_RECORD_MAX 20000

struct raw_lane {
	size_t unit;    /* offset of the open unit in the image; 0 none */
	size_t control; /* offset of its control unit */
	uint32_t seq;
	uint64_t events, tick;
	uint8_t slot_flags[4096];
};

struct raw_log {
	uint8_t *image;
	size_t units;
	int level;
	struct raw_lane lane[RAW_LANES + 1]; /* the last: definitions */
};

static inline struct hb_log_header *raw_header(struct raw_log *r) { return (struct hb_log_header *)r->image; }

static inline size_t raw_unit(struct raw_log *r, uint16_t kind, uint16_t lane)
{
	r->image = realloc(r->image, (r->units + 1) * HB_UNIT_SIZE);
	if (!r->image)
		abort();
	size_t at = r->units++ * HB_UNIT_SIZE;
	memset(r->image + at, 0, HB_UNIT_SIZE);
	if (at) {
		struct hb_unit_header *h = (struct hb_unit_header *)(r->image + at);
		h->magic = HB_UNIT_MAGIC;
		h->kind = kind;
		h->lane = lane;
	}
	raw_header(r)->units = r->units;
	return at;
}

static inline void raw_begin(struct raw_log *r, int level)
{
	*r = (struct raw_log){.level = level};
	raw_unit(r, 0, 0);
	struct hb_log_header *h = raw_header(r);
	memcpy(h->magic, HB_LOG_MAGIC, 8);
	h->version = HB_LOG_VERSION;
	h->unit_size = HB_UNIT_SIZE;
	h->rank = 3;
	h->size = 8;
	h->pid = 4711;
	h->level = (uint32_t)level;
	h->tick_fs = 4000000;
	h->origin_real = 1700000000000000000u;
	h->origin_mono = 5000000000u;
	h->state = HB_STATE_FINALIZED;
	h->library = 1;
	memcpy(h->host, "node7", sizeof "node7");
	memcpy(h->version_text, "a library, version 4", sizeof "a library, version 4");
	memcpy(h->program, "/home/user/bin/program", sizeof "/home/user/bin/program");
}

static inline void raw_close_unit(struct raw_log *r, struct raw_lane *l)
{
	struct hb_unit_header *h = (struct hb_unit_header *)(r->image + l->unit);
	h->checksum = XXH3_64bits((uint8_t *)h + HB_UNIT_PAYLOAD, h->committed);
	h->closed = 1;
	l->unit = 0;
}

/* Appends one whole record to a lane. */
static inline void raw_record(struct raw_log *r, int lane, const uint8_t *p, size_t n)
{
	struct raw_lane *l = &r->lane[lane];
	if (l->unit) {
		struct hb_unit_header *h = (struct hb_unit_header *)(r->image + l->unit);
		if (h->committed + n > HB_UNIT_SIZE - HB_UNIT_PAYLOAD)
			raw_close_unit(r, l);
	}
	if (!l->unit) {
		l->unit = raw_unit(r, HB_UNIT_ROWS, lane == RAW_LANES ? HB_LANE_DEFINITIONS : (uint16_t)lane);
		struct hb_unit_header *h = (struct hb_unit_header *)(r->image + l->unit);
		h->seq = l->seq++;
		h->events_before = l->events;
		h->base_tick = l->tick;
	}
	struct hb_unit_header *h = (struct hb_unit_header *)(r->image + l->unit);
	memcpy((uint8_t *)h + HB_UNIT_PAYLOAD + h->committed, p, n);
	h->committed += (uint32_t)n;
}

static inline struct hb_lane_control *raw_control(struct raw_log *r, int lane)
{
	return (struct hb_lane_control *)(r->image + r->lane[lane].control);
}

static inline void raw_lane(struct raw_log *r, int lane, uint64_t thread)
{
	r->lane[lane].control = raw_unit(r, HB_UNIT_LANE, (uint16_t)lane);
	raw_control(r, lane)->thread = thread;
}

static inline void raw_definition(struct raw_log *r, int lane, uint8_t kind, const uint8_t *body, size_t n)
{
	uint8_t b[RAW_RECORD_MAX], *p = b;
	p = hb_put_uv(p, HB_ROW_DEF);
	*p++ = kind;
	p = hb_put_uv(p, n);
	memcpy(p, body, n);
	raw_record(r, lane, b, (size_t)(p - b) + n);
}

static inline uint8_t *raw_text(uint8_t *p, const char *s) { return hb_put_str(p, s, strlen(s)); }

static inline void raw_function(struct raw_log *r, unsigned number, uint8_t cls, const char *name, int nargs)
{
	static const char *const names[] = {"count", "dest", "tag", "comm", "datatype", "root"};
	uint8_t b[512], *p = hb_put_uv(b, number);
	*p++ = cls;
	p = raw_text(p, name);
	p = hb_put_uv(p, (unsigned)nargs);
	for (int i = 0; i < nargs; i++) {
		*p++ = (uint8_t)(i % 6);
		p = raw_text(p, names[i % 6]);
	}
	raw_definition(r, RAW_LANES, HB_DEF_FUNCTION, b, (size_t)(p - b));
}

static inline void raw_module(struct raw_log *r, unsigned number, uint64_t base, const char *path, const char *id)
{
	uint8_t b[512], *p = hb_put_uv(b, number);
	p = hb_put_uv(p, base);
	p = raw_text(p, path);
	p = raw_text(p, id);
	raw_definition(r, RAW_LANES, HB_DEF_MODULE, b, (size_t)(p - b));
}

static inline void raw_site(struct raw_log *r, unsigned number, unsigned module, uint64_t offset)
{
	uint8_t b[64], *p = hb_put_uv(hb_put_uv(hb_put_uv(b, number), module), offset);
	raw_definition(r, RAW_LANES, HB_DEF_SITE, b, (size_t)(p - b));
}

static inline void raw_comm(struct raw_log *r, unsigned number, int64_t parent, unsigned n, bool inter)
{
	uint8_t b[4096], *p = hb_put_uv(b, number);
	p = hb_put_sv(p, parent);
	p = hb_put_uv(p, number);
	p = hb_put_sv(p, 0);
	p = hb_put_uv(p, 1);
	p = hb_put_uv(p, inter);
	for (int side = 0; side <= inter; side++) {
		p = hb_put_uv(p, n);
		for (unsigned i = 0; i < n; i++)
			p = hb_put_sv(p, i ? 1 : 0);
	}
	raw_definition(r, RAW_LANES, HB_DEF_COMM, b, (size_t)(p - b));
}

static inline void raw_datatype(struct raw_log *r, unsigned number, uint64_t size, const char *name)
{
	uint8_t b[256], *p = raw_text(hb_put_uv(hb_put_uv(b, number), size), name);
	raw_definition(r, RAW_LANES, HB_DEF_DATATYPE, b, (size_t)(p - b));
}

static inline void raw_op(struct raw_log *r, unsigned number, const char *name)
{
	uint8_t b[256], *p = raw_text(hb_put_uv(b, number), name);
	raw_definition(r, RAW_LANES, HB_DEF_OP, b, (size_t)(p - b));
}

static inline void raw_slot(struct raw_log *r, int lane, unsigned slot, unsigned function, unsigned site,
	unsigned flags, int nargs, const int64_t *arg)
{
	uint8_t b[2048], *p = hb_put_uv(b, slot);
	p = hb_put_uv(p, function);
	p = hb_put_uv(p, site);
	p = hb_put_uv(p, flags);
	p = hb_put_uv(p, (unsigned)nargs);
	for (int i = 0; i < nargs; i++)
		p = hb_put_sv(p, arg[i]);
	r->lane[lane].slot_flags[slot] = (uint8_t)flags;
	raw_definition(r, lane, HB_DEF_SLOT, b, (size_t)(p - b));
}

/* Argument `i` of a slot is `value` from here on. */
static inline void raw_argument(struct raw_log *r, int lane, unsigned slot, unsigned i, int64_t value)
{
	uint8_t b[64], *p = hb_put_uv(hb_put_uv(hb_put_uv(b, HB_ROW_ARGUMENT), slot), i);
	p = hb_put_sv(p, value);
	raw_record(r, lane, b, (size_t)(p - b));
}

static inline void raw_event(struct raw_log *r, int lane, unsigned slot, uint64_t gap, uint64_t lasted, uint16_t check,
	int nresults, const int64_t *results)
{
	static uint8_t b[65536];
	uint8_t *p = hb_put_uv(b, HB_ROW_EVENT + 2 * (uint64_t)slot + (nresults != 0));
	if (r->level == HB_LEVEL_EVENTS) {
		p = hb_put_uv(p, gap);
		p = hb_put_uv(p, lasted);
	}
	if (r->lane[lane].slot_flags[slot] & HB_SLOT_CHECK) {
		*p++ = (uint8_t)check;
		*p++ = (uint8_t)(check >> 8);
	}
	if (nresults) {
		p = hb_put_uv(p, (unsigned)nresults);
		for (int i = 0; i < nresults; i++)
			p = hb_put_sv(p, results[i]);
	}
	raw_record(r, lane, b, (size_t)(p - b)); /* a new unit counts from the tick before */
	if (r->level == HB_LEVEL_EVENTS)
		r->lane[lane].tick += gap + lasted;
	r->lane[lane].events++;
	if (r->lane[lane].control)
		raw_control(r, lane)->events++;
}

static inline void raw_polls(struct raw_log *r, int lane, uint64_t n)
{
	uint8_t b[16], *p = hb_put_uv(hb_put_uv(b, HB_ROW_POLLS), n);
	raw_record(r, lane, b, (size_t)(p - b));
}

static inline void raw_skipped(struct raw_log *r, int lane, uint64_t n)
{
	uint8_t b[16], *p = hb_put_uv(hb_put_uv(b, HB_ROW_SKIPPED), n);
	raw_record(r, lane, b, (size_t)(p - b));
}

static inline void raw_mark(struct raw_log *r, int lane, int of, uint64_t event, uint64_t rank, uint64_t sent)
{
	uint8_t b[64], *p = hb_put_uv(hb_put_uv(b, HB_ROW_MARK), (uint64_t)of);
	p = hb_put_uv(hb_put_uv(hb_put_uv(p, event), rank), sent);
	raw_record(r, lane, b, (size_t)(p - b));
}

/* Results that stand before their event: `n` times `value`. */
static inline void raw_early_results(struct raw_log *r, int lane, unsigned n, int64_t value)
{
	uint8_t b[RAW_RECORD_MAX], *p = hb_put_uv(hb_put_uv(b, HB_ROW_RESULTS), n);
	for (unsigned i = 0; i < n; i++)
		p = hb_put_sv(p, value);
	raw_record(r, lane, b, (size_t)(p - b));
}

static inline void raw_result(struct raw_log *r, int lane, int64_t error)
{
	uint8_t b[16], *p = hb_put_sv(hb_put_uv(b, HB_ROW_RESULT), error);
	raw_record(r, lane, b, (size_t)(p - b));
}

static inline void raw_note(struct raw_log *r, int lane, const char *s)
{
	uint8_t b[1024], *p = raw_text(hb_put_uv(b, HB_ROW_NOTE), s);
	raw_record(r, lane, b, (size_t)(p - b));
}

static inline void raw_remark(struct raw_log *r, int lane, uint64_t kind, const uint8_t *body, size_t n)
{
	uint8_t b[4096], *p = hb_put_str(hb_put_uv(hb_put_uv(b, HB_ROW_REMARK), kind), (const char *)body, n);
	raw_record(r, lane, b, (size_t)(p - b));
}

static inline void raw_write(const char *path, const void *p, size_t n)
{
	FILE *f = fopen(path, "wb");
	if (!f || fwrite(p, 1, n, f) != n || fclose(f)) {
		perror(path);
		exit(2);
	}
}

static inline void raw_save(struct raw_log *r, const char *path) { raw_write(path, r->image, r->units * HB_UNIT_SIZE); }

static inline void raw_free(struct raw_log *r) { free(r->image); }

/* xorshift64*: the same numbers everywhere. */
static inline uint64_t raw_random(uint64_t *state)
{
	uint64_t x = *state;
	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	*state = x;
	return x * 0x2545f4914f6cdd1du;
}

#endif
