/* Now runs until something happens. All its threads run, and all stand when one of them has stopped. */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../inside.h"

/* In eflags: the instruction is done without a look at the processor's points. */
#define RESUME_FLAG 0x10000ul

void hb__pin(hb_reverse *r, bool on)
{
	if (on == r->pinned || (on && HB_MULTITHREADED(r)))
		return;
	r->pinned = on;
	if (!on) {
		sched_setaffinity(0, sizeof r->ours, &r->ours);
		sched_setaffinity(r->pinned_pid, sizeof r->its, &r->its);
		return;
	}
	cpu_set_t one;
	CPU_ZERO(&one);
	CPU_SET((unsigned)(r->now.entered ? sched_getcpu() : r->loading), &one);
	r->pinned_pid = r->now.pid;
	r->pinned = !sched_getaffinity(0, sizeof r->ours, &r->ours) &&
		    !sched_getaffinity(r->pinned_pid, sizeof r->its, &r->its) &&
		    !sched_setaffinity(0, sizeof one, &one);
	if (r->pinned)
		sched_setaffinity(r->pinned_pid, sizeof one, &one);
}

bool hb__comes_to_entry(const hb_reverse *r)
{
	struct user_regs_struct regs;
	return !r->now.entered && r->entry && !hb__registers(r->now.pid, &regs) && regs.rip == r->entry;
}

void hb__at_entry(hb_reverse *r)
{
	hb__lift_all(r);
	hb__pin(r, false);
	hb_point *p = hb__point(r, HB_POINT_CODE, r->entry, 1, HB_FOR_ENTRY, false);
	if (p)
		hb__forget(r, p, HB_FOR_ENTRY);
	r->now.entered = true;
	if (!r->setup.clocks)
		hb__trap_time(r, &r->now, false);
	sched_setaffinity(r->now.pid, sizeof r->mask, &r->mask);
	if (!r->clock)
		hb__find_clock(r);
}

static hb_thread *thread_of(hb_reverse *r, pid_t tid)
{
	for (size_t i = 0; i < r->nthreads; i++)
		if (r->threads[i].tid == tid)
			return &r->threads[i];
	return NULL;
}

static void remove_thread(hb_reverse *r, hb_thread *t)
{
	memmove(t, t + 1, (size_t)(r->threads + r->nthreads - t - 1) * sizeof *t);
	r->nthreads--;
}

/* The first stop of a process or thread that was made: it may have been met before that its maker told of it. */
static bool first_stop(hb_reverse *r, pid_t child)
{
	for (size_t i = 0; i < r->nearly; i++)
		if (r->early[i] == child) {
			r->early[i] = r->early[--r->nearly];
			return true;
		}
	return hb__wait_for(child) >= 0;
}

/* A process or thread that `tid` has made, stopped. */
static void born(hb_reverse *r, pid_t tid, int event)
{
	unsigned long child = 0;
	if (ptrace(PTRACE_GETEVENTMSG, tid, 0, &child) || !first_stop(r, (pid_t)child))
		return;
	if (event == PTRACE_EVENT_CLONE && thread_of(r, tid) && r->nthreads < HB_THREADS_MAX) {
		/* a thread of a process has no places of the processor for code: all points anew */
		hb__lift_all(r);
		r->threads[r->nthreads++] = (hb_thread){.tid = (pid_t)child};
		return;
	}
	if (event != PTRACE_EVENT_VFORK) {
		hb__cleanse(r, (pid_t)child);
	} else {
		hb__lift_all(r);
		r->sharing = true;
	}
	if (r->nothers < HB_OTHERS_MAX)
		r->others[r->nothers++] = (pid_t)child;
	ptrace(PTRACE_CONT, child, 0, 0);
}

/* A child of the program goes its own way. */
static void other_stopped(hb_reverse *r, pid_t pid, int status)
{
	int event = status >> 16;
	for (size_t i = 0; i < r->nothers; i++)
		if (r->others[i] == pid && !WIFSTOPPED(status))
			r->others[i] = r->others[--r->nothers];
	if (!WIFSTOPPED(status))
		return;
	if (event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK || event == PTRACE_EVENT_CLONE) {
		unsigned long child = 0;
		ptrace(PTRACE_GETEVENTMSG, pid, 0, &child);
		if (r->nothers < HB_OTHERS_MAX)
			r->others[r->nothers++] = (pid_t)child;
		if (child && first_stop(r, (pid_t)child))
			ptrace(PTRACE_CONT, (pid_t)child, 0, 0);
	}
	int signal = event || WSTOPSIG(status) & 0x80 ? 0 : WSTOPSIG(status);
	ptrace(PTRACE_CONT, pid, 0, signal);
}

