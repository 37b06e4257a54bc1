/* The raw log: one look at the bounds of all units (bounds.c), one scan over their
 * records when the log is opened, then cursors that read again what was scanned.
 *
 * The process may still be writing. So everything is read up to the bounds that
 * were taken at opening, rows before definitions: a definition is committed
 * before the first row that needs it. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "format/internal.h"
#include "format/raw/ring.h"
#include "format/row.h"

struct raw_cursor {
	hb_cursor base;
	hb_log *log;
	const struct hb__lane_rows *lane;
	uint32_t number; /* of the lane */
	size_t unit;     /* the unit that [p, end) is in */
	const uint8_t *p, *end;
	uint64_t event, tick; /* events passed; exit of the last */
	uint64_t polls;       /* pending, for the next event */
	uint64_t skipped;     /* likewise */
	int64_t result;
	bool has_result, timed, racing;
	struct hb__slotdef *slot;
	size_t slots;
	uint32_t era; /* of the slot defined last */
	int64_t *results;
	size_t results_cap, pending; /* results told before their event */
};

#define RESULTS_MAX (1u << 21) /* of one event */

enum step { STEP_BAD, STEP_EVENT, STEP_SLOT, STEP_NOTE, STEP_REMARK, STEP_MARK, STEP_OTHER };

static bool slot_define(struct raw_cursor *c, struct hb__in *in)
{
	uint64_t number = hb__in_uv(in);
	if (in->bad || number > c->log->size || number >= HB_NO)
		return false;
	if (number >= c->slots) {
		size_t old = c->slots;
		if (!HB_GROW(c->slot, c->slots, number + 1))
			return false;
		memset(c->slot + old, 0, (c->slots - old) * sizeof *c->slot);
	}
	c->slot[number].era = ++c->era ? c->era : ++c->era;
	return hb__slotdef_read(in, &c->slot[number]) && in->p == in->end;
}

/* An argument of a slot has another value from here on: the slot is another one for whoever remembers it by its era. */
static enum step argument(struct raw_cursor *c, struct hb__in *in)
{
	uint64_t number = hb__in_uv(in), i = hb__in_uv(in);
	int64_t value = hb__in_sv(in);
	if (in->bad || number >= c->slots || !c->slot[number].defined || i >= c->slot[number].nargs)
		return STEP_BAD;
	c->slot[number].arg[i] = value;
	c->slot[number].era = ++c->era ? c->era : ++c->era;
	return STEP_SLOT;
}

static enum step definition(struct raw_cursor *c, struct hb__in *in)
{
	uint8_t kind = hb__in_u8(in);
	uint64_t n = hb__in_uv(in);
	const uint8_t *p = hb__in_bytes(in, n);
	if (!p)
		return STEP_BAD;
	if (c->number != HB_LANE_DEFINITIONS) {
		struct hb__in body = {p, p + n, false};
		return kind == HB_DEF_SLOT && slot_define(c, &body) ? STEP_SLOT : STEP_BAD;
	}
	return hb__define(&c->log->defs, kind, p, n) ? STEP_OTHER : STEP_BAD;
}

/* Reads results after those that are pending; *ret_n: all of them. */
static bool read_results(struct raw_cursor *c, struct hb__in *in, size_t *ret_n)
{
	uint64_t n = hb__in_uv(in);
	if (in->bad || n > (uint64_t)(in->end - in->p) || n + c->pending > RESULTS_MAX)
		return false;
	if (n && !HB_GROW(c->results, c->results_cap, c->pending + n - 1 + 1))
		return false;
	for (uint64_t i = 0; i < n; i++)
		c->results[c->pending + i] = hb__in_sv(in);
	*ret_n = c->pending + n;
	return !in->bad;
}

