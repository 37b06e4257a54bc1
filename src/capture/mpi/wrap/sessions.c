/* Sessions: a process that never calls MPI_Init has no MPI_COMM_WORLD. Its record begins when it has made its first communicator
 * from a group, and its rank is that in the process set mpi://WORLD. */
#include <string.h>

#include "capture/core/control/control.h"
#include "capture/core/record/record.h"
#include "capture/mpi/family/family.h"
#include "capture/mpi/track/track.h"
#include "capture/mpi/wrap/step.h"

static int open_sessions;
static uintptr_t session; /* one that was begun; a handle is as wide as those of communicators */

int hb__sessions_open(void) { return open_sessions; }

static void count(const struct hb__call *c, int code)
{
	if (code != MPI_SUCCESS)
		return;
	if (c->fn->means->does == HB_DOES_SESSION_END)
		open_sessions--;
	else if (c->a[c->fn->nargs - 1]) {
		open_sessions++;
		memcpy(&session, (const void *)c->a[c->fn->nargs - 1], sizeof(MPI_Comm));
	}
}

int hb__on_session(struct hb__call *c)
{
	int code = hb__on_event(c);
	count(c, code);
	return code;
}

/* Older headers do not know the types of sessions. */
static bool find_world(void)
{
	int (*from_pset)(uintptr_t, const char *, MPI_Group *) =
		(__typeof__(from_pset))hb__next[HB_ENTRY_PMPI][HB_FN_MPI_Group_from_session_pset];
	return open_sessions > 0 && from_pset(session, "mpi://WORLD", &hb__world_group) == MPI_SUCCESS &&
	       PMPI(Group_rank)(hb__world_group, &hb__rank) == MPI_SUCCESS &&
	       PMPI(Group_size)(hb__world_group, &hb__size) == MPI_SUCCESS && hb__rank >= 0;
}

bool hb__session_makes(const struct hb__fn *fn)
{
	return fn->means->does == HB_DOES_BIRTH && fn->cls == HB_COMM && !fn->role[HB_R_COMM];
}

/* A call of a process whose record has not begun: of a session, or one that makes a communicator in it. */
int hb__on_early_session(struct hb__call *c)
{
	int code = hb__invoke_next(c);
	hb__early_calls[c->fn->id]++;
	if (!hb__has(c, HB_R_NEWCOMM)) {
		count(c, code);
		return code;
	}
	MPI_Comm *made = (MPI_Comm *)hb__arg(c, HB_R_NEWCOMM);
	if (code != MPI_SUCCESS || *made == hb__known.comm_null || hb__config.mode == HB__OFF || !find_world())
		return code;
	hb__begin_sessions();
	if (!hb__begin_events(c))
		return code;
	hb__begin(c, false);
	int number = hb__comm_add(NULL, 0, hb__origin_made(HB__COMMS), *made);
	if (!hb__config.order && hb__results(c, 1))
		hb__result(c, number);
	hb__end(c, code);
	hb__control_start(c->lane);
	c->lane->depth = 0;
	return code;
}

/* A second MPI_Init is an error of the program, but after sessions the first one gives it a world. */
int hb__on_late_init(struct hb__call *c)
{
	int code = hb__on_plain(c);
	if (code == MPI_SUCCESS && hb__of_sessions)
		hb__comms_world();
	return code;
}