static bool is_other(const hb_reverse *r, pid_t pid)
{
	for (size_t i = 0; i < r->nothers; i++)
		if (r->others[i] == pid)
			return true;
	return false;
}

/* A system call that was interrupted is begun again: back to before it, where it can be copied. */
static void settle(pid_t tid)
{
	struct user_regs_struct regs;
	if (hb__registers(tid, &regs))
		return;
	int64_t answer = (int64_t)regs.rax;
	if ((int64_t)regs.orig_rax < 0 || answer > -512 || answer < -516)
		return;
	regs.rip -= 2;
	regs.rax = regs.orig_rax;
	regs.orig_rax = (uint64_t)-1;
	hb__set_registers(tid, &regs);
}

/* Whether something that an instruction of its own brought about is still to be told. */
static bool more_to_tell(pid_t tid)
{
	siginfo_t pending[8];
	struct __ptrace_peeksiginfo_args which = {.nr = 8};
	long n = ptrace(PTRACE_PEEKSIGINFO, tid, &which, pending);
	for (long i = 0; i < n; i++) {
		int s = pending[i].si_signo;
		if (s == SIGTRAP || s == SIGSEGV || s == SIGBUS || s == SIGFPE || s == SIGILL)
			return true;
	}
	return false;
}

/* Told to stop, it may stand where a point is: going on steps over that. */
static bool at_point(hb_reverse *r, pid_t tid)
{
	struct user_regs_struct regs;
	if (hb__registers(tid, &regs))
		return false;
	const hb_point *p = hb__code_at(r, regs.rip);
	/* with the resume flag it has not gone on yet from where it was met before */
	return p && (p->planted || (p->slot >= 0 && !(regs.eflags & RESUME_FLAG)));
}

/* The next stop of this thread. One that waits for its child to give the memory back stops only then, and the child may wait for us. */
static int stop_of(hb_reverse *r, pid_t tid)
{
	while (r->sharing) {
		int status;
		pid_t got = waitpid(tid, &status, __WALL | WNOHANG);
		if (got)
			return got == tid ? status : -1;
		for (size_t i = r->nothers; i--;) {
			pid_t other = r->others[i];
			if (waitpid(other, &status, __WALL | WNOHANG) == other)
				other_stopped(r, other, status);
		}
		nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
	}
	return hb__wait_for(tid);
}

/* All threads stand. A stop of theirs that nobody has looked at is kept. */
static void stop_others(hb_reverse *r)
{
	for (size_t i = 0; i < r->nthreads; i++) {
		hb_thread *t = &r->threads[i];
		if (!t->running)
			continue;
		ptrace(PTRACE_INTERRUPT, t->tid, 0, 0);
		int status = stop_of(r, t->tid);
		t->running = false;
		if (status < 0 || !WIFSTOPPED(status)) {
			remove_thread(r, t);
			i--;
			continue;
		}
		bool told = status >> 16 == PTRACE_EVENT_STOP;
		if (told && more_to_tell(t->tid)) {
			ptrace(PTRACE_CONT, t->tid, 0, 0);
			status = hb__wait_for(t->tid);
			told = status >> 16 == PTRACE_EVENT_STOP;
		}
		t->waiting = !told;
		t->status = status;
		settle(t->tid);
		t->arrived = told && r->planted && at_point(r, t->tid);
	}
}

/* Whether an instruction of ours in memory brought this stop about: a place of the processor at the next instruction leaves the same address. */
static bool by_instruction(pid_t tid)
{
	siginfo_t info;
	return ptrace(PTRACE_GETSIGINFO, tid, 0, &info) || (info.si_code != TRAP_HWBKPT && info.si_code != TRAP_TRACE);
}

/* A stop by SIGTRAP: of a point, or of the program's own. */
static bool trap_hit(hb_reverse *r, hb_thread *t, hb_hit *hit)
{
	struct user_regs_struct regs;
	hb_point *p = hb__watch_hit(r, t->tid);
	if (p) {
		*hit = (hb_hit){.kind = HB_HIT_WATCH, .tid = t->tid, .whose = p->whose, .address = p->at};
		/* the point behind it is still to be met */
		t->arrived = at_point(r, t->tid);
		return true;
	}
	if (hb__registers(t->tid, &regs))
		return false;
	p = hb__code_at(r, regs.rip - 1);
	if (p && p->planted && by_instruction(t->tid)) {
		regs.rip--;
		hb__set_registers(t->tid, &regs);
	} else {
		p = hb__code_at(r, regs.rip);
		if (p && p->slot < 0)
			p = NULL;
	}
	if (!p)
		return false;
	if (p->at == r->reached)
		r->now.reached = hb__event(r, &r->now);
	*hit = (hb_hit){.kind = HB_HIT_POINT, .tid = t->tid, .whose = p->whose};
	return true;
}

