/* Where a collective may have MPI_IN_PLACE, and how long its arrays are. */
#include "capture/mpi/check/arguments/look.h"

bool hb__in_place_allowed(const struct hb__look *l, unsigned i)
{
	if (l->fn->cls != HB_COLLECTIVE || hb__among_neighbors(l) || hb__moves(l, HB_MOVES_CAST))
		return false;
	if (!l->comm)
		return true;
	if (l->comm->inter)
		return false;
	bool send = hb__kind(l, i) == HB_P_SBUF;
	if (l->root < 0)
		return send;
	if ((int)l->c->a[l->root] != l->comm->rank)
		return false;
	return hb__moves(l, HB_MOVES_SCATTER) ? !send : send;
}

int hb__length(const struct hb__look *l, unsigned i)
{
	const struct hb__comm *comm = l->comm;
	if (!comm)
		return 0;
	if (hb__among_neighbors(l)) {
		int n = hb__side_of(l->fn, i) == 's' ? comm->neighbors_out : comm->neighbors_in;
		return n > 0 ? n : 0;
	}
	if (hb__moves(l, HB_MOVES_REDUCE_SCATTER))
		return comm->size;
	return comm->inter ? comm->remote_size : comm->size;
}
