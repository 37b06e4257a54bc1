/* Which gdb has which process: those of one machine share as few as have room for them. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/grow.h"
#include "session/internal.h"

#define FRAMES 64 /* looked through for the program's own */

void hb__heard(hb_session *s, int32_t id, const hb_gdb_stop *stop)
{
	if (stop->reason == HB_GDB_LOST) {
		for (int32_t i = 0; i < s->size; i++)
			if (s->process[i].gdb && !hb_gdb_has(s->process[i].gdb, i)) {
				s->process[i].gdb = NULL;
				s->process[i].p.attached = false;
				if (s->process[i].p.alone)
					s->process[i].p.life = HB_LIFE_DEAD;
				hb__changed(s, &s->process[i]);
			}
		return;
	}
	struct hb__process *p = hb__process_of(s, id);
	if (!p)
		return;
	bool held = false;
	for (uint32_t i = 0; i < p->p.nthreads; i++)
		held |= p->p.threads[i].held;
	switch (stop->reason) {
	case HB_GDB_RUNNING:
		if (p->p.life == HB_LIFE_BROKEN)
			p->p.life = held ? HB_LIFE_HELD : HB_LIFE_RUNNING;
		break;
	case HB_GDB_EXITED:
	case HB_GDB_KILLED:
		p->gdb = NULL;
		p->p.attached = false;
		if (p->adopted && stop->reason == HB_GDB_EXITED)
			p->p.life = HB_LIFE_EXITED;
		else if (p->p.life != HB_LIFE_EXITED)
			p->p.life = HB_LIFE_DEAD;
		if (stop->reason == HB_GDB_KILLED)
			p->p.signal = stop->signal;
		break;
	default:
		p->p.life = HB_LIFE_BROKEN;
		p->p.broken = *stop;
		p->p.broke = hb_seconds();
		if (p->p.alone)
			hb__see_where(p);
		hb__read_lanes_of(s, p); /* how far it got on the way: nobody may have looked since */
	}
	p->moved = hb_seconds();
	hb__changed(s, p);
}

static void heard(void *session, int32_t id, const hb_gdb_stop *stop) { hb__heard(session, id, stop); }

void hb__poll_gdbs(hb_session *s)
{
	for (size_t i = 0; i < s->nhomes; i++)
		if (s->homes[i].gdb)
			hb_gdb_poll(s->homes[i].gdb, heard, s);
	hb__poll_stubs(s);
}

void hb__close_gdbs(hb_session *s, void (*close)(hb_gdb *gdb))
{
	for (size_t i = 0; i < s->nhomes; i++)
		close(s->homes[i].gdb);
	hb__close_stubs(s, close);
	free(s->homes);
	s->homes = NULL;
	s->nhomes = s->homes_room = 0;
	for (int32_t i = 0; i < s->size; i++) {
		s->process[i].gdb = NULL;
		s->process[i].home = 0;
		s->process[i].p.attached = false;
	}
}

bool hb__go_on(hb_session *s, struct hb__process *p)
{
	if (p->p.life != HB_LIFE_BROKEN || !p->gdb || hb_gdb_go(p->gdb, p->p.rank, HB_GDB_CONTINUE, 0, 1, NULL))
		return false;
	bool held = false;
	for (uint32_t i = 0; i < p->p.nthreads; i++)
		held |= p->p.threads[i].held;
	p->p.life = held ? HB_LIFE_HELD : HB_LIFE_RUNNING;
	p->moved = hb_seconds();
	hb__changed(s, p);
	return true;
}

bool hb__take_gdb(hb_session *s, hb_gdb *gdb)
{
	if (!HB_GROW(s->homes, s->homes_room, s->nhomes + 1))
		return false;
	s->homes[s->nhomes++] = (struct hb__home){.gdb = gdb, .n = 1};
	s->process[0].home = s->nhomes;
	return true;
}

static void leave_home(hb_session *s, struct hb__process *p)
{
	struct hb__home *home = p->home ? &s->homes[p->home - 1] : NULL;
	if (!home)
		return;
	if (home->standing) {
		hb_gdb_close(home->gdb);
		home->gdb = NULL;
	}
	home->n--;
	p->home = 0;
}

