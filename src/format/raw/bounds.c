/* The bounds of the units of a raw log, and what its lane control units say. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "format/internal.h"
#include "format/row.h"

static bool take_control(hb_log *log, uint32_t number, uint64_t offset)
{
	struct hb_lane_control k;
	struct hb__lane_rows *lane = hb__log_lane(log, number);
	if (!lane)
		return false;
	if (lane->calls) {
		hb__trouble(log, offset, "lane %u has a second control unit", number);
		return true;
	}
	memcpy(&k, log->map + offset, sizeof k);
	if (!hb__sum_unit(&k.unit, (const uint8_t *)&k + HB_UNIT_PAYLOAD, HB_UNIT_SIZE - HB_UNIT_PAYLOAD)) {
		hb__trouble(log, offset, "the control unit of lane %u does not match its checksum", number);
		k.inside = k.polls = k.asked = 0;
	}
	lane->info.thread = k.thread;
	lane->info.polls = k.polls;
	lane->info.inside = k.inside != 0 && k.inside <= HB_NO;
	lane->info.inside_slot = lane->info.inside ? (uint32_t)(k.inside - 1) : 0;
	lane->info.inside_enter = lane->info.inside ? k.inside_enter : 0;
	uint32_t n = sizeof k.calls / sizeof *k.calls;
	while (n && !k.calls[n - 1])
		n--;
	lane->calls = malloc((n + 1) * sizeof *lane->calls);
	if (!lane->calls)
		return false;
	memcpy(lane->calls, k.calls, n * sizeof *lane->calls);
	lane->ncalls = n;
	return hb__waits_take(lane, &k);
}

static bool take_rows(hb_log *log, struct hb__lane_rows *lane, const struct hb_unit_header *h, uint64_t offset)
{
	uint64_t room = log->size - offset - HB_UNIT_PAYLOAD;
	if (room > HB_UNIT_SIZE - HB_UNIT_PAYLOAD)
		room = HB_UNIT_SIZE - HB_UNIT_PAYLOAD;
	uint32_t bytes = h->committed;
	if (bytes > room) {
		hb__trouble(log, offset, "a unit is shorter than it says");
		bytes = (uint32_t)room;
	}
	uint32_t at = h->seq - lane->first_unit;
	if (!HB_GROW(lane->unit, lane->units_cap, at + 1))
		return false;
	if (at >= lane->units) {
		memset(lane->unit + lane->units, 0, (at + 1 - lane->units) * sizeof *lane->unit);
		lane->units = at + 1;
	}
	struct hb__unit *u = &lane->unit[at];
	if (u->offset) {
		hb__trouble(log, offset, "two units have the same number");
		return true;
	}
	*u = (struct hb__unit){.offset = offset + HB_UNIT_PAYLOAD, .bytes = bytes, .base_tick = h->base_tick};
	return true;
}

/* Of a ring: a unit that was given up, or that is of an account. */
static bool is_over(const hb_log *log, const struct hb_unit_header *h)
{
	if (!log->ring || h->magic != HB_UNIT_MAGIC || h->lane == HB_LANE_DEFINITIONS)
		return log->ring && h->magic == HB_UNIT_MAGIC && h->kind == HB_UNIT_ACCOUNT;
	return h->kind == HB_UNIT_ROWS && h->lane < log->lanes && h->seq < log->lane[h->lane].first_unit;
}

/* How far behind the first unit of its lane it stands. */
static uint32_t place(const hb_log *log, const struct hb_unit_header *h)
{
	bool moved = log->ring && h->kind == HB_UNIT_ROWS && h->lane < log->lanes;
	return moved ? h->seq - log->lane[h->lane].first_unit : h->seq;
}

