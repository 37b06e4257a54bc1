/* What of a collective's arguments counts at this process. The standard calls
 * arguments insignificant in many places (the receive side of a gather away from
 * the root, counts beside MPI_IN_PLACE); programs leave garbage there, which
 * must neither be read nor followed. */
#include <string.h>

#include "capture/mpi/family.h"
#include "capture/track/track.h"

static bool named(const struct hb__fn *fn, const char *part) { return strstr(fn->name, part) != NULL; }

/* The rooted collectives by the side that is significant at the root alone. */
static bool root_only(const struct hb__fn *fn, const char *name)
{
	bool gather = (named(fn, "MPI_Gather") || named(fn, "MPI_Igather"));
	bool scatter = (named(fn, "MPI_Scatter") || named(fn, "MPI_Iscatter"));
	return (gather && !strncmp(name, "recv", 4)) || (scatter && !strncmp(name, "send", 4));
}

static bool other_side(const struct hb__fn *fn, const char *name)
{
	bool gather = (named(fn, "MPI_Gather") || named(fn, "MPI_Igather"));
	bool scatter = (named(fn, "MPI_Scatter") || named(fn, "MPI_Iscatter"));
	return (gather && !strncmp(name, "send", 4)) || (scatter && !strncmp(name, "recv", 4));
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
	if (named(fn, "eighbor"))
		return !strncmp(name, "send", 4) ? comm->neighbors_out : comm->neighbors_in;
	if (named(fn, "educe_scatter"))
		return comm->size; /* of the local group, also on an intercommunicator */
	return comm->inter ? comm->remote_size : comm->size;
}
