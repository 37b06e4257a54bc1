/* The rows of a lane: events, packed as they happen. */
#include <stddef.h>

#include "capture/core/memory/memory.h"
#include "capture/core/record/record.h"

#define PART 1024 /* results in one record */
#define EVENT_MAX (2 * (1 + HB_UV_MAX) + 4 * HB_UV_MAX + 2)

void hb__unit_sum(struct hb_unit_header *unit)
{
	uint32_t bytes = unit->kind != HB_UNIT_LANE ? unit->committed : HB_UNIT_SIZE - HB_UNIT_PAYLOAD;
	unit->checksum = hb__hash((uint8_t *)unit + HB_UNIT_PAYLOAD, bytes, 0);
	struct hb_unit_header h = *unit;
	h.closed = 1;
	uint64_t head = hb__hash(&h, offsetof(struct hb_unit_header, head), 0);
	unit->head = head ? head : 1;
	HB_STORE(unit, closed, 1, __ATOMIC_RELEASE);
}

uint64_t hb__header_sum(const struct hb_log_header *header)
{
	uint64_t sum = hb__hash(header, offsetof(struct hb_log_header, checksum), 0);
	return sum ? sum : 1;
}

/* A thread that is inside a call may still write its row. */
void hb__lanes_sum(bool all)
{
	for (struct hb__lane *lane = hb__lanes; lane; lane = lane->next) {
		if ((!all && lane != hb__self) || lane->control->inside || hb__log_discards())
			continue;
		if (lane->storing && lane->unit)
			hb__unit_sum(lane->unit);
		if (lane->storing)
			hb__unit_sum(&lane->control->unit);
	}
}

/* Definitions stay; what is told of threads goes round in a ring. */
static bool goes_round(const struct hb__lane *lane) { return hb__config.ring && lane->number != HB_LANE_DEFINITIONS; }

static void unit_close(const struct hb__lane *lane, struct hb_unit_header *unit)
{
	hb__unit_sum(unit);
	if (goes_round(lane))
		hb__ring_unit_done(unit);
	else
		hb__log_unit_done(unit);
}

static bool unit_next(struct hb__lane *lane)
{
	struct hb_unit_header *u = lane->unit;
	if (hb__log_discards()) {
		if (!u && !(u = hb__pages(HB_UNIT_SIZE)))
			return lane->storing = false;
	} else {
		if (u)
			unit_close(lane, u);
		u = goes_round(lane) ? hb__ring_unit() : hb__log_unit();
	}
	lane->unit = u;
	if (!u) {
		lane->w = lane->end = lane->full = NULL;
		return lane->storing = false;
	}
	u->kind = HB_UNIT_ROWS;
	u->lane = lane->number;
	u->seq = lane->seq++;
	u->committed = 0;
	u->events_before = lane->control ? lane->control->events : 0;
	u->base_tick = lane->last_tick;
	lane->w = lane->payload = (uint8_t *)u + HB_UNIT_PAYLOAD;
	lane->end = (uint8_t *)u + HB_UNIT_SIZE;
	lane->full = lane->end - HB__ROW_PLAIN;
	HB_STORE(u, magic, HB_UNIT_MAGIC, __ATOMIC_RELEASE);
	return true;
}

bool hb__row_room(struct hb__lane *lane, size_t need)
{
	if (likely((size_t)(lane->end - lane->w) >= need))
		return true;
	if (!lane->storing || need > HB_UNIT_SIZE - HB_UNIT_PAYLOAD)
		return false;
	int state = hb__uncancelled();
	bool got = unit_next(lane);
	hb__cancelled_again(state);
	return got;
}

/* More results than fit beside an event stand before it, in records of their own. */
static void parts(struct hb__lane *lane, const int64_t **results, size_t *n)
{
	while (*n > PART) {
		if (!hb__row_room(lane, 2 * HB_UV_MAX + PART * HB_UV_MAX))
			return;
		uint8_t *w = hb_put_uv(lane->w, HB_ROW_RESULTS);
		w = hb_put_uv(w, PART);
		for (size_t i = 0; i < PART; i++)
			w = hb_put_sv(w, (*results)[i]);
		hb__row_commit(lane, w);
		*results += PART;
		*n -= PART;
	}
}

static uint8_t *modifiers(struct hb__lane *lane, uint8_t *w, int error)
{
	if (lane->control->polls) {
		*w++ = HB_ROW_POLLS;
		w = hb_put_uv(w, lane->control->polls);
	}
	if (unlikely(error)) {
		*w++ = HB_ROW_RESULT;
		w = hb_put_sv(w, error);
	}
	return w;
}

void hb__row_event(struct hb__call *c, uint64_t exit, int error)
{
	struct hb__lane *lane = c->lane;
	const int64_t *results = c->results;
	size_t n = c->nresults;
	if (unlikely(n > PART))
		parts(lane, &results, &n);
	if (unlikely(!hb__row_room(lane, EVENT_MAX + n * HB_UV_MAX))) {
		hb__log_lost();
		return;
	}
	uint8_t *w = lane->w;
	if (unlikely(lane->control->polls | (uint64_t)(error != 0)))
		w = modifiers(lane, w, error);
	w = hb_put_uv(w, HB_ROW_EVENT + ((uint64_t)c->slot->id << 1 | (n > 0)));
	if (!hb__config.order) {
		/* Rows stand in the order of return. Where what the library does inside of a call is recorded, its time says
		 * what was inside; else a call whose callback made calls counts from the last of them. */
		uint64_t enter = likely(c->enter >= lane->last_tick) || hb__config.inside ? c->enter : lane->last_tick;
		exit = likely(exit >= lane->last_tick) ? exit : lane->last_tick;
		exit = likely(exit >= enter) ? exit : enter;
		w = hb_put_uv(w, enter - lane->last_tick);
		w = hb_put_uv(w, exit - enter);
		lane->last_tick = exit;
	}
	if (c->slot->flags & HB_SLOT_CHECK) {
		hb_put16(w, c->check);
		w += 2;
	}
	if (n) {
		w = hb_put_uv(w, n);
		for (size_t i = 0; i < n; i++)
			w = hb_put_sv(w, results[i]);
	}
	hb__row_commit(lane, w);
	lane->control->polls = 0;
	lane->control->events++;
}

void hb__row_unusual(struct hb__lane *lane, const struct hb__slot *slot, uint64_t enter, uint64_t exit, uint16_t check,
	const int64_t *results, size_t n)
{
	struct hb__call c = {.lane = lane,
		.slot = slot,
		.enter = enter,
		.check = check,
		.results = (int64_t *)results,
		.nresults = n};
	hb__row_event(&c, exit, 0);
}