/* Takes the bounds of one unit: of the lane of definitions, or of any other. */
static bool take_unit(hb_log *log, struct hb__lane_rows *definitions, bool want_definitions, uint64_t k)
{
	struct hb_unit_header h;
	uint64_t offset = k * HB_UNIT_SIZE;
	if (log->size - offset < HB_UNIT_PAYLOAD) {
		hb__trouble(log, offset, "the file ends within a unit");
		return true;
	}
	const struct hb_unit_header *live = (const struct hb_unit_header *)(log->map + offset);
	uint32_t committed = __atomic_load_n(&live->committed, __ATOMIC_ACQUIRE);
	memcpy(&h, live, sizeof h);
	h.committed = committed;
	if (h.magic == 0) { /* never begun, unless the process came to its end */
		if (log->info.state == HB_STATE_FINALIZED && log->summed && want_definitions)
			hb__trouble(log, offset, "a unit is lost");
		return true;
	}
	if (is_over(log, &h))
		return true;
	bool whole = log->size - offset >= HB_UNIT_SIZE;
	if (h.magic != HB_UNIT_MAGIC || (h.kind != HB_UNIT_LANE && h.kind != HB_UNIT_ROWS) ||
		place(log, &h) >= log->size / HB_UNIT_SIZE ||
		(h.kind == HB_UNIT_LANE && h.lane == HB_LANE_DEFINITIONS)) {
		if (!want_definitions)
			hb__trouble(log, offset, "the header of a unit is damaged");
		return true;
	}
	if ((h.lane == HB_LANE_DEFINITIONS) != want_definitions)
		return true;
	if (h.kind == HB_UNIT_ROWS) {
		struct hb__lane_rows *lane = want_definitions ? definitions : hb__log_lane(log, h.lane);
		return lane && take_rows(log, lane, &h, offset);
	}
	if (!whole) {
		hb__trouble(log, offset, "the file ends within the control unit of lane %u", h.lane);
		return hb__log_lane(log, h.lane) != NULL;
	}
	return take_control(log, h.lane, offset);
}

static uint64_t units_in_file(const hb_log *log) { return (log->size + HB_UNIT_SIZE - 1) / HB_UNIT_SIZE; }
/* The units in use when the file was opened. */
static uint64_t units_at_first(hb_log *log)
{
	uint64_t units, in_file = units_in_file(log);
	memcpy(&units, log->head + offsetof(struct hb_log_header, units), sizeof units);
	if (units <= in_file)
		return units;
	hb__trouble(log, log->size, "the file is cut: %llu of %llu units are there", (unsigned long long)in_file,
		(unsigned long long)units);
	return in_file;
}

/* The units in use now, all of them mapped when the process grew its log. False: out of memory. */
static bool units_now(hb_log *log, uint64_t *ret_units)
{
	const struct hb_log_header *h = (const struct hb_log_header *)log->map;
	const void *at = &h->units;
	uint64_t units = __atomic_load_n((const uint64_t *)at, __ATOMIC_ACQUIRE);
	if (units > units_in_file(log) && !hb__log_remap(log))
		return false;
	*ret_units = units < units_in_file(log) ? units : units_in_file(log);
	return true;
}

void hb__bounds_close_gaps(hb_log *log, struct hb__lane_rows *lane, uint32_t number)
{
	for (size_t i = 0; i < lane->units; i++)
		if (!lane->unit[i].offset) {
			hb__trouble(log, 0, "unit %zu of lane %u is missing", i, number);
			lane->units = i;
			lane->info.inside = 0;
			lane->info.polls = 0;
		}
}

bool hb__bounds_take(hb_log *log, struct hb__lane_rows *definitions)
{
	uint64_t units = units_at_first(log);
	log->info.bytes = units * HB_UNIT_SIZE < log->size ? units * HB_UNIT_SIZE : log->size;
	for (uint64_t k = 1; k < units; k++)
		if (!take_unit(log, definitions, false, k))
			return false;
	if (!units_now(log, &units))
		return false;
	for (uint64_t k = 1; k < units; k++)
		if (!take_unit(log, definitions, true, k))
			return false;
	return true;
}