static enum step event(struct raw_cursor *c, struct hb__in *in, uint64_t w, hb_row *row)
{
	uint64_t number = w >> 1;
	if (number >= c->slots || !c->slot[number].defined)
		return STEP_BAD;
	*row = (hb_row){.number = c->event + 1,
		.lane = c->number,
		.polls = c->polls,
		.skipped = c->skipped,
		.result = c->result};
	hb__slotdef_row(&c->slot[number], (uint32_t)number, row);
	uint64_t tick = c->tick;
	if (c->timed) {
		row->enter = tick + hb__in_uv(in);
		row->exit = tick = row->enter + hb__in_uv(in);
	}
	if (row->has_digest) {
		const uint8_t *p = hb__in_bytes(in, 2);
		if (p)
			row->digest = (uint16_t)(p[0] | p[1] << 8);
	}
	size_t n = c->pending;
	if ((w & 1 && !read_results(c, in, &n)) || in->bad)
		return STEP_BAD;
	row->nresults = (uint32_t)n;
	row->results = c->results;
	c->pending = 0;
	c->event++;
	c->tick = tick;
	c->polls = 0;
	c->skipped = 0;
	c->result = 0;
	c->has_result = false;
	return STEP_EVENT;
}

/* A mark: its numbers go into *row, for the scan alone. */
static enum step mark(struct hb__in *in, hb_row *row)
{
	uint64_t lane = hb__in_uv(in);
	*row = (hb_row){.lane = (uint32_t)lane, .number = hb__in_uv(in)};
	uint64_t rank = hb__in_uv(in);
	row->function = rank <= INT32_MAX ? (uint32_t)rank : HB_NO;
	row->enter = hb__in_uv(in);
	return lane < HB_LANE_DEFINITIONS ? STEP_MARK : STEP_BAD;
}

/* Reads the record at c->p, which moves past it when it is good. */
static enum step step(struct raw_cursor *c, hb_row *row)
{
	struct hb__in in = {c->p, c->end, false};
	enum step what = STEP_OTHER;
	uint64_t v = hb__in_uv(&in), n;
	const uint8_t *text;
	if (in.bad)
		return STEP_BAD;
	if (v >= HB_ROW_EVENT) {
		what = event(c, &in, v - HB_ROW_EVENT, row);
	} else if (v == HB_ROW_DEF) {
		what = definition(c, &in);
	} else if (v == HB_ROW_ARGUMENT) {
		what = argument(c, &in);
	} else if (v == HB_ROW_POLLS) {
		n = hb__in_uv(&in);
		c->polls += in.bad ? 0 : n;
	} else if (v == HB_ROW_SKIPPED && c->racing) {
		n = hb__in_uv(&in);
		c->skipped += in.bad ? 0 : n;
	} else if (v == HB_ROW_MARK && c->racing) {
		what = mark(&in, row);
	} else if (v == HB_ROW_RESULT) {
		int64_t r = hb__in_sv(&in);
		if (!in.bad) {
			c->result = r;
			c->has_result = true;
		}
	} else if (v == HB_ROW_RESULTS) {
		size_t all;
		if (!read_results(c, &in, &all))
			return STEP_BAD;
		c->pending = all;
	} else if (v == HB_ROW_NOTE) {
		n = hb__in_uv(&in);
		text = hb__in_bytes(&in, n);
		*row = (hb_row){0};
		row->results = (const int64_t *)text; /* for the scan alone */
		row->nresults = text ? (uint32_t)n : 0;
		what = STEP_NOTE;
	} else if (v == HB_ROW_REMARK && c->log->info.version >= 2) {
		*row = (hb_row){.number = hb__in_uv(&in)}; /* for the scan alone, as above */
		n = hb__in_uv(&in);
		text = hb__in_bytes(&in, n);
		row->results = (const int64_t *)text;
		row->nresults = text ? (uint32_t)n : 0;
		what = STEP_REMARK;
	} else {
		return STEP_BAD;
	}
	if (in.bad)
		return STEP_BAD;
	if (what != STEP_BAD)
		c->p = in.p;
	return what;
}

