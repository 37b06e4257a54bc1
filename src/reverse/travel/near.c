/* To the instruction before: first near, by runs that are interrupted in the middle of what is left - the guard at the target keeps them from
 * going too far - and then by single steps, which are counted. From then on the place is known by this number. */
#include "../inside.h"

enum {
	STEPPED_NS = 10000, /* what is left is stepped through from here on: some ten thousand instructions */
	TRIES = 24,
};

static const hb_order no_order = {0};

static void count_step(hb_reverse *r, const hb_hit *hit)
{
	if (hit->kind == HB_HIT_STEP && r->steps >= 0)
		r->steps++;
}

int hb__from_mark_steps(hb_reverse *r, size_t i, int64_t steps, uint64_t reached)
{
	if (hb__from_mark(r, i))
		return -1;
	hb__ask_for(r, reached);
	/* marks at 16, 64, 256, ... instructions before */
	int64_t next = 16;
	while (next * 4 < steps)
		next *= 4;
	for (int64_t left = steps; left > 0;) {
		if (left == next && next >= 16) {
			if (r->steps > 8) {
				hb__stop_at(r, &r->now, 0);
				hb__mark(r);
				hb__ask_for(r, reached);
			}
			next /= 4;
		}
		hb__pin(r, left > 8);
		hb_hit hit = hb__step(r, r->now.pid);
		if (hit.kind != HB_HIT_STEP && hit.kind != HB_HIT_SIGNAL)
			return -1;
		count_step(r, &hit);
		left -= hit.kind == HB_HIT_STEP;
	}
	hb__stop_at(r, &r->now, 0);
	r->now.reached = reached;
	hb__pin(r, false);
	return 0;
}

/* How long it is from marks[base] to the target, and how often its instruction is met before. */
static hb_met measure(hb_reverse *r, const hb_copy *target, uint64_t *ret_ns, uint64_t *ret_misses)
{
	hb_seek s = {.misses = true};
	*ret_misses = 0;
	if (hb__from_mark(r, r->base))
		return HB_MET_NEVER;
	uint64_t began = hb__processor_time(r->now.pid);
	hb__seek_begin(r, &s, target);
	hb_met how;
	for (;;) {
		hb__pin(r, *ret_misses > 4);
		how = hb__seek_on(r, &s, &no_order);
		if (how != HB_MET_MISS)
			break;
		++*ret_misses;
	}
	*ret_ns = hb__processor_time(r->now.pid) - began;
	hb__seek_end(r, &s);
	hb__pin(r, false);
	return how;
}

/* A mark at the last miss before the target. */
static hb_met mark_last_miss(hb_reverse *r, const hb_copy *target, uint64_t misses)
{
	hb_seek s = {.misses = true};
	if (hb__from_mark(r, r->base))
		return HB_MET_NEVER;
	hb__seek_begin(r, &s, target);
	hb_met how = HB_MET_MISS;
	for (uint64_t i = 0; i < misses && how == HB_MET_MISS; i++) {
		hb__pin(r, misses > 4);
		how = hb__seek_on(r, &s, &no_order);
	}
	hb__seek_end(r, &s);
	r->steps = -1;
	if (how == HB_MET_MISS)
		hb__mark(r);
	return how;
}

/* To the end of an instruction that repeats itself, or to the target. */
static hb_met finish_repeated(hb_reverse *r, hb_seek *s)
{
	struct user_regs_struct regs;
	unsigned length = hb__repeats(r);
	if (!length || hb__registers(r->now.pid, &regs))
		return HB_MET_SLICE;
	hb__point(r, HB_POINT_CODE, regs.rip + length, 1, HB_FOR_REST, true);
	hb_met how = hb__seek_on(r, s, &no_order);
	hb__forget(r, hb__point(r, HB_POINT_CODE, regs.rip + length, 1, HB_FOR_REST, false), HB_FOR_REST);
	return how;
}

