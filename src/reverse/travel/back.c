/* Backwards. */
#include "../inside.h"

static hb_stop stopped(const hb_reverse *r, hb_stop_kind kind) { return (hb_stop){.kind = kind, .thread = r->pid}; }

static hb_stop at_begin(hb_reverse *r)
{
	if (hb__from_mark(r, r->floor))
		return stopped(r, HB_STOP_FAILED);
	return stopped(r, HB_STOP_BEGIN);
}

static bool may_go_back(hb_reverse *r)
{
	hb__on_course(r);
	if (!HB_MULTITHREADED(r))
		return true;
	hb__note(r,
		"The process has several threads: it cannot go back by an instruction or to a breakpoint, because threads do not do "
		"the same each time. Go to the start, or to an event if a recorder counts them.");
	return false;
}

/* Back to where it was when the search did not succeed. */
static hb_stop given_up(hb_reverse *r, hb_aside *aside, hb_met how)
{
	hb__take_aside(r, aside);
	hb__say_never(r, how);
	return stopped(r, how == HB_MET_CANCEL ? HB_STOP_CANCEL : HB_STOP_FAILED);
}

/* By one instruction from the target, which stands `steps` (-1: unknown) after marks[i]. */
static int step_back(hb_reverse *r, size_t i, int64_t steps, const hb_copy *target, hb_met *ret_how)
{
	*ret_how = HB_MET_NEVER;
	if (steps > 0)
		return hb__from_mark_steps(r, i, steps - 1, target->reached);
	return hb__step_back_from(r, i, target, ret_how);
}

/* Whether the instruction before which it stands accesses what is watched: a copy tries it. */
static bool accesses_watched(hb_reverse *r, uint64_t *ret_address)
{
	hb_aside here;
	hb_copy trial;
	hb_hit hit = {.kind = HB_HIT_STEP};
	if (!hb__watched(r))
		return false;
	hb__put_aside(r, &here);
	if (!hb__running_copy_of(r, &here.copy, &trial)) {
		hb__become(r, &trial, true);
		hit = hb__step_watching(r, r->now.pid);
	}
	hb__become(r, &here.copy, true);
	r->searching = false;
	*ret_address = hit.address;
	return hit.kind == HB_HIT_WATCH;
}

hb_stop hb_reverse_step_back(hb_reverse *r)
{
	hb_aside aside;
	hb_met how;
	if (!may_go_back(r))
		return stopped(r, HB_STOP_FAILED);
	bool at_mark = hb__at_mark(r);
	size_t i = r->base;
	int64_t steps = r->steps;
	if (at_mark) {
		if (i <= r->floor)
			return stopped(r, HB_STOP_BEGIN);
		steps = r->marks[i--].steps;
	}
	hb__put_aside(r, &aside);
	if (step_back(r, i, steps, &aside.copy, &how))
		return given_up(r, &aside, how);
	hb__leave_aside(r, &aside);
	hb_stop stop = stopped(r, HB_STOP_STEP);
	if (accesses_watched(r, &stop.address))
		stop.kind = HB_STOP_WATCH;
	return stop;
}

typedef struct hits {
	uint64_t n;
	bool watch; /* the last one */
	uint64_t address;
} hits;

/* Counts the hits between marks[i] and the target. */
static hb_met count_hits(hb_reverse *r, size_t i, const hb_copy *target, hits *ret)
{
	hb_seek s = {.user = true};
	*ret = (hits){0};
	if (hb__from_mark(r, i))
		return HB_MET_NEVER;
	hb__seek_begin(r, &s, target);
	hb_met how;
	for (;;) {
		hb__pin(r, ret->n > 4);
		how = hb__seek_on(r, &s, &(hb_order){0});
		if (how != HB_MET_POINT && how != HB_MET_WATCH)
			break;
		ret->n++;
		ret->watch = how == HB_MET_WATCH;
	}
	hb__seek_end(r, &s);
	hb__pin(r, false);
	return how;
}

