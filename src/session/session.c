/* A session: opening and closing it, taking in what comes, stops and going on. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/task.h"
#include "session/internal.h"

#define LOOK_S 0.02 /* between two readings of the lane controls */
#define HALT_S 60   /* on a busy machine, for a process to be stopped by gdb */

hb_status hb__session_fail(hb_error *err, hb_status status, const char *format, ...)
{
	va_list args;
	if (!err)
		return status;
	*err = (hb_error){.status = status, .sys = errno};
	va_start(args, format);
	vsnprintf(err->message, sizeof err->message, format, args);
	va_end(args);
	return status;
}

void hb__changed(hb_session *s, struct hb__process *p)
{
	p->p.changes++;
	s->changes++;
}

struct hb__process *hb__process_of(const hb_session *s, int32_t rank)
{
	return rank >= 0 && rank < s->size ? &s->process[rank] : NULL;
}

hb_thread *hb__thread_of(struct hb__process *p, uint32_t lane)
{
	if (lane >= HB__LANES_MOST)
		return NULL;
	if (lane >= p->p.nthreads) {
		hb_thread *more = realloc(p->p.threads, (lane + 1) * sizeof *more);
		if (!more)
			return NULL;
		memset(more + p->p.nthreads, 0, (lane + 1 - p->p.nthreads) * sizeof *more);
		p->p.threads = more;
		p->p.nthreads = lane + 1;
	}
	return &p->p.threads[lane];
}

/* ---- opening and closing ---- */

static char *copy(const char *text) { return text ? strdup(text) : NULL; }

/* A descriptor of an adopted process on another machine is of its place. */
static void stop_watching(struct hb__process *p)
{
	if (p->alive >= 0 && p->adopted && p->place)
		p->place->unwatch(p->place, p->alive);
	else if (p->alive >= 0)
		close(p->alive);
	p->alive = -1;
}

static void forget_processes(hb_session *s)
{
	for (int32_t i = 0; i < s->size; i++) {
		free(s->process[i].p.threads);
		hb_growing_free(&s->process[i].log);
		stop_watching(&s->process[i]);
		hb__forget_process(&s->process[i]);
	}
}

hb_status hb_session_open(const hb_session_options *options, hb_session **ret_session, hb_error *err)
{
	hb_session *s = calloc(1, sizeof *s);
	*ret_session = NULL;
	if (!s)
		return HB_E_MEMORY;
	s->listener = -1;
	s->logs = copy(options->logs);
	s->tcp = copy(options->tcp);
	s->beyond = options->beyond;
	s->nodes = options->nodes;
	s->gdb = copy(options->gdb);
	s->gdbserver = copy(options->gdbserver);
	bool room = (!options->size && !options->nothers) || hb__room_for(s, options->size);
	for (size_t i = 0; room && i < options->nothers; i++)
		room = hb__add_process(s, options->others[i]) != NULL;
	hb_status status = room ? hb__listen(s, err)
				: hb__session_fail(err, HB_E_MEMORY, "no memory for %d ranks and %zu other processes",
					  options->size, options->nothers);
	if (status)
		hb_session_close(s);
	else
		*ret_session = s;
	return status;
}

void hb_session_close(hb_session *s)
{
	if (!s)
		return;
	hb__close_gdbs(s, hb_gdb_close);
	hb__forget_secret(s);
	hb__hang_up(s);
	if (s->listener >= 0 && !s->nodes)
		close(s->listener);
	forget_processes(s);
	free(s->process);
	free(s->connection);
	for (int i = 0; i < 2; i++)
		free(s->environment[i]);
	free(s->logs);
	free(s->tcp);
	free(s->gdb);
	free(s->gdbserver);
	free(s);
}

void hb_session_let_go(hb_session *s)
{
	hb__forget_secret(s);
	hb__close_gdbs(s, hb_gdb_close);
}

static void kill_one(const struct hb__process *p)
{
	if (p->alive >= 0)
		pidfd_send_signal(p->alive, SIGKILL, NULL, 0);
	if (!p->place || p->fd < 0)
		return;
	int life = p->place->watch(p->place, p->p.pid);
	p->place->kill(p->place, p->p.pid, life, SIGKILL);
	p->place->unwatch(p->place, life);
}

