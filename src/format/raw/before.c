/* What a ring tells of the events that it has given up: hbdb-recording(5), RINGS. The same bytes stand in a raw log and in a sealed one. */
#include <stdlib.h>
#include <string.h>

#include "format/internal.h"
#include "format/ring.h"
#include "format/row.h"

#define ARGUMENTS_MOST 64

static bool lanes(hb_log *log, struct hb__in *in)
{
	uint64_t n = hb__in_uv(in);
	for (uint64_t i = 0; i < n && !in->bad; i++) {
		uint64_t number = hb__in_uv(in);
		struct hb__lane_rows *l =
			in->bad || number >= HB_LANE_DEFINITIONS ? NULL : hb__log_lane(log, (uint32_t)number);
		if (!l)
			return false;
		l->info.before = hb__in_uv(in);
		l->info.posted_before = hb__in_uv(in);
		l->info.referred_before = hb__in_sv(in);
		l->info.clock_before = hb__in_uv(in);
		l->info.tick_before = hb__in_uv(in);
		log->before.events += l->info.before;
	}
	return !in->bad;
}

static bool counts(hb_log *log, struct hb__in *in)
{
	uint64_t n = hb__in_uv(in);
	if (in->bad || n > (uint64_t)(in->end - in->p))
		return false;
	hb_before_count *c = hb__arena_get(&log->defs.arena, (n + 1) * sizeof *c);
	for (uint64_t i = 0; c && i < n; i++) {
		c[i] = (hb_before_count){.kind = (uint8_t)hb__in_uv(in), .lane = (uint32_t)hb__in_uv(in)};
		c[i].comm = hb__in_sv(in);
		c[i].peer = hb__in_sv(in);
		c[i].tag = hb__in_sv(in);
		c[i].count = hb__in_uv(in);
	}
	log->before.count = c;
	log->before.counts = n;
	return c && !in->bad;
}

static bool requests(hb_log *log, struct hb__in *in)
{
	uint64_t n = hb__in_uv(in);
	if (in->bad || n > (uint64_t)(in->end - in->p))
		return false;
	hb_before_request *r = hb__arena_get(&log->defs.arena, (n + 1) * sizeof *r);
	for (uint64_t i = 0; r && i < n && !in->bad; i++) {
		uint64_t kind = hb__in_uv(in);
		r[i] = (hb_before_request){
			.kind = kind & ~HB_UNDER_WAY_OVERTAKEN, .overtaken = (kind & HB_UNDER_WAY_OVERTAKEN) != 0};
		r[i].lane = (uint32_t)hb__in_uv(in);
		r[i].posting = (int64_t)(hb__in_uv(in) & INT64_MAX);
		r[i].function = (uint32_t)hb__in_uv(in);
		r[i].number = hb__in_uv(in);
		r[i].nargs = (uint32_t)hb__in_uv(in);
		if (in->bad || r[i].nargs > ARGUMENTS_MOST)
			return false;
		int64_t *arg = hb__arena_get(&log->defs.arena, (r[i].nargs + 1) * sizeof *arg);
		for (uint32_t k = 0; arg && k < r[i].nargs; k++)
			arg[k] = hb__in_sv(in);
		if (!arg)
			return false;
		r[i].arg = arg;
	}
	log->before.request = r;
	log->before.requests = n;
	return r && !in->bad;
}

bool hb__before_read(hb_log *log, struct hb__in *in)
{
	const uint8_t *from = in->p;
	if (log->before_bytes || !lanes(log, in))
		return false;
	uint64_t flags = hb__in_uv(in);
	log->before.whole = !(flags & HB_BEFORE_PART);
	log->before.broken = (flags & HB_BEFORE_BROKEN) != 0;
	if (!counts(log, in) || !requests(log, in))
		return false;
	log->before_n = (size_t)(in->p - from);
	log->before_bytes = malloc(log->before_n + 1);
	if (!log->before_bytes)
		return false;
	memcpy(log->before_bytes, from, log->before_n);
	return true;
}

const hb_before *hb_log_before(const hb_log *log) { return log->before_bytes ? &log->before : NULL; }
