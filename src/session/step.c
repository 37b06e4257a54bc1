/* Moving a single process under gdb. */
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
	if (p)
		hb__go_on(s, p);
}