void hb_session_kill(hb_session *s)
{
	hb__forget_secret(s);
	for (int32_t i = 0; i < s->size; i++)
		kill_one(&s->process[i]);
	hb__close_gdbs(s, hb_gdb_kill);
}

hb_status hb_session_again(hb_session *s, const char *logs, hb_error *err)
{
	hb__close_gdbs(s, hb_gdb_close);
	hb__hang_up(s);
	forget_processes(s);
	if (logs) {
		free(s->logs);
		s->logs = copy(logs);
	}
	s->changes++;
	return hb__listen(s, err);
}

void hb_session_adopt(hb_session *s, const int32_t *pids, const char *const *hosts)
{
	for (int32_t i = 0; i < s->size; i++) {
		struct hb__process *p = &s->process[i];
		p->adopted = true;
		p->p.pid = pids[i];
		p->p.life = HB_LIFE_RUNNING;
		p->p.here = !hosts || hb_host_is_here(hosts[i]);
		if (hosts)
			snprintf(p->p.host, sizeof p->p.host, "%s", hosts[i]);
		else
			gethostname(p->p.host, sizeof p->p.host - 1);
		p->place = s->nodes && !p->p.here ? s->nodes->place(s->nodes->user, p->p.host) : NULL;
		p->alive = p->place ? p->place->watch(p->place, pids[i]) : p->p.here ? pidfd_open(pids[i], 0) : -1;
		hb__changed(s, p);
	}
}

/* Nobody says goodbye for a process that runs without hbdb. */
static void look_for_ends(hb_session *s)
{
	for (int32_t i = 0; i < s->size; i++) {
		struct hb__process *p = &s->process[i];
		struct pollfd end = {p->alive, POLLIN, 0};
		if (!p->adopted || p->alive < 0 || poll(&end, 1, 0) < 1)
			continue;
		int sig = p->gdb || p->place ? 0 : hb__died_of(p->p.pid);
		stop_watching(p);
		if (p->p.life == HB_LIFE_DEAD)
			continue; /* gdb has said it */
		p->p.lost = p->place && s->nodes->lost(s->nodes->user, p->p.host);
		p->p.life = sig || p->p.lost ? HB_LIFE_DEAD : HB_LIFE_EXITED;
		p->p.signal = sig;
		hb__changed(s, p);
	}
}

char *const *hb_session_environment(const hb_session *s) { return (char *const *)s->environment; }
const hb_proc *hb_session_proc(const hb_session *s, int32_t rank)
{
	struct hb__process *p = hb__process_of(s, rank);
	return p ? &p->p : NULL;
}

/* ---- taking in ---- */

static bool go_process(hb_session *s, struct hb__process *p);

static void take_in(hb_session *s)
{
	hb__accept(s);
	/* from the last one: a connection that ends is replaced by the last */
	for (size_t i = s->nconnections; i-- > 0;)
		hb__hear(s, i);
	for (int32_t i = 0; i < s->size; i++)
		if (s->process[i].go_ahead && s->process[i].p.life == HB_LIFE_HELD)
			go_process(s, &s->process[i]);
	hb__poll_gdbs(s);
	if (hb_seconds() - s->looked >= LOOK_S) {
		s->looked = hb_seconds();
		look_for_ends(s);
		hb__read_lanes(s);
	}
}

static void wait_for_any(hb_session *s, int ms)
{
	size_t n = 0, room = 1 + s->nconnections + s->nhomes + s->nstubs;
	struct pollfd *p = calloc(room, sizeof *p);
	if (!p)
		return;
	p[n++] = (struct pollfd){s->listener, POLLIN, 0};
	for (size_t i = 0; i < s->nconnections; i++)
		p[n++] = (struct pollfd){s->connection[i].fd, POLLIN, 0};
	for (size_t i = 0; i < s->nhomes; i++)
		if (s->homes[i].gdb)
			p[n++] = (struct pollfd){hb_gdb_fd(s->homes[i].gdb), POLLIN, 0};
	n += hb__stub_waits(s, p + n);
	poll(p, n, ms);
	free(p);
}

