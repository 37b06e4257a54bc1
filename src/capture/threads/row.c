/* An operation as an event. */
#include "capture/core/control/control.h"
#include "capture/threads/actor.h"

struct hb__fn hb__thread_functions[HB_THREAD_FUNCTIONS] = {
#define HB_THREAD_FUNCTION(function, version, kind, whose) [HB_THREAD_##function] = {.name = #function},
#define HB_THREAD_OTHER(function, kind) [HB_THREAD_##function] = {.name = #function},
#include "calls/threads/threads.def"
#undef HB_THREAD_FUNCTION
};
const uint8_t hb__thread_kinds[HB_THREAD_FUNCTIONS] = {
#define HB_THREAD_FUNCTION(function, version, kind, whose) [HB_THREAD_##function] = HB_THREAD_##kind,
#define HB_THREAD_OTHER(function, kind) [HB_THREAD_##function] = HB_THREAD_##kind,
#include "calls/threads/threads.def"
#undef HB_THREAD_FUNCTION
};
enum { SHARED, ALONE };
const bool hb__thread_alone[HB_THREAD_FUNCTIONS] = {
#define HB_THREAD_FUNCTION(function, version, kind, whose) [HB_THREAD_##function] = whose,
#include "calls/threads/threads.def"
#undef HB_THREAD_FUNCTION
};

/* A count needs a name. */
void hb__count_function(struct hb__lane *lane, enum hb_thread_function function, uint64_t n)
{
	const struct hb__fn *fn = &hb__thread_functions[function];
	uint8_t apart = hb__apart;
	hb__apart |= HB__APART_OURS;
	hb__define_function(fn);
	lane->control->calls[fn->id] += n;
	hb__apart = apart;
}

static const struct hb__slot *slot_of(struct hb__call *c)
{
	uint32_t changed;
	bool new;
	struct hb__wanted w = {.pc = hb__site_of(c->pc, c->cfa)};
	w.plain = w.pc == c->pc;
	if (unlikely(hb__config.order)) {
		struct hb__slot *known = hb__slot_of_function(c->lane, c->fn);
		if (known)
			return known;
		hb__wanted_function(&w);
	} else {
		const struct hb__slot *s = hb__slot_guess(c, &changed);
		if (likely(s))
			return s;
	}
	struct hb__slot *s = hb__slot_search(c, &w, &new, &changed);
	if (new)
		hb__slot_define(c->lane, s);
	return s;
}

/* From here to the end what this thread calls is ours. */
void hb__operation_begin(
	struct hb_actor *a, enum hb_thread_function function, struct hb__call *c, struct hb__lane *lane)
{
	*c = (struct hb__call){.fn = &hb__thread_functions[function], .lane = lane, .pc = a->pc};
	a->busy = true;
	hb__apart |= HB__APART_OURS;
	lane->depth++;
	hb__define_function(c->fn);
	/* who records a posting has a lock that others need, and was asked before it took it */
	bool locked = function == HB_THREAD_hb_posting && hb__config.mode == HB__RECORD;
	if (unlikely(hb__controlled) && !locked)
		hb__control_look(lane, true);
	c->slot = slot_of(c);
	c->choice = true;
	c->enter = hb__config.order ? 0 : hb__tick();
}

void hb__operation_row(struct hb__call *c, const int64_t *results, unsigned n)
{
	c->results = (int64_t *)results;
	c->nresults = n;
	hb__row_event(c, hb__config.order ? 0 : hb__tick(), 0);
	hb__control_check(c->lane);
}

void hb__operation_end(struct hb__call *c)
{
	c->lane->depth--;
	hb__apart &= (uint8_t)~HB__APART_OURS;
}