/* Which gdb a process belongs to: one at its place that has room; one that stands by SIGSTOP has its own. False: no memory. */
static bool find_home(hb_session *s, struct hb__process *p)
{
	bool standing = hb_gdb_stands(p->place, p->p.pid);
	if (standing || (p->home && s->homes[p->home - 1].standing))
		leave_home(s, p);
	if (p->home)
		return true;
	for (size_t i = 0; i < s->nhomes && !p->home; i++) {
		struct hb__home *home = &s->homes[i];
		bool empty = !home->n && !home->gdb;
		if (home->place != p->place || !(empty || (!standing && !home->standing && home->n < HB_GDB_MOST)))
			continue;
		p->home = i + 1;
		home->standing = standing;
	}
	if (!p->home) {
		if (!HB_GROW(s->homes, s->homes_room, s->nhomes + 1))
			return false;
		s->homes[s->nhomes++] = (struct hb__home){.place = p->place, .standing = standing};
		p->home = s->nhomes;
	}
	s->homes[p->home - 1].n++;
	return true;
}

/* Free it. NULL: gdb can have it. */
static char *out_of_reach(const hb_session *s, const struct hb__process *p)
{
	switch (p->p.life) {
	case HB_LIFE_ABSENT:
		return strdup(*hb_rank_word(p->p.name) ? "has not called MPI_Init yet"
						       : "has not come to its first event yet");
	case HB_LIFE_EXITED:
		return strdup("has ended");
	case HB_LIFE_DEAD:
		return strdup("is dead");
	default:
		if (!p->p.here && !p->place)
			return strdup("runs on another machine, where gdb is not started");
		return s->beyond && p->p.here && !p->gdb && !hb__stub_gdb(s, p) ? s->beyond(p->p.pid) : NULL;
	}
}

static void has(hb_session *s, struct hb__process *p, hb_gdb *gdb)
{
	p->gdb = gdb;
	p->p.attached = true;
	p->p.life = HB_LIFE_BROKEN;
	p->p.broken = (hb_gdb_stop){.reason = HB_GDB_ASKED};
	p->p.broke = hb_seconds();
	hb__changed(s, p);
}

/* Processes that one gdb is to attach to. Several gdbs do so at the same time. */
struct attaching {
	pthread_t thread;
	bool runs;
	hb_session *session;
	struct hb__home *home;
	int32_t ranks[HB_GDB_MOST], pids[HB_GDB_MOST];
	size_t n;
	bool failed[HB_GDB_MOST];
	hb_status status;
	hb_error err;
};

/* Touches its own gdb alone. */
static void *attach_some(void *user)
{
	struct attaching *a = user;
	const hb_session *s = a->session;
	if (a->home->standing) {
		a->status = hb_gdb_open_standing(
			a->home->place, s->gdb, s->gdbserver, a->ranks[0], a->pids[0], &a->home->gdb, &a->err);
		return NULL;
	}
	if (!a->home->gdb)
		a->status = hb_gdb_open(a->home->place, s->gdb, s->gdbserver, &a->home->gdb, &a->err);
	if (a->status)
		a->home->gdb = NULL;
	else
		a->status = hb_gdb_attach(a->home->gdb, a->ranks, a->pids, a->n, a->failed, &a->err);
	return NULL;
}

static void attach_all(struct attaching *all, size_t n)
{
	sigset_t every, before;
	sigfillset(&every); /* signals are for the thread that waits for us */
	pthread_sigmask(SIG_SETMASK, &every, &before);
	for (size_t i = 1; i < n; i++)
		all[i].runs = !pthread_create(&all[i].thread, NULL, attach_some, &all[i]);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	for (size_t i = 0; i < n; i++)
		if (all[i].runs)
			pthread_join(all[i].thread, NULL);
		else
			attach_some(&all[i]);
}

