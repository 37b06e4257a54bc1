/* The recorder's side of the trace of a process, for libhbdb-accesses.so. */
#include "capture/accesses/door.h"
#include "capture/core/layer.h"
#include "capture/core/memory/memory.h"
#include "capture/core/record/record.h"

static const struct hb_accesses_front *front;

static bool records(void) { return hb__config.mode == HB__RECORD; }

static bool replays(void) { return hb__config.mode == HB__REPLAY && !hb__config.order; }

static void named(const char *log, int rank, int size)
{
	if (records())
		front->named(log, rank, size);
}

static void over(void) { front->over(); }

static void opened(const struct hb_accesses_front *its)
{
	static struct hb__tracing tracing = {.named = named, .over = over};
	front = its;
	tracing.received = its->received;
	tracing.spread = its->spread;
	tracing.halo = its->halo;
	tracing.says = its->says;
	tracing.said = its->said;
	hb__tracing = &tracing;
}

static uint64_t events(void)
{
	const struct hb__lane *lane = hb__self ? hb__self : hb__early_lane();
	return lane ? lane->control->events : 0;
}

static void event(int kind, const char *name, unsigned n, const struct hb_value *value, const void *pc, const void *cfa)
{
	if (likely(hb__event_made != NULL))
		hb__event_made(kind, name, n, value, pc, cfa);
}

static bool readable(const void *p, size_t bytes) { return hb__readable(p, bytes); }

static uint8_t aside(void)
{
	uint8_t before = hb__apart;
	hb__apart |= HB__APART_OURS;
	return before;
}

static void back(uint8_t before) { hb__apart = before; }

HB__EXPORT const struct hb_accesses_door hb_accesses_door_1 = {.opened = opened,
	.records = records,
	.replays = replays,
	.alone = hb__began_alone,
	.events = events,
	.event = event,
	.hash = hb__hash,
	.readable = readable,
	.aside = aside,
	.back = back,
	.pages = hb__pages,
	.say = hb__say};