/* Begins unit number c->unit; false: there is none. */
static bool enter_unit(struct raw_cursor *c)
{
	if (c->unit >= c->lane->units)
		return false;
	const struct hb__unit *u = &c->lane->unit[c->unit];
	c->p = c->log->map + u->offset;
	c->end = c->p + u->bytes;
	c->tick = u->base_tick;
	return true;
}

/* ---- the scan ---- */

static bool scan_note(hb_log *log, struct raw_cursor *c, const hb_row *row)
{
	bool process = c->number == HB_LANE_DEFINITIONS;
	return hb__note_add(log, process ? HB_NO : c->number, process ? 0 : c->event + 1, (const uint8_t *)row->results,
		row->nresults);
}

static bool scan_remark(hb_log *log, struct raw_cursor *c, const hb_row *row)
{
	bool process = c->number == HB_LANE_DEFINITIONS;
	return hb__remark_add(log, process ? HB_NO : c->number, process ? 0 : c->event + 1, row->number,
		(const uint8_t *)row->results, row->nresults);
}

static bool scan_mark(hb_log *log, const hb_row *row)
{
	if (!HB_GROW(log->mark, log->marks_cap, log->marks + 1))
		return false;
	log->mark[log->marks++] =
		(hb_mark){.event = row->number, .sent = row->enter, .lane = row->lane, .rank = row->function};
	return true;
}

/* Reads the records of one unit. False: they end early, *ret_memory when for want of memory. */
static bool scan_unit(hb_log *log, struct raw_cursor *c, struct hb__lane_rows *lane, bool *ret_memory)
{
	struct hb__unit *u = &lane->unit[c->unit];
	hb_row row;
	u->events_before = c->event;
	u->polls_before = c->polls;
	u->skipped_before = c->skipped;
	u->result_before = c->result;
	u->pending_result = c->has_result;
	u->defs_before = lane->defs;
	u->continues = c->pending > 0;
	enter_unit(c);
	while (c->p < c->end) {
		const uint8_t *at = c->p;
		enum step what = step(c, &row);
		if (what == STEP_BAD) {
			u->bytes = (uint32_t)(at - log->map - u->offset);
			hb__trouble(
				log, u->offset + u->bytes, "the records of lane %u end in a damaged one", c->number);
			return false;
		}
		if (what == STEP_SLOT) {
			if (!HB_GROW(lane->def, lane->defs_cap, lane->defs + 1))
				return *ret_memory = true, false;
			lane->def[lane->defs++] = (uint64_t)(at - log->map);
		} else if ((what == STEP_NOTE && !scan_note(log, c, &row)) ||
			   (what == STEP_REMARK && !scan_remark(log, c, &row)) ||
			   (what == STEP_MARK && !scan_mark(log, &row))) {
			return *ret_memory = true, false;
		}
	}
	return true;
}

static bool unit_whole(hb_log *log, const struct hb__unit *u, uint32_t number)
{
	struct hb_unit_header h;
	memcpy(&h, log->map + u->offset - HB_UNIT_PAYLOAD, sizeof h);
	bool whole = hb__sum_unit(&h, log->map + u->offset, u->bytes);
	if (!whole)
		hb__trouble(log, u->offset, "a unit of lane %u does not match its checksum", number);
	return whole;
}

static void cursor_free(struct raw_cursor *c)
{
	for (size_t i = 0; i < c->slots; i++)
		free(c->slot[i].arg);
	free(c->slot);
	free(c->results);
}

