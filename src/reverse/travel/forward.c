/* Forwards, with checkpoints on the way; to an event, to the start, to the end. */
#include <string.h>

#include "base/clock.h"
#include "../inside.h"

static hb_stop stopped(const hb_reverse *r, hb_stop_kind kind, pid_t thread)
{
	return (hb_stop){.kind = kind, .thread = thread == r->now.pid || !thread ? r->pid : thread};
}

void hb__on_course(hb_reverse *r)
{
	if (!r->before.pid)
		return;
	hb_copy back;
	if (hb__running_copy_of(r, &r->before, &back))
		return;
	back.born = r->before.born;
	hb__drop(&r->before);
	hb__become(r, &back, true);
	r->steps = r->before_steps;
	hb__note(r, "What was changed in the process is undone: it is where it was when that began.");
}

static hb_stop ended(const hb_reverse *r)
{
	hb_stop stop = stopped(r, HB_STOP_END, 0);
	if (r->now.ends == HB_ENDS_BY_SIGNAL)
		stop.signal = r->now.status;
	else
		stop.status = r->now.status;
	stop.cut = r->now.ends == HB_ENDS_WITH_RECORD;
	return stop;
}

/* Its end is kept, to be gone to, the first time it comes there. */
static void keep_end(hb_reverse *r)
{
	hb__rebase(r);
	if (r->marks[r->nmarks - 1].copy.ends == HB_ENDS_NOT)
		hb__mark(r);
	else if (!r->before.pid && !HB_MULTITHREADED(r)) {
		r->base = r->nmarks - 1;
		r->steps = 0;
	}
}

/* The first time it is there, that is a checkpoint for good: nobody searches across it. */
static void at_entry(hb_reverse *r)
{
	hb__at_entry(r);
	for (size_t i = 1; i < r->nmarks; i++)
		if (r->marks[i].copy.entered) {
			r->base = i;
			r->steps = 0;
			return;
		}
	if (hb__mark(r))
		r->marks[r->base].keep = true;
}

/* A thread that a library made, and that is gone by now, is nobody's business. */
static void tell_threads(hb_reverse *r)
{
	if (HB_MULTITHREADED(r) && !r->told_threads) {
		hb__note(r,
			"The process has threads of its own now, so that it cannot be copied: it goes back by running again "
			"from a checkpoint before its first thread, or from its start.");
		r->told_threads = true;
	}
}

/* An instruction that gets such a signal gets it again. To be copied now is stopped in the middle of getting it, and what is told with the
 * signal is lost: so it is a new copy that goes on, and comes to it again. True: it is there. A program that lives on them has too many of them. */