/* To the nth hit after marks[i], with marks at those 1, 4, 16, ... before it: whoever went back to it may go on to them. */
static int to_hit(hb_reverse *r, size_t i, uint64_t reached, hits *h)
{
	uint64_t next = 1;
	while (next * 4 < h->n)
		next *= 4;
	if (hb__from_mark(r, i))
		return -1;
	/* on the way on which they were counted */
	hb__ask_for(r, reached);
	for (uint64_t left = h->n; left > 0;) {
		hb__pin(r, left > 4);
		hb_hit hit = hb__run_on(r, &(hb_order){0});
		bool counts = hit.kind == HB_HIT_WATCH || (hit.kind == HB_HIT_POINT && hit.whose & HB_FOR_USER);
		if (hit.kind != HB_HIT_SIGNAL && hit.kind != HB_HIT_POINT && !counts)
			return -1;
		h->address = hit.address;
		r->steps = -1;
		left -= counts;
		if (counts && left && left == next) {
			hb__mark(r);
			next /= 4;
		}
	}
	hb__lift_all(r);
	hb__stop_at(r, &r->now, 0);
	hb__pin(r, false);
	return 0;
}

/* Now is where the access had just been: back before it. */
static hb_stop before_access(hb_reverse *r, hb_aside *aside, const hits *h)
{
	hb_aside after;
	hb_met how;
	size_t i = r->base;
	hb__put_aside(r, &after);
	if (step_back(r, i, -1, &after.copy, &how)) {
		hb__drop(&after.copy);
		return given_up(r, aside, how);
	}
	hb__drop(&after.copy);
	hb__leave_aside(r, aside);
	hb_stop stop = stopped(r, HB_STOP_WATCH);
	stop.address = h->address;
	return stop;
}

static bool user_point_at(hb_reverse *r, size_t i)
{
	struct user_regs_struct regs;
	return !hb__registers(r->marks[i].copy.pid, &regs) &&
	       hb__point(r, HB_POINT_CODE, regs.rip, 1, HB_FOR_USER, false);
}

/* The last hit between marks[i] and the target. True: *ret_stop; false: there is none. */
static bool last_hit(hb_reverse *r, size_t i, const hb_copy *target, hb_aside *aside, hb_stop *ret_stop)
{
	hits h;
	hb_met how = count_hits(r, i, target, &h);
	if (how != HB_MET || (h.n && to_hit(r, i, target->reached, &h))) {
		*ret_stop = given_up(r, aside, how == HB_MET ? HB_MET_NEVER : how);
		return true;
	}
	if (h.n && h.watch) {
		*ret_stop = before_access(r, aside, &h);
		return true;
	}
	if (!h.n && (!user_point_at(r, i) || hb__from_mark(r, i)))
		return false;
	hb__leave_aside(r, aside);
	*ret_stop = stopped(r, HB_STOP_BREAK);
	return true;
}

hb_stop hb_reverse_continue_back(hb_reverse *r, bool stay)
{
	hb_aside aside;
	hb_stop stop;
	bool any = false;
	if (!may_go_back(r))
		return stopped(r, HB_STOP_FAILED);
	for (size_t i = 0; i < r->npoints; i++)
		any |= (r->points[i].whose & HB_FOR_USER) != 0;
	bool at_mark = hb__at_mark(r);
	size_t i = r->base;
	if (!any || (i <= r->floor && at_mark))
		return stay ? stopped(r, HB_STOP_NONE) : at_begin(r);
	if (at_mark)
		i--;
	hb__put_aside(r, &aside);
	/* the marks stay where they are as long as nothing is hit */
	const hb_copy *target = &aside.copy;
	for (;; target = &r->marks[i--].copy) {
		if (last_hit(r, i, target, &aside, &stop))
			return stop;
		if (i <= r->floor)
			break;
	}
	if (stay) {
		hb__take_aside(r, &aside);
		return stopped(r, HB_STOP_NONE);
	}
	hb__leave_aside(r, &aside);
	return at_begin(r);
}