/* Scans a lane; what follows its first damage is dropped. Returns false when memory is gone. */
static bool scan_lane(hb_log *log, struct hb__lane_rows *lane, uint32_t number)
{
	struct raw_cursor c = {.log = log,
		.lane = lane,
		.number = number,
		.timed = log->info.level == HB_LEVEL_EVENTS,
		.racing = log->info.level == HB_LEVEL_RACING && number != HB_LANE_DEFINITIONS};
	bool memory = !hb__base_slots_put(&c.slot, &c.slots, &c.era, lane), early = false;
	uint64_t filed;
	for (c.unit = 0; c.unit < lane->units && !early; c.unit++) {
		struct hb__unit *u = &lane->unit[c.unit];
		memcpy(&filed, log->map + u->offset - HB_UNIT_PAYLOAD + offsetof(struct hb_unit_header, events_before),
			8);
		if (number != HB_LANE_DEFINITIONS && filed != c.event + lane->info.before) {
			hb__trouble(log, u->offset, "a unit of lane %u does not follow the one before", number);
			early = true;
			break;
		}
		if (!unit_whole(log, u, number)) {
			early = true;
			break;
		}
		early = !scan_unit(log, &c, lane, &memory);
	}
	lane->units = c.unit;
	if (early) { /* how the lane went on is not known: neither polls nor a call hold any more */
		lane->info.inside = 0;
		lane->info.polls = 0;
	}
	uint32_t slot = lane->info.inside_slot;
	if (slot >= c.slots || !c.slot[slot].defined) /* inside of a call that is not told */
		lane->info.inside = 0;
	if (!lane->info.inside) {
		lane->info.inside_slot = 0;
		lane->info.inside_enter = 0;
	}
	slot = lane->info.polling_slot;
	hb__waits_keep(lane, c.event, slot < c.slots && c.slot[slot].defined, early);
	lane->info.polls += c.polls;
	lane->info.skipped = c.skipped;
	lane->info.events = c.event;
	cursor_free(&c);
	return !memory;
}

static bool take_all(hb_log *log, struct hb__lane_rows *definitions)
{
	if (!hb__bounds_take(log, definitions))
		return false;
	for (uint32_t l = 0; log->lost_account && l < log->lanes; l++)
		log->lane[l].units = 0;
	hb__bounds_close_gaps(log, definitions, HB_LANE_DEFINITIONS);
	if (!scan_lane(log, definitions, HB_LANE_DEFINITIONS))
		return false;
	for (uint32_t l = 0; l < log->lanes; l++) {
		hb__bounds_close_gaps(log, &log->lane[l], l);
		if (!scan_lane(log, &log->lane[l], l))
			return false;
	}
	return true;
}

static const struct hb__cursor_ops raw_ops;

hb_status hb__raw_open(hb_log *log, hb_error *err)
{
	struct hb_log_header h;
	if (log->size < sizeof h)
		return hb__fail(err, HB_E_DAMAGED, log->path, log->size, "%s ends within its header", log->path);
	memcpy(&h, log->map, sizeof h);
	if (!(log->summed = hb__sum_header(&h)) && h.checksum)
		hb__trouble(log, 0, "the header does not match its checksum");
	if (h.unit_size != HB_UNIT_SIZE)
		return hb__fail(err, HB_E_DAMAGED, log->path, 20, "%s has units of %u bytes", log->path, h.unit_size);
	memcpy(log->info.host, h.host, sizeof h.host);
	memcpy(log->info.version_text, h.version_text, sizeof h.version_text);
	memcpy(log->info.program, h.program, sizeof h.program);
	log->info.lost = h.lost;
	log->ops = &raw_ops;
	if (h.incompatible & HB_LOG_INCOMPAT_RING)
		hb__ring_open(log);
	struct hb__lane_rows definitions = {0};
	bool good = take_all(log, &definitions) && hb__signal_note(log, &h);
	free(definitions.unit);
	free(definitions.def);
	return good ? HB_OK : hb__fail(err, HB_E_MEMORY, log->path, 0, "out of memory");
}

/* ---- cursors ---- */

static void raw_close(hb_cursor *cursor)
{
	cursor_free((struct raw_cursor *)cursor);
	free(cursor);
}

