/* What of a collective's arguments counts at this process. The standard calls
 * arguments insignificant in many places (the receive side of a gather away from
 * the root, counts beside MPI_IN_PLACE); programs leave garbage there, which
 * must neither be read nor followed. */
#include <string.h>

#include "capture/mpi/family/family.h"
#include "capture/mpi/track/track.h"

static bool gathers(const struct hb__fn *fn)
{
	return fn->means->fit == HB_FIT_GATHER || fn->means->fit == HB_FIT_GATHERV;
}

static bool scatters(const struct hb__fn *fn)
{
	return fn->means->fit == HB_FIT_SCATTER || fn->means->fit == HB_FIT_SCATTERV;
}

/* The rooted collectives by the side that is significant at the root alone. */
static bool root_only(const struct hb__fn *fn, const char *name)
{
	return (gathers(fn) && !strncmp(name, "recv", 4)) || (scatters(fn) && !strncmp(name, "send", 4));
}

static bool other_side(const struct hb__fn *fn, const char *name)
{
	return (gathers(fn) && !strncmp(name, "send", 4)) || (scatters(fn) && !strncmp(name, "recv", 4));
}

bool hb__argument_significant(struct hb__call *c, unsigned recorded, const struct hb__comm *comm)
{
	const struct hb__fn *fn = c->fn;
	const char *name = fn->recorded[recorded].name;
	if (fn->cls != HB_COLLECTIVE || !comm)
		return true;
	bool send_side = !strncmp(name, "send", 4), recv_side = !strncmp(name, "recv", 4);
	int root_at = -1;
	for (unsigned i = 0; i < fn->nrecorded; i++)
		if (fn->recorded[i].kind == HB_RECORDED_RANK)
			root_at = fn->recorded[i].arg;
	if (root_at >= 0) {
		int root = (int)c->a[root_at];
		if (comm->inter) {
			if (root == MPI_PROC_NULL) /* the root's other processes: no data, but who they say they are */
				return fn->recorded[recorded].kind == HB_RECORDED_COMM ||
				       fn->recorded[recorded].kind == HB_RECORDED_RANK;
			if (root_only(fn, name))
				return root == MPI_ROOT;
			return root != MPI_ROOT || !other_side(fn, name);
		}
		if (root_only(fn, name) && root != comm->rank)
			return false;
	}
	if (send_side && hb__has(c, HB_R_SBUF) && (const void *)hb__arg(c, HB_R_SBUF) == MPI_IN_PLACE)
		return false;
	if (recv_side && hb__has(c, HB_R_RBUF) && (const void *)hb__arg(c, HB_R_RBUF) == MPI_IN_PLACE)
		return false;
	return true;
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
