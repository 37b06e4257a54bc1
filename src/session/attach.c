/* Which gdb has which process: each has the processes of one range of ranks. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
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
	for (size_t i = 0; i < s->ngdbs; i++)
		if (s->gdbs[i])
			hb_gdb_poll(s->gdbs[i], heard, s);
	hb__poll_stubs(s);
}

void hb__close_gdbs(hb_session *s, void (*close)(hb_gdb *gdb))
{
	for (size_t i = 0; i < s->ngdbs; i++)
		close(s->gdbs[i]);
	hb__close_stubs(s, close);
	free(s->gdbs);
	s->gdbs = NULL;
	s->ngdbs = 0;
	for (int32_t i = 0; i < s->size; i++) {
		s->process[i].gdb = NULL;
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
	s->gdbs = calloc(1, sizeof *s->gdbs);
	if (s->gdbs)
		s->gdbs[s->ngdbs++] = gdb;
	return s->gdbs != NULL;
}

static hb_gdb *gdb_for(hb_session *s, int32_t rank, hb_error *err)
{
	size_t i = (size_t)rank / HB_GDB_MOST;
	if (i >= s->ngdbs) {
		void *more = realloc(s->gdbs, (i + 1) * sizeof *s->gdbs);
		if (!more)
			return NULL;
		s->gdbs = more;
		memset(s->gdbs + s->ngdbs, 0, (i + 1 - s->ngdbs) * sizeof *s->gdbs);
		s->ngdbs = i + 1;
	}
	if (!s->gdbs[i] && hb_gdb_open(NULL, s->gdb, s->gdbserver, &s->gdbs[i], err))
		s->gdbs[i] = NULL;
	return s->gdbs[i];
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
		if (!p->p.here)
			return strdup("runs on another machine, where gdb is not started");
		return s->beyond && !p->gdb && !hb__stub_gdb(s, p) ? s->beyond(p->p.pid) : NULL;
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

/* Attaches some processes of one gdb. */
static hb_status attach_some(
	hb_session *s, size_t which, const int32_t *ranks, size_t n, hb_set *ret_failed, hb_error *err)
{
	int32_t pids[HB_GDB_MOST];
	bool failed[HB_GDB_MOST] = {false};
	hb_gdb *gdb = gdb_for(s, (int32_t)(which * HB_GDB_MOST), err);
	for (size_t i = 0; i < n; i++)
		pids[i] = s->process[ranks[i]].p.pid;
	hb_status status = gdb ? hb_gdb_attach(gdb, ranks, pids, n, failed, err) : HB_E_SYSTEM;
	for (size_t i = 0; i < n; i++) {
		struct hb__process *p = &s->process[ranks[i]];
		if (!gdb || failed[i] || !hb_gdb_has(gdb, ranks[i])) {
			if (ret_failed)
				hb_set_add(ret_failed, ranks[i]);
			continue;
		}
		has(s, p, gdb);
	}
	return status;
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

hb_status hb_session_attach(hb_session *s, const hb_set *set, hb_set *ret_failed, hb_error *err)
{
	hb_status status = HB_OK;
	hb_session_poll(s, 0);
	for (int32_t first = 0; first < s->size; first += HB_GDB_MOST) {
		int32_t ranks[HB_GDB_MOST];
		size_t n = 0;
		for (int32_t i = first; i < first + HB_GDB_MOST && i < s->size; i++) {
			struct hb__process *p = &s->process[i];
			char *why = hb_set_has(set, i) ? out_of_reach(s, p) : NULL;
			if (!hb_set_has(set, i) || (p->gdb && !why))
				continue;
			hb_gdb *stub = why ? NULL : hb__stub_gdb(s, p);
			if (stub) {
				hb_status failed = attach_stub(s, p, stub, ret_failed, status ? NULL : err);
				status = status ? status : failed;
				continue;
			}
			if (!why) {
				ranks[n++] = i;
				continue;
			}
			if (ret_failed)
				hb_set_add(ret_failed, i);
			if (!status)
				status = hb__session_fail(err, HB_E_ARGUMENT, "%s%s %s", HB__CALLED(p), why);
			free(why);
		}
		hb_error *where = status ? NULL : err;
		hb_status failed =
			n ? attach_some(s, (size_t)(first / HB_GDB_MOST), ranks, n, ret_failed, where) : HB_OK;
		status = status ? status : failed;
	}
	return status;
}

void hb__leave(hb_session *s, struct hb__process *p)
{
	hb__go_on(s, p);
	hb_gdb_detach(p->gdb, p->p.rank);
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

/* The level of the innermost frame of the program; 0: it is there, or has none. */
static hb_status own_frame(hb_gdb *gdb, int32_t rank, uint32_t *ret_level, hb_error *err)
{
	hb_frame *frames;
	size_t n;
	hb_status status = hb_gdb_stack(gdb, rank, FRAMES, &frames, &n, err);
	if (status)
		return status;
	*ret_level = 0;
	for (size_t i = 0; i < n; i++)
		if (!frames[i].ours) {
			*ret_level = frames[i].level;
			break;
		}
	free(frames);
	return HB_OK;
}

hb_status hb_session_return(hb_session *s, int32_t rank, double seconds, hb_error *err)
{
	struct hb__process *p = hb__process_of(s, rank);
	hb_gdb *gdb;
	uint32_t level;
	hb_status status = hb_session_gdb(s, rank, &gdb, err);
	status = status ? status : own_frame(gdb, rank, &level, err);
	if (status || !level)
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
	status = hb_gdb_go(gdb, rank, HB_GDB_FINISH, level - 1, 1, err);
	if (status)
		return status;
	p->p.life = HB_LIFE_RUNNING;
	for (double end = hb_seconds() + seconds; p->p.life == HB_LIFE_RUNNING || p->p.life == HB_LIFE_HELD;) {
		hb_session_poll(s, 20);
		if (hb_seconds() > end)
			return hb__session_fail(err, HB_E_SYSTEM, "%s%s did not return to the program within %.0f s",
				HB__CALLED(p), seconds);
	}
	return p->p.life == HB_LIFE_BROKEN ? HB_OK
					   : hb__session_fail(err, HB_E_ARGUMENT, "%s%s has ended", HB__CALLED(p));
}