int hb_session_poll(hb_session *s, int ms)
{
	uint64_t before = s->changes;
	double end = hb_seconds() + ms / 1000.0;
	for (;;) {
		take_in(s);
		double left = end - hb_seconds();
		if (s->changes != before || (ms >= 0 && left <= 0))
			break;
		/* what the lane controls say does not make a descriptor readable */
		wait_for_any(s, ms >= 0 && left < LOOK_S ? (int)(left * 1000) + 1 : (int)(LOOK_S * 1000));
	}
	return (int)(s->changes - before);
}

/* ---- stops by events ---- */

hb_status hb_session_stop_at(hb_session *s, const hb_target *targets, size_t n, hb_error *err)
{
	for (size_t i = 0; i < n; i++) {
		struct hb__process *p = hb__process_of(s, targets[i].rank);
		if (!p)
			return hb__session_fail(err, HB_E_ARGUMENT, "there is no process number %d", targets[i].rank);
		for (uint32_t k = 0; k < p->p.nthreads && !p->named; k++) {
			hb_thread *t = &p->p.threads[k];
			t->asked = t->done = t->sent = false;
			t->ends = 0;
		}
		p->named = true;
	}
	for (size_t i = 0; i < n; i++) {
		hb_thread *t = hb__thread_of(&s->process[targets[i].rank], targets[i].lane);
		if (t && targets[i].free)
			t->ends = targets[i].event;
		if (!t || targets[i].free)
			continue;
		t->asked = true;
		t->done = t->sent = false;
		t->stop = targets[i].event;
		t->stop_inside = targets[i].inside;
		t->stop_next = targets[i].next;
	}
	for (int32_t i = 0; i < s->size; i++) {
		if (!s->process[i].named)
			continue;
		s->process[i].named = false;
		hb__tell_stops(&s->process[i]);
		hb__changed(s, &s->process[i]);
	}
	return HB_OK;
}

void hb_session_hold_back(hb_session *s, int32_t rank, uint32_t lane, hb_hold hold)
{
	struct hb__process *p = hb__process_of(s, rank);
	hb_thread *t = p && lane < p->p.nthreads ? &p->p.threads[lane] : NULL;
	if (!t || t->hold == hold)
		return;
	t->hold = hold;
	hb__changed(s, p);
}

void hb__departed(hb_session *s)
{
	s->departures++;
	for (int32_t i = 0; i < s->size; i++)
		for (uint32_t k = 0; k < s->process[i].p.nthreads; k++)
			s->process[i].p.threads[k].hold = HB_HOLD_NONE;
}

/* Over its last event, and not yet in the call before which it is to stop. */
static bool rests_there(const hb_thread *t)
{
	return t->asked && t->stop_next && !t->inside && t->event >= t->stop + t->stop_inside;
}

/* A thread may have arrived without being held: it blocks in its call, waits for threads that it has started, or is yet to be started. Left to
 * its stop it would be held there later, and who waits for it would wait for ever. It may come there before it hears that it is free: then
 * it is told to go. */
static bool go_on_there(struct hb__process *p, uint32_t lane)
{
	hb_thread *t = &p->p.threads[lane];
	bool there = t->sent && (hb__blocks_there(t) || rests_there(t));
	t->sent = true;
	if (there) {
		t->asked = false;
		hb__tell(p, "free %u", lane);
		hb__tell(p, "go %u", lane);
	}
	return there;
}

/* A held thread that stands where it is to stand stays there for the first `go`. */
static bool go_thread(struct hb__process *p, uint32_t lane)
{
	hb_thread *t = &p->p.threads[lane];
	if (!t->held)
		return go_on_there(p, lane);
	t->sent = true;
	if (t->why == HB_WHY_END || t->why == HB_WHY_DIFFERS)
		return false;
	bool begun = !t->stop_next || t->why != HB_WHY_START; /* it is to start its threads */
	if (t->asked && begun && t->event >= t->stop + t->stop_inside && t->why != HB_WHY_SIGNAL) {
		if (!t->done) {
			t->done = true;
			return false;
		}
		t->asked = false;
		hb__tell(p, "free %u", lane);
	}
	t->held = false;
	hb__tell(p, "go %u", lane);
	return true;
}

