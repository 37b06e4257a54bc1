/* What of a collective's arguments counts at this process, buffers and all. */
#include "capture/mpi/check/arguments/look.h"

static bool scatters(const struct hb__look *l) { return hb__moves(l, HB_MOVES_SCATTER); }
static bool combines(const struct hb__look *l)
{
	return hb__moves(l, HB_MOVES_REDUCE) || hb__moves(l, HB_MOVES_REDUCE_SCATTER);
}
static bool sends(const char *name) { return !strncmp(name, "send", 4) || !strcmp(name, "sdispls"); }
static bool receives(const char *name) { return !strncmp(name, "recv", 4) || !strcmp(name, "rdispls"); }

/* Which side of a collective an argument belongs to: 's', 'r', or 0 for both. */
static char side_of(const struct hb__look *l, unsigned i)
{
	const char *name = hb__name(l, i);
	if (!strcmp(name, "displs"))
		return scatters(l) ? 's' : 'r';
	return sends(name) ? 's' : receives(name) ? 'r' : 0;
}

static bool on_intercomm(const struct hb__look *l, unsigned i, char side)
{
	int root = (int)l->c->a[l->root];
	if (root == MPI_PROC_NULL)
		return (int)i == l->root || hb__kind(l, i) == HB_P_COMM;
	if (scatters(l))
		return side != (root == MPI_ROOT ? 'r' : 's');
	return side != (root == MPI_ROOT ? 's' : 'r'); /* gathers, reduces */
}

bool hb__significant(const struct hb__look *l, unsigned i)
{
	if (l->fn->cls != HB_COLLECTIVE || !l->comm)
		return true;
	char side = side_of(l, i);
	unsigned kind = hb__kind(l, i);
	if (l->root >= 0 && l->comm->inter && !on_intercomm(l, i, side))
		return false;
	if (l->root >= 0 && !l->comm->inter && (int)l->c->a[l->root] != l->comm->rank)
		if ((side == 'r' && !scatters(l)) || (side == 's' && scatters(l)))
			return false;
	if (kind == HB_P_SBUF || kind == HB_P_RBUF || !side)
		return true;
	/* a reduction has one count for both sides; recvcounts of Reduce_scatter count in any case */
	int buf = hb__role(l->c, side == 's' ? HB_R_SBUF : HB_R_RBUF);
	return combines(l) || buf < 0 || (const void *)l->c->a[buf] != MPI_IN_PLACE;
}

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
	return scatters(l) ? !send : send;
}

int hb__length(const struct hb__look *l, unsigned i)
{
	const struct hb__comm *comm = l->comm;
	if (!comm)
		return 0;
	if (hb__among_neighbors(l)) {
		int n = side_of(l, i) == 's' ? comm->neighbors_out : comm->neighbors_in;
		return n > 0 ? n : 0;
	}
	if (hb__moves(l, HB_MOVES_REDUCE_SCATTER))
		return comm->size;
	return comm->inter ? comm->remote_size : comm->size;
}