/* A mark after a part of the time that is left. *left is made less where it was one; else the target came first. */
static hb_met mark_part(hb_reverse *r, const hb_copy *target, uint64_t *left, double part)
{
	hb_seek s = {0};
	if (hb__from_mark(r, r->base))
		return HB_MET_NEVER;
	uint64_t began = hb__processor_time(r->now.pid);
	hb_order order = {.slice = (uint64_t)((double)*left * part) + 1, .fine = true};
	hb__seek_begin(r, &s, target);
	hb__pin(r, true);
	hb_met how = hb__seek_on(r, &s, &order);
	hb__pin(r, false);
	if (how == HB_MET_SLICE)
		how = finish_repeated(r, &s);
	hb__seek_end(r, &s);
	uint64_t ran = hb__processor_time(r->now.pid) - began;
	if (how == HB_MET)
		*left = ran;
	if (how == HB_MET_SLICE) {
		r->steps = -1;
		if (!hb__mark(r))
			return HB_MET;
		*left -= ran < *left ? ran : *left;
	}
	return how;
}

/* A mark where the event before the target's is over. */
static hb_met mark_event(hb_reverse *r, const hb_copy *target)
{
	uint64_t event = hb__event(r, target);
	hb_seek s = {.halt = event - 1};
	if (!r->clock || event < 2 || r->marks[r->base].event + 1 >= event)
		return HB_MET;
	if (hb__from_mark(r, r->base))
		return HB_MET_NEVER;
	hb__seek_begin(r, &s, target);
	hb_met how = hb__seek_on(r, &s, &no_order);
	hb__seek_end(r, &s);
	r->steps = -1;
	if (how == HB_MET_SLICE)
		hb__mark(r);
	return how == HB_MET_SLICE ? HB_MET : how;
}

static hb_met come_near(hb_reverse *r, const hb_copy *target)
{
	uint64_t left, misses;
	double part = 0.7;
	hb_met how = mark_event(r, target);
	if (how == HB_MET)
		how = measure(r, target, &left, &misses);
	if (how == HB_MET && misses) {
		how = mark_last_miss(r, target, misses);
		if (how == HB_MET_MISS)
			how = measure(r, target, &left, &misses);
	}
	for (int i = 0; how == HB_MET && i < TRIES && left > STEPPED_NS && part > 0.02; i++) {
		how = mark_part(r, target, &left, part);
		if (how == HB_MET)
			part *= 0.6;
		else if (how == HB_MET_SLICE)
			how = HB_MET;
	}
	return how;
}

/* Steps from marks[base] to the target. Their number, -1: *ret_how. */
static int64_t count_steps(hb_reverse *r, const hb_copy *target, hb_met *ret_how)
{
	struct user_regs_struct there, regs;
	*ret_how = HB_MET_NEVER;
	uint64_t event = hb__event(r, target);
	if (hb__registers(target->pid, &there) || hb__from_mark(r, r->base))
		return -1;
	hb__ask_for(r, target->reached);
	for (int64_t n = 0;;) {
		if (hb__registers(r->now.pid, &regs))
			return -1;
		if (hb__same_registers(target, &regs, &there) && hb__same(r, &r->now, target))
			return n;
		if (r->now.calls > target->calls || (n % 256 == 0 && hb__event(r, &r->now) > event))
			return -1;
		if (n % 1024 == 0 && r->setup.cancel && r->setup.cancel(r->setup.user)) {
			*ret_how = HB_MET_CANCEL;
			return -1;
		}
		hb__pin(r, true);
		hb_hit hit = hb__step(r, r->now.pid);
		n += hit.kind == HB_HIT_STEP;
		/* before the signal that ends it, or its last call, it is where the target is, or nowhere any more */
		if (hit.kind == HB_HIT_END)
			return target->ends != HB_ENDS_NOT ? n : -1;
		if (hit.kind != HB_HIT_STEP && hit.kind != HB_HIT_SIGNAL)
			return -1;
	}
}

int hb__step_back_from(hb_reverse *r, size_t i, const hb_copy *target, hb_met *ret_how)
{
	/* the marks may move when some are made or dropped; the target stays where it is */
	const hb_copy fixed = *target;
	r->base = i;
	*ret_how = come_near(r, &fixed);
	if (*ret_how != HB_MET)
		return -1;
	int64_t n = count_steps(r, &fixed, ret_how);
	hb__pin(r, false);
	if (n < 1)
		return -1;
	return hb__from_mark_steps(r, r->base, n - 1, fixed.reached);
}
