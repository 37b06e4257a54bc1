/* Moving a single process under gdb; the one that goes backwards, too. */
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "session/internal.h"

hb_status hb_session_step(hb_session *s, int32_t rank, hb_gdb_step how, uint32_t level, uint32_t times, hb_error *err)
{
	struct hb__process *p = hb__process_of(s, rank);
	if (!p)
		return hb__session_fail(err, HB_E_ARGUMENT, "there is no process number %d", rank);
	if (p->p.life != HB_LIFE_BROKEN || !p->gdb)
		return hb__session_fail(err, HB_E_ARGUMENT, "%s%s is not stopped by gdb", HB__CALLED(p));
	hb_status status = hb_gdb_go(p->gdb, rank, how, level, times, err);
	if (status)
		return status;
	p->p.life = HB_LIFE_RUNNING;
	p->moved = hb_seconds();
	for (uint32_t i = 0; i < p->p.nthreads; i++)
		p->p.threads[i].since = p->moved;
	hb__departed(s);
	hb__changed(s, p);
	return HB_OK;
}

void hb_session_resume(hb_session *s, int32_t rank)
{
	struct hb__process *p = hb__process_of(s, rank);
	bool stands = false;
	if (p && p->gdb)
		hb_gdb_is_standing(p->gdb, &stands);
	if (p && !stands)
		hb__go_on(s, p);
}

/* ---- the one that goes back ---- */

void hb__see_where(struct hb__process *p)
{
	hb_thread *t = hb__thread_of(p, 0);
	if (!p->gdb || !t || hb_gdb_where(p->gdb, p->p.rank, &p->p.stand, NULL))
		return;
	t->event = p->p.stand.event;
	t->lane_known = true;
	p->p.pid = p->p.stand.pid;
	p->p.signal = p->p.stand.end ? p->p.stand.signal : 0;
}

hb_status hb_session_serve(hb_session *s, const char *address, int32_t server, hb_error *err)
{
	struct hb__process *p = hb__process_of(s, 0);
	hb_gdb *gdb;
	if (!p)
		return hb__session_fail(err, HB_E_ARGUMENT, "there is no process");
	hb_status status = hb_gdb_open_served(s->gdb, 0, address, server, &gdb, err);
	if (status)
		return status;
	if (!hb__take_gdb(s, gdb)) {
		hb_gdb_kill(gdb);
		return hb__session_fail(err, HB_E_MEMORY, "out of memory");
	}
	p->adopted = p->p.alone = p->p.here = p->p.attached = true;
	p->gdb = gdb;
	p->p.life = HB_LIFE_BROKEN;
	gethostname(p->p.host, sizeof p->p.host - 1);
	hb__poll_gdbs(s);
	hb__changed(s, p);
	return HB_OK;
}

hb_status hb_session_jump(hb_session *s, const char *where, bool (*interrupted)(void *user), void *user, hb_error *err)
{
	struct hb__process *p = hb__process_of(s, 0);
	if (!p || !p->p.alone || !p->gdb || p->p.life != HB_LIFE_BROKEN)
		return hb__session_fail(err, HB_E_ARGUMENT, "it is not stopped by gdb");
	hb_status status = hb_gdb_jump(p->gdb, 0, where, interrupted, user, err);
	hb__poll_gdbs(s);
	return status;
}

char *hb_session_notes(hb_session *s)
{
	struct hb__process *p = hb__process_of(s, 0);
	return p && p->p.alone && p->gdb ? hb_gdb_notes(p->gdb) : NULL;
}