/* A signal that was sent to itself carries the number that it takes itself for. */
static void name_sender(const hb_reverse *r, pid_t tid)
{
	siginfo_t info;
	if (!ptrace(PTRACE_GETSIGINFO, tid, 0, &info) && info.si_code <= 0 && info.si_pid == r->now.pid) {
		info.si_pid = r->pid;
		ptrace(PTRACE_SETSIGINFO, tid, 0, &info);
	}
}

static bool signal_hit(hb_reverse *r, hb_thread *t, int signal, hb_hit *hit)
{
	name_sender(r, t->tid);
	*hit = (hb_hit){.kind = HB_HIT_SIGNAL, .tid = t->tid, .signal = signal};
	if (hb__fatal(r->now.pid, signal)) {
		hit->kind = HB_HIT_END;
		r->now.ends = HB_ENDS_BY_SIGNAL;
		r->now.status = signal;
		settle(t->tid);
	} else {
		t->signal = signal;
	}
	return true;
}

/* The program became another one. */
static void executed(hb_reverse *r, hb_thread *t)
{
	hb__resume(t->tid, PTRACE_SYSCALL);
	for (size_t i = 0; i < r->npoints; i++)
		r->points[i].planted = false;
	r->planted = false;
	r->clock = r->reached = 0;
	r->now.entered = false;
	r->entry = hb__auxiliary(t->tid, 9 /* AT_ENTRY */);
	if (r->entry)
		hb__point(r, HB_POINT_CODE, r->entry, 1, HB_FOR_ENTRY, true);
}

/* What a stop of a thread means. True: *hit is to be told. */
static bool look(hb_reverse *r, hb_thread *t, int status, const hb_order *order, hb_hit *hit)
{
	int event = status >> 16, signal = WSTOPSIG(status);
	switch (event) {
	case PTRACE_EVENT_SECCOMP:
		*hit = (hb_hit){.kind = HB_HIT_CALL, .tid = t->tid};
		if (hb__trapped(r, t->tid) == HB_TRAPPED_END) {
			hit->kind = HB_HIT_END;
			return true;
		}
		/* it stands behind the call now, as if it had come there by itself */
		t->arrived = r->planted && at_point(r, t->tid);
		return order->calls && r->now.calls >= order->calls;
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
	case PTRACE_EVENT_CLONE:
		born(r, t->tid, event);
		return false;
	case PTRACE_EVENT_VFORK_DONE:
		r->sharing = false;
		return false;
	case PTRACE_EVENT_EXEC:
		executed(r, t);
		return false;
	case 0:
		break;
	default:
		return false;
	}
	if (signal == (SIGTRAP | 0x80))
		return false;
	if (signal == SIGSEGV && hb__told_time(r, t->tid)) {
		t->arrived = r->planted && at_point(r, t->tid);
		return false;
	}
	return (signal == SIGTRAP && trap_hit(r, t, hit)) || signal_hit(r, t, signal, hit);
}

/* What a thread has met that nobody has looked at yet. */
static bool late(hb_reverse *r, hb_thread *t, const hb_order *order, hb_hit *hit)
{
	if (t->arrived) {
		struct user_regs_struct regs;
		t->arrived = false;
		const hb_point *p = hb__registers(t->tid, &regs) ? NULL : hb__code_at(r, regs.rip);
		if (!p)
			return false;
		*hit = (hb_hit){.kind = HB_HIT_POINT, .tid = t->tid, .whose = p->whose};
		return true;
	}
	if (!t->waiting)
		return false;
	t->waiting = false;
	return look(r, t, t->status, order, hit);
}

