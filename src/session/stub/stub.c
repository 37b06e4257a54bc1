/* Processes of other processors: what runs one serves it to one gdb, from before its first instruction on. So gdb has it before it dials in, and for as long as it lives;
 * to everybody else it counts as attached only while somebody wants that. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/grow.h"
#include "session/internal.h"

#define NOBODY (-2) /* its number for gdb, before it has dialled in */

struct hb__stub {
	hb_session *session;
	hb_gdb *gdb;
	int32_t pid, rank;
};

/* Whoever is not attached goes on, whatever it got: a signal is for the program. */
static void heard(void *user, int32_t id, const hb_gdb_stop *stop)
{
	struct hb__stub *stub = user;
	struct hb__process *p = hb__process_of(stub->session, stub->rank);
	if (p && p->gdb == stub->gdb)
		hb__heard(stub->session, id, stop);
	else if (hb_gdb_stopped(stub->gdb, stub->rank))
		hb_gdb_go(stub->gdb, stub->rank, HB_GDB_CONTINUE, 0, 1, NULL);
}

hb_status hb_session_stub(hb_session *s, const hb_gdb_stub *how, hb_error *err)
{
	struct hb__stub *stub = HB_GROW(s->stubs, s->room_stubs, s->nstubs + 1) ? calloc(1, sizeof *stub) : NULL;
	if (!stub)
		return hb__session_fail(err, HB_E_MEMORY, "out of memory");
	*stub = (struct hb__stub){.session = s, .pid = how->pid, .rank = NOBODY};
	hb_status status = hb_gdb_open_stub(how, NOBODY, &stub->gdb, err);
	if (status) {
		free(stub);
		return status;
	}
	s->stubs[s->nstubs++] = stub;
	return hb_gdb_go(stub->gdb, NOBODY, HB_GDB_CONTINUE, 0, 1, err);
}

void hb__stub_dialled(hb_session *s, const struct hb__process *p)
{
	for (size_t i = 0; p->p.here && i < s->nstubs; i++)
		if (s->stubs[i]->pid == p->p.pid && s->stubs[i]->rank == NOBODY) {
			hb_gdb_rename(s->stubs[i]->gdb, NOBODY, p->p.rank);
			s->stubs[i]->rank = p->p.rank;
		}
}

hb_gdb *hb__stub_gdb(const hb_session *s, const struct hb__process *p)
{
	for (size_t i = 0; i < s->nstubs; i++)
		if (s->stubs[i]->rank == p->p.rank && hb_gdb_has(s->stubs[i]->gdb, p->p.rank))
			return s->stubs[i]->gdb;
	return NULL;
}

size_t hb__stub_waits(const hb_session *s, struct pollfd *ret)
{
	for (size_t i = 0; i < s->nstubs; i++)
		ret[i] = (struct pollfd){hb_gdb_fd(s->stubs[i]->gdb), POLLIN, 0};
	return s->nstubs;
}

void hb__poll_stubs(hb_session *s)
{
	for (size_t i = 0; i < s->nstubs; i++)
		hb_gdb_poll(s->stubs[i]->gdb, heard, s->stubs[i]);
}

void hb__close_stubs(hb_session *s, void (*close)(hb_gdb *gdb))
{
	for (size_t i = 0; i < s->nstubs; i++) {
		close(s->stubs[i]->gdb);
		free(s->stubs[i]);
	}
	free(s->stubs);
	s->stubs = NULL;
	s->nstubs = s->room_stubs = 0;
}