/* Moves into the unit that holds event `from`, with the slots as they are there. */
static bool seek_unit(struct raw_cursor *c, uint64_t from)
{
	const struct hb__lane_rows *lane = c->lane;
	size_t low = 0, high = lane->units;
	while (high - low > 1) {
		size_t middle = (low + high) / 2;
		if (lane->unit[middle].events_before < from)
			low = middle;
		else
			high = middle;
	}
	if (low >= lane->units)
		return true;
	while (low > 0 && lane->unit[low].continues)
		low--;
	const struct hb__unit *u = &lane->unit[low];
	hb_row row;
	for (size_t i = 0; i < u->defs_before; i++) {
		c->p = c->log->map + lane->def[i];
		uint64_t left = c->log->size - lane->def[i];
		c->end =
			c->p + (left < HB_UNIT_SIZE ? left : HB_UNIT_SIZE); /* its unit ends before, but it was whole */
		if (step(c, &row) != STEP_SLOT)
			return false;
	}
	c->unit = low;
	enter_unit(c);
	c->event = u->events_before;
	c->polls = u->polls_before;
	c->skipped = u->skipped_before;
	c->result = u->result_before;
	c->has_result = u->pending_result;
	return true;
}

static int raw_next(hb_cursor *cursor, hb_row *ret_row, hb_error *err)
{
	struct raw_cursor *c = (struct raw_cursor *)cursor;
	for (;;) {
		if (c->p == c->end) {
			if (c->unit >= c->lane->units)
				return 0;
			c->unit++;
			if (!enter_unit(c))
				return 0;
			continue;
		}
		enum step what = step(c, ret_row);
		if (what == STEP_EVENT)
			return 1;
		if (what == STEP_BAD) /* it was good when it was scanned */
			return hb__fail(err, HB_E_MEMORY, c->log->path, (uint64_t)(c->p - c->log->map),
				"out of memory, or the file changed while it was read");
	}
}

static hb_status raw_cursor_open(hb_log *log, uint32_t lane, uint64_t from, hb_cursor **ret_cursor, hb_error *err)
{
	struct raw_cursor *c = calloc(1, sizeof *c);
	if (!c)
		return hb__fail(err, HB_E_MEMORY, log->path, 0, "out of memory");
	c->base.ops = &raw_ops;
	c->log = log;
	c->lane = &log->lane[lane];
	c->number = lane;
	c->timed = log->info.level == HB_LEVEL_EVENTS;
	c->racing = log->info.level == HB_LEVEL_RACING;
	bool good = hb__base_slots_put(&c->slot, &c->slots, &c->era, c->lane) && seek_unit(c, from);
	hb_row row;
	while (good && c->event + 1 < from) {
		int k = raw_next(&c->base, &row, err);
		good = k >= 0;
		if (k <= 0)
			break;
	}
	if (!good) {
		raw_close(&c->base);
		return hb__fail(err, HB_E_MEMORY, log->path, 0, "out of memory");
	}
	*ret_cursor = &c->base;
	return HB_OK;
}

static hb_status raw_slot(hb_cursor *cursor, uint32_t slot, hb_row *ret_row)
{
	struct raw_cursor *c = (struct raw_cursor *)cursor;
	hb_row row;
	/* After the last event only definitions follow, perhaps of this very slot. */
	if (c->event == c->lane->info.events && raw_next(cursor, &row, NULL) < 0)
		return HB_E_MEMORY;
	if (slot >= c->slots || !c->slot[slot].defined)
		return HB_E_ARGUMENT;
	hb__slotdef_row(&c->slot[slot], slot, ret_row);
	return HB_OK;
}

static hb_status raw_stretch(
	const hb_log *log, const struct hb__lane_rows *lane, uint64_t index, hb_stretch *ret, hb_error *err)
{
	if (index >= lane->units)
		return hb__fail(err, HB_E_ARGUMENT, log->path, 0, "the lane has %zu units", lane->units);
	const struct hb__unit *u = &lane->unit[index];
	uint64_t end = index + 1 < lane->units ? u[1].events_before : lane->info.events;
	*ret = (hb_stretch){u->events_before + 1, end - u->events_before, u->base_tick};
	return HB_OK;
}

static const struct hb__cursor_ops raw_ops = {raw_cursor_open, raw_next, raw_slot, raw_close, NULL, raw_stretch};