/* Over a point in memory that stands where the thread does. True: *hit happened on the way. */
static bool step_over(hb_reverse *r, hb_thread *t, const hb_order *order, hb_hit *hit)
{
	struct user_regs_struct regs;
	if (hb__registers(t->tid, &regs))
		return false;
	hb_point *p = hb__code_at(r, regs.rip);
	if (p && p->slot >= 0) {
		/* the processor's resume flag: not again before the instruction is done */
		regs.eflags |= RESUME_FLAG;
		hb__set_registers(t->tid, &regs);
	}
	if (!p || !p->planted)
		return false;
	uint64_t calls = r->now.calls;
	*hit = hb__step_watching(r, t->tid);
	hb__plant_all(r);
	if (hit->kind == HB_HIT_STEP && r->now.calls > calls && order->calls && r->now.calls >= order->calls)
		hit->kind = HB_HIT_CALL;
	/* who hears of the step first has the point behind it still to meet */
	if (hit->kind == HB_HIT_WATCH || hit->kind == HB_HIT_CALL)
		t->arrived = at_point(r, t->tid);
	return hit->kind != HB_HIT_STEP;
}

/* The thread's signal comes to its handler, and the thread stands at the handler's begin. */
static void enter_handler(hb_reverse *r, hb_thread *t)
{
	int status, signal = t->signal;
	t->signal = 0;
	do {
		if (ptrace(PTRACE_SINGLESTEP, t->tid, 0, signal))
			return;
		signal = 0;
		status = hb__wait_for(t->tid);
	} while (status >= 0 && status >> 16 == PTRACE_EVENT_STOP);
	if (status >= 0 && WIFSTOPPED(status) && !(status >> 16) && WSTOPSIG(status) == SIGTRAP) {
		hb__handler_entered(r, t->tid);
		t->arrived = at_point(r, t->tid);
	} else if (status >= 0 && WIFSTOPPED(status)) {
		t->waiting = true;
		t->status = status;
	}
}

/* All threads run. True: one of them has stopped before, or on its first step; *hit says why. */
static bool go(hb_reverse *r, const hb_order *order, hb_hit *hit)
{
	size_t first = order->others;
	for (size_t i = first; i < r->nthreads; i++) {
		hb_thread *t = &r->threads[i];
		if (late(r, t, order, hit))
			return true;
	}
	hb__plant_all(r);
	for (size_t i = first; i < r->nthreads; i++) {
		hb_thread *t = &r->threads[i];
		if (t->signal && hb__has_handler(r, t->signal))
			enter_handler(r, t);
		if (late(r, t, order, hit))
			return true;
	}
	for (size_t i = first; i < r->nthreads; i++)
		if (step_over(r, &r->threads[i], order, hit))
			return true;
	hb__plant_all(r);
	for (size_t i = first; i < r->nthreads; i++) {
		hb_thread *t = &r->threads[i];
		if (ptrace(PTRACE_CONT, t->tid, 0, t->signal))
			continue;
		t->running = true;
		t->signal = 0;
	}
	return false;
}

/* Stops it, for a slice that is over or somebody who wants it: unless it has stopped by itself. */
static bool interrupt(hb_reverse *r, const hb_order *order, hb_hit_kind kind, hb_hit *hit)
{
	stop_others(r);
	for (size_t i = 0; i < r->nthreads; i++) {
		hb_thread *t = &r->threads[i];
		if (late(r, t, order, hit))
			return true;
	}
	*hit = (hb_hit){.kind = kind, .tid = r->now.pid};
	return true;
}

static bool others_sleep(const hb_reverse *r)
{
	for (size_t i = 1; i < r->nthreads; i++)
		if (!hb__sleeps(r->threads[i].tid))
			return false;
	return true;
}

/* The next stop of any process. 0: none yet. */
static pid_t next_stop(const hb_reverse *r, const hb_order *order, uint64_t until, int *ret_status)
{
	for (int naps = 0;; naps++) {
		pid_t got = waitpid(-1, ret_status, __WALL | (order->fine ? WNOHANG : 0));
		if (got > 0)
			return got;
		if (got < 0 && errno != EINTR)
			return -1;
		uint64_t now = hb__processor_time(r->now.pid);
		if (got < 0 || naps == 20 || now >= until)
			return 0;
		/* awake while it runs we might be in its way */
		uint64_t left = until - now < 1000000 ? until - now : 1000000;
		nanosleep(&(struct timespec){.tv_nsec = (long)left}, NULL);
	}
}