static bool mark_fault(hb_reverse *r, const hb_hit *hit)
{
	enum { FAULTS_MOST = 16 };
	size_t faults = 0;
	static const int all[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
	bool of_instruction = false;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		of_instruction |= hit->signal == all[i];
	for (size_t i = 0; i < r->nmarks; i++)
		faults += r->marks[i].fault != 0;
	bool there = r->marks[r->base].fault == hit->signal && hb__same(r, &r->now, &r->marks[r->base].copy);
	if (!of_instruction || there || faults >= FAULTS_MOST || hit->tid != r->now.pid)
		return false;
	int signal = r->threads[0].signal;
	uint64_t asked = hb__asked(r, &r->now);
	r->threads[0].signal = 0;
	bool marked = hb__mark(r) && r->base > r->floor;
	if (marked)
		r->marks[r->base].fault = hit->signal;
	bool again = marked && !hb__from_mark(r, r->base);
	if (again)
		hb__stop_at(r, &r->now, asked);
	else
		r->threads[0].signal = signal;
	return again;
}

/* Runs until something is told to whoever uses it; makes checkpoints. */
static hb_hit run(hb_reverse *r, int wanted)
{
	for (;;) {
		/* checkpoints again as soon as there can be: what threads have done is not the same each time */
		hb_order order = {.slice = HB_MULTITHREADED(r) ? 0 : hb__slice(r), .single = HB_MULTITHREADED(r)};
		hb_hit hit = hb__run_on(r, &order);
		r->steps = -1;
		if (hit.kind == HB_HIT_POINT && hit.whose & HB_FOR_ENTRY)
			at_entry(r);
		if (hit.kind == HB_HIT_SLICE) {
			hb__lift_all(r);
			hb__rebase(r);
			/* what has been there before has its checkpoints */
			if (hb__when(r) - r->marks[r->base].when >= hb__slice(r))
				hb__mark(r);
			continue;
		}
		if (hit.kind == HB_HIT_POINT && !(hit.whose & wanted))
			continue;
		hb__lift_all(r);
		tell_threads(r);
		if (hit.kind == HB_HIT_END)
			keep_end(r);
		else if (hit.kind != HB_HIT_GONE)
			hb__rebase(r);
		if (hit.kind != HB_HIT_SIGNAL || !mark_fault(r, &hit))
			return hit;
	}
}

static hb_stop told(const hb_reverse *r, const hb_hit *hit)
{
	static const hb_stop_kind kinds[] = {[HB_HIT_POINT] = HB_STOP_BREAK,
		[HB_HIT_WATCH] = HB_STOP_WATCH,
		[HB_HIT_SIGNAL] = HB_STOP_SIGNAL,
		[HB_HIT_CANCEL] = HB_STOP_CANCEL,
		[HB_HIT_GONE] = HB_STOP_GONE,
		[HB_HIT_STEP] = HB_STOP_STEP};
	if (hit->kind == HB_HIT_END)
		return ended(r);
	hb_stop stop = stopped(r, kinds[hit->kind], hit->tid);
	stop.signal = hit->signal;
	stop.address = hit->address;
	return stop;
}

hb_stop hb_reverse_continue(hb_reverse *r, int signal)
{
	if (r->now.ends != HB_ENDS_NOT)
		return ended(r);
	r->threads[0].signal = signal;
	hb__goes_on(r);
	hb_hit hit = run(r, HB_FOR_USER);
	return told(r, &hit);
}

hb_stop hb_reverse_step(hb_reverse *r, pid_t thread, int signal, uint64_t low, uint64_t high)
{
	struct user_regs_struct regs;
	pid_t tid = thread == r->pid || !thread ? r->now.pid : thread;
	if (r->now.ends != HB_ENDS_NOT)
		return ended(r);
	for (size_t i = 0; i < r->nthreads; i++)
		if (r->threads[i].tid == tid)
			r->threads[i].signal = signal;
	uint64_t n = 0;
	for (;;) {
		hb__goes_on(r);
		hb__pin(r, n > 8);
		hb_hit hit = hb__step_watching(r, tid);
		n++;
		/* what is watched is told of behind the access */
		if ((hit.kind == HB_HIT_STEP || hit.kind == HB_HIT_WATCH) && r->steps >= 0)
			r->steps++;
		if (hb__comes_to_entry(r))
			at_entry(r);
		if (hit.kind == HB_HIT_END) {
			r->steps = -1;
			keep_end(r);
		}
		bool again = hit.kind == HB_HIT_STEP && !hb__registers(tid, &regs) && regs.rip >= low &&
			     regs.rip < high && !hb__point(r, HB_POINT_CODE, regs.rip, 1, HB_FOR_USER, false);
		bool cancel = again && n % 256 == 0 && r->setup.cancel && r->setup.cancel(r->setup.user);
		if (again && !cancel)
			continue;
		hb__pin(r, false);
		hb__rebase(r);
		return cancel ? stopped(r, HB_STOP_CANCEL, tid) : told(r, &hit);
	}
}

bool hb_reverse_event(hb_reverse *r, uint64_t *ret_event)
{
	*ret_event = hb__event(r, &r->now);
	return r->clock != 0;
}

bool hb_reverse_at_event(hb_reverse *r)
{
	struct user_regs_struct regs;
	return r->reached && !hb__registers(r->now.pid, &regs) && regs.rip == r->reached;
}

hb_stop hb_reverse_to_start(hb_reverse *r)
{
	double began = hb_seconds();
	bool threads = HB_MULTITHREADED(r);
	hb__on_course(r);
	if (hb__from_mark(r, r->floor))
		return stopped(r, HB_STOP_FAILED, 0);
	if (threads)
		hb__note(r, "The process had several threads: it runs again from its start, which took %.3f s.",
			hb_seconds() - began);
	return stopped(r, HB_STOP_BEGIN, 0);
}

/* Forwards with no user to stop for; to the entry where `clock` is still unknown. */
static hb_hit run_to(hb_reverse *r, int whose)
{
	for (;;) {
		hb_hit hit = run(r, whose);
		if (hit.kind != HB_HIT_SIGNAL && hit.kind != HB_HIT_WATCH)
			return hit;
	}
}

static bool know_clock(hb_reverse *r)
{
	if (!r->clock && r->entry && hb__point(r, HB_POINT_CODE, r->entry, 1, HB_FOR_ENTRY, false))
		run_to(r, HB_FOR_ENTRY);
	if (!r->clock)
		hb__note(r, "There are no events to go to: no recorder in the process counts them (hb_alone_clock).");
	return r->clock != 0;
}

/* The last mark before the event. */
static size_t mark_before(const hb_reverse *r, uint64_t event)
{
	size_t found = r->floor;
	for (size_t i = r->floor + 1; i < r->nmarks; i++)
		if (r->marks[i].event < event && r->marks[i].copy.ends == HB_ENDS_NOT)
			found = i;
	return found;
}

hb_stop hb_reverse_to_event(hb_reverse *r, uint64_t event)
{
	double began = hb_seconds();
	hb__on_course(r);
	if (!event)
		return hb_reverse_to_start(r);
	if (!know_clock(r))
		return stopped(r, HB_STOP_FAILED, 0);
	bool threads = HB_MULTITHREADED(r);
	if (r->floor && event <= r->marks[r->floor].event)
		return stopped(r, hb__from_mark(r, r->floor) ? HB_STOP_FAILED : HB_STOP_STEP, 0);
	size_t i = mark_before(r, event);
	/* from where an event was told already, it would be another way than from a checkpoint */
	bool from_here = hb__event(r, &r->now) < event && r->base >= i && r->now.ends == HB_ENDS_NOT && !r->now.reached;
	if (!from_here && hb__from_mark(r, i))
		return stopped(r, HB_STOP_FAILED, 0);
	hb__stop_at(r, &r->now, event);
	hb__point(r, HB_POINT_CODE, r->reached, 1, HB_FOR_EVENT, true);
	hb_hit hit = run_to(r, HB_FOR_EVENT);
	hb__forget(r, hb__point(r, HB_POINT_CODE, r->reached, 1, HB_FOR_EVENT, false), HB_FOR_EVENT);
	if (hit.kind == HB_HIT_GONE)
		return told(r, &hit);
	hb__stop_at(r, &r->now, 0);
	if (hit.kind == HB_HIT_END)
		hb__note(r, "The %s ends after event %llu: there is no event %llu.",
			r->now.ends == HB_ENDS_WITH_RECORD ? "recording of the process" : "process",
			(unsigned long long)hb__event(r, &r->now), (unsigned long long)event);
	if ((threads || HB_MULTITHREADED(r)) && !from_here)
		hb__note(r,
			"The process has several threads: it ran again from the last checkpoint before they began, which took %.3f s.",
			hb_seconds() - began);
	return hit.kind == HB_HIT_POINT ? stopped(r, HB_STOP_STEP, 0) : told(r, &hit);
}

/* A thread that a library made may be about to end, and until it has there is no checkpoint. One that sleeps waits for somebody, one that works
 * on is not about to end: neither is waited for. */
static bool others_end(hb_reverse *r, hb_stop *ret)
{
	const uint64_t works_ns = 100000000;
	if (!HB_MULTITHREADED(r))
		return true;
	hb_hit hit = hb__run_on(r, &(hb_order){.slice = works_ns, .others = true});
	hb__lift_all(r);
	tell_threads(r);
	if (hit.kind == HB_HIT_END || hit.kind == HB_HIT_GONE)
		*ret = told(r, &hit);
	return !HB_MULTITHREADED(r);
}

hb_stop hb_reverse_begin_at(hb_reverse *r, uint64_t event)
{
	/* of those that are still there then */
	r->told_threads = true;
	hb_stop stop = hb_reverse_to_event(r, event);
	r->told_threads = false;
	if (stop.kind == HB_STOP_STEP && !others_end(r, &stop))
		return stop;
	if (stop.kind == HB_STOP_STEP && hb__mark(r)) {
		r->marks[r->base].keep = true;
		r->floor = r->base;
	}
	return stop;
}

/* Where the signal that ends it came first. */
static bool to_fault(hb_reverse *r, hb_stop *ret)
{
	const hb_mark *end = &r->marks[r->nmarks - 1];
	if (ret->kind != HB_STOP_END || !ret->signal || end->copy.ends == HB_ENDS_NOT)
		return false;
	for (size_t i = r->nmarks - 1; i-- > r->floor && r->marks[i].event == end->event;)
		if (r->marks[i].fault == ret->signal) {
			int signal = ret->signal;
			r->caught = true;
			if (hb__from_mark(r, i))
				return false;
			*ret = stopped(r, HB_STOP_SIGNAL, 0);
			ret->signal = signal;
			ret->dies = true;
			return true;
		}
	return false;
}

static hb_stop run_to_end(hb_reverse *r)
{
	hb_hit hit = run_to(r, 0);
	return told(r, &hit);
}

hb_stop hb_reverse_to_end(hb_reverse *r)
{
	hb__on_course(r);
	size_t last = r->nmarks - 1;
	bool known = r->now.ends != HB_ENDS_NOT || r->marks[last].copy.ends != HB_ENDS_NOT;
	/* on from the last place that is known, if that is further */
	if (r->now.ends == HB_ENDS_NOT && last > r->base && hb__from_mark(r, last))
		return stopped(r, HB_STOP_FAILED, 0);
	hb_stop stop = known ? ended(r) : run_to_end(r);
	/* whoever came by there later may have dropped that mark */
	if (!to_fault(r, &stop) && r->caught && stop.kind == HB_STOP_END && last && !hb__from_mark(r, last - 1)) {
		stop = run_to_end(r);
		to_fault(r, &stop);
	}
	return stop;
}
