/* What of a collective's arguments counts at this process. The standard calls
 * arguments insignificant in many places (the receive side of a gather away from
 * the root, counts beside MPI_IN_PLACE); programs leave garbage there, which
 * must neither be read nor followed. */
#include <string.h>

#include "capture/mpi/family/family.h"
#include "capture/mpi/track/track.h"

static bool scatters(const struct hb__fn *fn) { return fn->means->moves == HB_MOVES_SCATTER; }
static bool combines(const struct hb__fn *fn)
{
	return fn->means->moves == HB_MOVES_REDUCE || fn->means->moves == HB_MOVES_REDUCE_SCATTER;
}
static bool sends(const char *name) { return !strncmp(name, "send", 4) || !strcmp(name, "sdispls"); }
static bool receives(const char *name) { return !strncmp(name, "recv", 4) || !strcmp(name, "rdispls"); }

char hb__side_of(const struct hb__fn *fn, unsigned i)
{
	const char *name = fn->param[i].name;
	if (!strcmp(name, "displs"))
		return scatters(fn) ? 's' : 'r';
	return sends(name) ? 's' : receives(name) ? 'r' : 0;
}

static int root_at(const struct hb__fn *fn)
{
	for (unsigned i = 0; i < fn->nargs; i++)
		if (fn->param[i].kind == HB_P_ROOT)
			return (int)i;
	return -1;
}

/* On an intercommunicator the root stands in one group; its other processes have no data, but say who they are. */
static bool on_intercomm(const struct hb__call *c, unsigned i, char side, int at)
{
	int root = (int)c->a[at];
	if (root == MPI_PROC_NULL)
		return (int)i == at || c->fn->param[i].kind == HB_P_COMM;
	if (scatters(c->fn))
		return side != (root == MPI_ROOT ? 'r' : 's');
	return side != (root == MPI_ROOT ? 's' : 'r'); /* gathers, reduces */
}

bool hb__significant(const struct hb__call *c, unsigned i, const struct hb__comm *comm)
{
	const struct hb__fn *fn = c->fn;
	if (fn->cls != HB_COLLECTIVE || !comm)
		return true;
	char side = hb__side_of(fn, i);
	int root = root_at(fn);
	if (root >= 0 && comm->inter && !on_intercomm(c, i, side, root))
		return false;
	if (root >= 0 && !comm->inter && (int)c->a[root] != comm->rank)
		if ((side == 'r' && !scatters(fn)) || (side == 's' && scatters(fn)))
			return false;
	if (fn->param[i].kind == HB_P_SBUF || fn->param[i].kind == HB_P_RBUF || !side)
		return true;
	/* a reduction has one count for both sides; recvcounts of Reduce_scatter count in any case */
	int buf = hb__role(c, side == 's' ? HB_R_SBUF : HB_R_RBUF);
	return combines(fn) || buf < 0 || (const void *)c->a[buf] != MPI_IN_PLACE;
}

int hb__array_length(const struct hb__comm *comm, const struct hb__fn *fn, unsigned recorded)
{
	const char *name = fn->recorded[recorded].name;
	if (fn->means->fit == HB_FIT_NEIGHBORS)
		return !strncmp(name, "send", 4) ? comm->neighbors_out : comm->neighbors_in;
	if (fn->means->fit == HB_FIT_COUNTS)
		return comm->size; /* of the local group, also on an intercommunicator */
	return comm->inter ? comm->remote_size : comm->size;
}