static void take_attached(struct attaching *a, hb_set *ret_failed)
{
	hb_session *s = a->session;
	for (size_t i = 0; i < a->n; i++) {
		struct hb__process *p = &s->process[a->ranks[i]];
		hb_gdb *gdb = a->home->gdb;
		if (!gdb || a->failed[i] || !hb_gdb_has(gdb, a->ranks[i])) {
			if (ret_failed)
				hb_set_add(ret_failed, a->ranks[i]);
			continue;
		}
		has(s, p, gdb);
	}
}

/* One that its gdb has already. */
static hb_status attach_stub(hb_session *s, struct hb__process *p, hb_gdb *gdb, hb_set *ret_failed, hb_error *err)
{
	hb_status status = hb_gdb_interrupt(gdb, p->p.rank, err);
	if (!status)
		has(s, p, gdb);
	else if (ret_failed)
		hb_set_add(ret_failed, p->p.rank);
	return status;
}

/* Those of the set that have no gdb yet find one. Those that cannot have one are in *ret_failed; why the first cannot. */
static hb_status find_homes(hb_session *s, const hb_set *set, hb_set *to_attach, hb_set *ret_failed, hb_error *err)
{
	hb_status status = HB_OK;
	for (int32_t i = hb_set_next(set, 0); i >= 0 && i < s->size; i = hb_set_next(set, i + 1)) {
		struct hb__process *p = &s->process[i];
		char *why = out_of_reach(s, p);
		hb_gdb *stub = why || p->gdb ? NULL : hb__stub_gdb(s, p);
		if (stub) {
			hb_status failed = attach_stub(s, p, stub, ret_failed, status ? NULL : err);
			status = status ? status : failed;
			continue;
		}
		if (!why && (p->gdb || find_home(s, p))) {
			if (!p->gdb)
				hb_set_add(to_attach, i);
			continue;
		}
		if (ret_failed)
			hb_set_add(ret_failed, i);
		if (!status)
			status = hb__session_fail(
				err, HB_E_ARGUMENT, "%s%s %s", HB__CALLED(p), why ? why : "finds no memory for gdb");
		free(why);
	}
	return status;
}

hb_status hb_session_attach(hb_session *s, const hb_set *set, hb_set *ret_failed, hb_error *err)
{
	hb_set some;
	hb_session_poll(s, 0);
	hb_set_init(&some, s->size);
	hb_status status = find_homes(s, set, &some, ret_failed, err);
	struct attaching *all = calloc(s->nhomes + 1, sizeof *all);
	size_t n = 0;
	for (size_t h = 0; all && h < s->nhomes; h++) {
		all[n] = (struct attaching){.session = s, .home = &s->homes[h]};
		for (int32_t i = hb_set_next(&some, 0); i >= 0; i = hb_set_next(&some, i + 1))
			if (s->process[i].home == h + 1) {
				all[n].ranks[all[n].n] = i;
				all[n].pids[all[n].n++] = s->process[i].p.pid;
			}
		n += all[n].n > 0;
	}
	attach_all(all, n);
	for (size_t i = 0; i < n; i++) {
		take_attached(&all[i], ret_failed);
		if (!status && all[i].status) {
			status = all[i].status;
			if (err)
				*err = all[i].err;
		}
	}
	free(all);
	hb_set_free(&some);
	return status;
}

void hb__leave(hb_session *s, struct hb__process *p)
{
	if (hb_gdb_is_standing(p->gdb, NULL)) {
		leave_home(s, p);
		p->p.life = p->p.life == HB_LIFE_BROKEN ? HB_LIFE_RUNNING : p->p.life;
	} else {
		hb__go_on(s, p);
		hb_gdb_detach(p->gdb, p->p.rank);
	}
	p->gdb = NULL;
	p->p.attached = false;
	hb__changed(s, p);
}

void hb_session_detach(hb_session *s, const hb_set *set)
{
	for (int32_t i = hb_set_next(set, 0); i >= 0 && i < s->size; i = hb_set_next(set, i + 1)) {
		struct hb__process *p = &s->process[i];
		if (p->gdb)
			hb__leave(s, p);
	}
}