static bool wait_and_look(hb_reverse *r, const hb_order *order, uint64_t until, hb_hit *hit)
{
	int status;
	pid_t got = next_stop(r, order, until, &status);
	if (!got) {
		if (r->setup.cancel && r->setup.cancel(r->setup.user))
			return interrupt(r, order, HB_HIT_CANCEL, hit);
		bool over = hb__processor_time(r->now.pid) >= until || (order->others && others_sleep(r));
		return over && interrupt(r, order, HB_HIT_SLICE, hit);
	}
	hb_thread *t = got > 0 ? thread_of(r, got) : NULL;
	if (!t && got > 0) {
		if (is_other(r, got))
			other_stopped(r, got, status);
		else if (WIFSTOPPED(status) && r->nearly < HB_OTHERS_MAX)
			r->early[r->nearly++] = got;
		return false;
	}
	if (!t || !WIFSTOPPED(status)) {
		if (t)
			remove_thread(r, t);
		if (r->nthreads)
			return false;
		*hit = (hb_hit){.kind = HB_HIT_GONE, .signal = t && WIFSIGNALED(status) ? WTERMSIG(status) : SIGKILL};
		return true;
	}
	t->running = false;
	if (look(r, t, status, order, hit)) {
		stop_others(r);
		return true;
	}
	/* all go on together, with the points in their places */
	stop_others(r);
	return false;
}

hb_hit hb__run_on(hb_reverse *r, const hb_order *order)
{
	hb_hit hit;
	uint64_t until = order->slice ? hb__processor_time(r->now.pid) + order->slice : UINT64_MAX;
	for (;;) {
		bool running = false;
		if ((order->single || order->others) && !HB_MULTITHREADED(r) && interrupt(r, order, HB_HIT_SLICE, &hit))
			return hit;
		for (size_t i = 0; i < r->nthreads; i++)
			running |= r->threads[i].running;
		if (!running && go(r, order, &hit))
			return hit;
		if (wait_and_look(r, order, until, &hit))
			return hit;
	}
}

/* What a single step leaves behind: the flag of the step, where the instruction stored the flags. */
static void clear_trap_flag(hb_reverse *r, pid_t tid, const unsigned char code[2])
{
	struct user_regs_struct regs;
	uint16_t flags;
	if (hb__registers(tid, &regs))
		return;
	if (code[0] == 0x0f && code[1] == 5) {
		regs.r11 &= ~0x100ul;
		hb__set_registers(tid, &regs);
	} else if (hb__read(&r->now, regs.rsp, &flags, sizeof flags) == sizeof flags) {
		flags &= (uint16_t)~0x100u;
		hb__write(&r->now, regs.rsp, &flags, sizeof flags);
	}
}

hb_hit hb__step(hb_reverse *r, pid_t tid)
{
	hb_thread *t = thread_of(r, tid);
	hb_hit hit = {.kind = HB_HIT_STEP, .tid = tid};
	struct user_regs_struct regs;
	unsigned char code[2] = {0};
	if (!t || hb__registers(tid, &regs))
		return (hb_hit){.kind = HB_HIT_GONE, .signal = SIGKILL};
	t->arrived = false;
	if (late(r, t, &(hb_order){0}, &hit))
		return hit;
	hb__read(&r->now, regs.rip, code, 2);
	bool stores = (code[0] == 0x0f && code[1] == 5) || code[0] == 0x9c || (code[0] == 0x66 && code[1] == 0x9c);
	int signal = t->signal;
	bool enters = signal && hb__has_handler(r, signal);
	t->signal = 0;
	for (;;) {
		int status;
		do {
			if (ptrace(PTRACE_SINGLESTEP, tid, 0, signal))
				return (hb_hit){.kind = HB_HIT_GONE, .signal = SIGKILL};
			signal = 0;
			status = hb__wait_for(tid);
		} while (status >= 0 && status >> 16 == PTRACE_EVENT_STOP);
		if (status < 0 || !WIFSTOPPED(status))
			return (hb_hit){.kind = HB_HIT_GONE, .signal = SIGKILL};
		if (status >> 16 == PTRACE_EVENT_SECCOMP) {
			hb_trapped how = hb__trapped(r, tid);
			if (how == HB_TRAPPED_END)
				return (hb_hit){.kind = HB_HIT_END, .tid = tid};
			if (how == HB_TRAPPED_BEFORE)
				continue;
			break;
		}
		int stopped_by = status >> 16 ? 0 : WSTOPSIG(status);
		if (stopped_by == SIGTRAP && enters) {
			/* no instruction was done */
			hb__handler_entered(r, tid);
			return hit;
		}
		if (stopped_by == SIGTRAP || (stopped_by == SIGSEGV && hb__told_time(r, tid)))
			break;
		if (look(r, t, status, &(hb_order){0}, &hit))
			return hit;
	}
	if (stores)
		clear_trap_flag(r, tid, code);
	return hit;
}