static bool go_process(hb_session *s, struct hb__process *p)
{
	bool any = false, held = false;
	p->go_ahead = p->p.life == HB_LIFE_ABSENT;
	if (p->go_ahead)
		return false;
	for (uint32_t k = 0; k < p->p.nthreads; k++) {
		any |= go_thread(p, k);
		held |= p->p.threads[k].held;
	}
	if (p->p.life == HB_LIFE_HELD && !held)
		p->p.life = HB_LIFE_RUNNING;
	/* one that is to stay held goes on under gdb all the same: only then it keeps MPI going */
	if (p->p.life == HB_LIFE_BROKEN)
		any |= hb__go_on(s, p) && !held;
	if (any && p->gdb && !p->p.alone && !hb_gdb_points(p->gdb, p->p.rank))
		hb__leave(s, p);
	if (any) {
		p->moved = hb_seconds();
		for (uint32_t k = 0; k < p->p.nthreads; k++)
			p->p.threads[k].since = p->moved;
		hb__changed(s, p);
	}
	return any;
}

int hb_session_go(hb_session *s, const hb_set *set)
{
	int moved = 0;
	for (int32_t i = hb_set_next(set, 0); i >= 0 && i < s->size; i = hb_set_next(set, i + 1))
		moved += go_process(s, &s->process[i]);
	if (moved)
		hb__departed(s);
	return moved;
}

uint64_t hb_session_departures(const hb_session *s) { return s->departures; }

/* One that gdb cannot reach stops after its next event. */
static void stop_soon(struct hb__process *p)
{
	for (uint32_t k = 0; k < p->p.nthreads; k++) {
		hb_thread *t = &p->p.threads[k];
		t->asked = true;
		t->stop = t->event;
		t->stop_inside = t->stop_next = t->done = t->sent = false;
	}
	hb__tell_stops(p);
}

static bool any_runs(const hb_session *s, const hb_set *set)
{
	for (int32_t i = hb_set_next(set, 0); i >= 0 && i < s->size; i = hb_set_next(set, i + 1))
		if (s->process[i].gdb && s->process[i].p.life == HB_LIFE_RUNNING)
			return true;
	return false;
}

hb_status hb_session_halt(hb_session *s, const hb_set *set, hb_error *err)
{
	hb_set attach, halt;
	hb_session_poll(s, 0);
	hb_set_init(&attach, s->size);
	hb_set_init(&halt, s->size);
	for (int32_t i = hb_set_next(set, 0); i >= 0 && i < s->size; i = hb_set_next(set, i + 1)) {
		struct hb__process *p = &s->process[i];
		if (p->p.life == HB_LIFE_RUNNING && !p->p.here && !p->place)
			stop_soon(p);
		else if (p->p.life == HB_LIFE_RUNNING)
			hb_set_add(p->gdb ? &halt : &attach, i);
	}
	/* all are asked before one is waited for */
	hb_status status = HB_OK;
	for (int32_t i = hb_set_next(&halt, 0); i >= 0; i = hb_set_next(&halt, i + 1)) {
		hb_status failed = hb_gdb_halt(s->process[i].gdb, i, status ? NULL : err);
		status = status ? status : failed;
	}
	if (hb_set_count(&attach)) {
		hb_status failed = hb_session_attach(s, &attach, NULL, status ? NULL : err);
		status = status ? status : failed;
	}
	for (double end = hb_seconds() + HALT_S; any_runs(s, &halt) && hb_seconds() < end;)
		hb_session_poll(s, 20);
	if (!status && any_runs(s, &halt))
		status = hb__session_fail(err, HB_E_SYSTEM, "not all processes stopped within %d s", HALT_S);
	hb_set_free(&attach);
	hb_set_free(&halt);
	return status;
}