hb_status hb_session_gdb(hb_session *s, int32_t rank, hb_gdb **ret_gdb, hb_error *err)
{
	struct hb__process *p = hb__process_of(s, rank);
	if (!p)
		return hb__session_fail(err, HB_E_ARGUMENT, "there is no process number %d", rank);
	hb_session_poll(s, 0);
	if (!p->gdb) {
		hb_set one;
		hb_set_init(&one, s->size);
		hb_set_add(&one, rank);
		hb_status status = hb_session_attach(s, &one, NULL, err);
		hb_set_free(&one);
		if (status)
			return status;
	}
	if (!p->gdb)
		return hb__session_fail(err, HB_E_SYSTEM, "gdb could not be attached to %s%s", HB__CALLED(p));
	if (!hb_gdb_stopped(p->gdb, rank)) {
		hb_status status = hb_gdb_interrupt(p->gdb, rank, err);
		hb__poll_gdbs(s);
		if (status)
			return status;
		p->p.life = HB_LIFE_BROKEN;
		p->p.broke = hb_seconds();
		hb__changed(s, p);
	}
	*ret_gdb = p->gdb;
	return HB_OK;
}

/* The innermost frame of the program; of level 0: it is there, or has none. */
static hb_status own_frame(hb_gdb *gdb, int32_t rank, hb_frame *ret, hb_error *err)
{
	hb_frame *frames;
	size_t n;
	hb_status status = hb_gdb_stack(gdb, rank, FRAMES, &frames, &n, err);
	if (status)
		return status;
	*ret = (hb_frame){0};
	for (size_t i = 0; i < n; i++)
		if (!frames[i].ours) {
			*ret = frames[i];
			break;
		}
	free(frames);
	return HB_OK;
}

/* How it stands when it has left the frames within this one. */
static hb_returned returned(const struct hb__process *p, hb_gdb *gdb, const hb_frame *call)
{
	const hb_frame *now = &p->p.broken.frame;
	/* out of a function without a name gdb gives no reason */
	bool arrived =
		p->p.broken.reason == HB_GDB_STEPPED || (p->p.broken.reason == HB_GDB_ASKED && now->pc == call->pc);
	if (!arrived)
		return HB_RETURN_STOPPED;
	bool same = now->line == call->line && !strcmp(now->fullname, call->fullname);
	return !same && hb_gdb_begins_line(gdb, p->p.rank) ? HB_RETURN_LINE : HB_RETURN_CALL;
}

hb_status hb_session_return(hb_session *s, int32_t rank, double seconds, hb_returned *ret, hb_error *err)
{
	struct hb__process *p = hb__process_of(s, rank);
	hb_gdb *gdb;
	hb_frame call;
	hb_status status = hb_session_gdb(s, rank, &gdb, err);
	*ret = HB_RETURN_NONE;
	status = status ? status : own_frame(gdb, rank, &call, err);
	if (status || !call.level)
		return status;
	for (uint32_t i = 0; i < p->p.nthreads; i++) {
		hb_thread *t = &p->p.threads[i];
		if (t->held && (t->why == HB_WHY_END || t->why == HB_WHY_DIFFERS || t->why == HB_WHY_SIGNAL))
			return hb__session_fail(err, HB_E_ARGUMENT, "%s%s %s", HB__CALLED(p),
				t->why == HB_WHY_SIGNAL ? "is about to die of a signal"
							: "cannot go on: its recording ends here");
		if (!t->held)
			continue;
		t->asked = false;
		hb__tell(p, "free %u", i);
		hb__tell(p, "go %u", i);
	}
	status = hb_gdb_go(gdb, rank, HB_GDB_FINISH, call.level - 1, 1, err);
	if (status)
		return status;
	p->p.life = HB_LIFE_RUNNING;
	for (double end = hb_seconds() + seconds; p->p.life == HB_LIFE_RUNNING || p->p.life == HB_LIFE_HELD;) {
		hb_session_poll(s, 20);
		if (hb_seconds() > end)
			return hb__session_fail(err, HB_E_SYSTEM, "%s%s did not return to the program within %.0f s",
				HB__CALLED(p), seconds);
	}
	if (p->p.life != HB_LIFE_BROKEN)
		return hb__session_fail(err, HB_E_ARGUMENT, "%s%s has ended", HB__CALLED(p));
	*ret = returned(p, gdb, &call);
	return HB_OK;
}
