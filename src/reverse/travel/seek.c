/* From a mark to a place that is known as a process that stands there: by a breakpoint at its instruction, where the whole state is compared.
 * The breakpoint is there only in the right event and between the right system calls, as far as these are counted. */
#include <string.h>

#include "../inside.h"

static uint64_t trapped_before(const hb_seek *s) { return s->target->calls; }

/* Whether the guard is to be in its place. */
static void arm(hb_reverse *r, hb_seek *s)
{
	if (s->armed || s->target->ends != HB_ENDS_NOT)
		return;
	if (r->now.calls < trapped_before(s) || (!s->blind && hb__event(r, &r->now) < s->event))
		return;
	s->armed = true;
	hb__point(r, HB_POINT_CODE, s->regs.rip, 1, HB_FOR_GUARD, true);
}

void hb__ask_for(hb_reverse *r, uint64_t event)
{
	/* between the count and the recorder's look at what is asked there may be a mark */
	if (event < hb__event(r, &r->now))
		return;
	hb__stop_at(r, &r->now, event);
	/* a mark on this way stands behind that telling, or on the way to it: whoever seeks it has to ask for the same */
	r->now.reached = event;
}

/* Whether now stands at the target. *ret_place: at its instruction at least. */
static bool arrived(hb_reverse *r, const hb_seek *s, bool *ret_place)
{
	struct user_regs_struct regs;
	*ret_place = false;
	if (!s->armed || hb__registers(r->now.pid, &regs) || regs.rip != s->regs.rip)
		return false;
	*ret_place = true;
	if (!hb__same_registers(s->target, &regs, &s->regs) || r->now.calls != s->target->calls)
		return false;
	return hb__event(r, &r->now) == s->event && hb__same(r, &r->now, s->target);
}

static hb_point *counter(hb_reverse *r, bool make)
{
	return hb__point(r, HB_POINT_WRITE, hb__counter(r), 8, HB_FOR_EVENT, make);
}

/* The right event first, by watching the counter: to have the recorder tell events on the way would leave something on the unused stack,
 * which a comparison may see. Only what was told on the way to the target is asked for again. */
static void go_by_events(hb_reverse *r, hb_seek *s)
{
	hb_point *p = counter(r, true);
	hb__plant_all(r);
	/* the user watches so much that there is no place left: by its instruction alone then */
	if (p && p->slot < 0) {
		hb__forget(r, p, HB_FOR_EVENT);
		s->blind = true;
		arm(r, s);
	}
}

/* The recorder told an event, or counted one. */
static void event_passed(hb_reverse *r, hb_seek *s)
{
	arm(r, s);
	hb_point *p = counter(r, false);
	if (s->armed && p)
		hb__forget(r, p, HB_FOR_EVENT);
}

void hb__seek_begin(hb_reverse *r, hb_seek *s, const hb_copy *target)
{
	s->target = target;
	s->armed = s->there = s->blind = false;
	s->event = hb__event(r, target);
	if (hb__registers(target->pid, &s->regs))
		memset(&s->regs, 0, sizeof s->regs);
	hb__ask_for(r, target->reached);
	if (r->clock && hb__event(r, &r->now) < s->event)
		go_by_events(r, s);
	else
		arm(r, s);
	bool place;
	s->there = arrived(r, s, &place);
}

void hb__seek_end(hb_reverse *r, hb_seek *s)
{
	hb__lift_all(r);
	hb_point *p = hb__point(r, HB_POINT_CODE, s->regs.rip, 1, HB_FOR_GUARD, false);
	if (p)
		hb__forget(r, p, HB_FOR_GUARD);
	p = r->clock ? counter(r, false) : NULL;
	if (p)
		hb__forget(r, p, HB_FOR_EVENT);
	hb__stop_at(r, &r->now, 0);
	s->armed = false;
}

static bool too_late(const hb_reverse *r, const hb_seek *s)
{
	return r->now.calls > s->target->calls || hb__event(r, &r->now) > s->event;
}

hb_met hb__seek_on(hb_reverse *r, hb_seek *s, const hb_order *wanted)
{
	hb_order order = *wanted;
	bool place;
	if (s->there)
		return HB_MET;
	uint64_t until = order.slice ? hb__processor_time(r->now.pid) + order.slice : 0;
	for (;;) {
		order.calls = trapped_before(s) + s->armed;
		if (until) {
			uint64_t now = hb__processor_time(r->now.pid);
			order.slice = until > now ? until - now : 1;
		}
		hb_hit hit = hb__run_on(r, &order);
		switch (hit.kind) {
		case HB_HIT_WATCH:
			if (hit.whose & HB_FOR_EVENT)
				event_passed(r, s);
			if (s->halt && hb__event(r, &r->now) == s->halt)
				return HB_MET_SLICE;
			s->there = arrived(r, s, &place);
			if (s->user && hit.whose & HB_FOR_USER)
				return HB_MET_WATCH;
			if (s->there)
				return HB_MET;
			break;
		case HB_HIT_POINT:
			if (arrived(r, s, &place))
				return HB_MET;
			if (too_late(r, s))
				return HB_MET_NEVER;
			if (hit.whose & HB_FOR_REST)
				return HB_MET_SLICE;
			if (s->user && hit.whose & HB_FOR_USER)
				return HB_MET_POINT;
			if (s->misses && place)
				return HB_MET_MISS;
			break;
		case HB_HIT_CALL:
		case HB_HIT_SIGNAL:
			arm(r, s);
			if (arrived(r, s, &place))
				return HB_MET;
			if (too_late(r, s))
				return HB_MET_NEVER;
			break;
		case HB_HIT_END:
			return s->target->ends != HB_ENDS_NOT ? HB_MET : HB_MET_NEVER;
		case HB_HIT_SLICE:
			return arrived(r, s, &place) ? HB_MET : HB_MET_SLICE;
		case HB_HIT_CANCEL:
			return HB_MET_CANCEL;
		default:
			return HB_MET_NEVER;
		}
	}
}

void hb__say_never(hb_reverse *r, hb_met how)
{
	if (how == HB_MET_NEVER)
		hb__note(r,
			"The process did not come by the place where it was before: it does not do the same each time it runs, so "
			"that it cannot go back from here. Go to an event, to the start or to the end instead.");
}

void hb__put_aside(hb_reverse *r, hb_aside *a)
{
	hb__pin(r, false);
	hb__lift_all(r);
	*a = (hb_aside){.copy = r->now, .base = r->base, .steps = r->steps, .mark = r->marks[r->base].copy.pid};
	r->now = (hb_copy){.memory = -1};
	r->nthreads = 0;
	r->searching = true;
}

void hb__leave_aside(hb_reverse *r, hb_aside *a)
{
	hb__drop(&a->copy);
	r->searching = false;
}

void hb__take_aside(hb_reverse *r, hb_aside *a)
{
	hb__pin(r, false);
	hb__become(r, &a->copy, true);
	r->searching = false;
	r->base = 0;
	r->steps = -1;
	for (size_t i = 0; i < r->nmarks; i++)
		if (r->marks[i].copy.pid == a->mark) {
			r->base = i;
			r->steps = a->steps;
		}
	/* where its mark is gone, the ones that are surely before it */
	hb__rebase(r);
}
