/* Datatypes that name a byte twice: nothing may be received with them, nor may they be the target of a put or an accumulate.
 * What is received is all that a call writes: receive buffers, those of collectives and of MPI_Get. */
#include "capture/mpi/check/arguments/look.h"

static int next_of(const struct hb__look *l, unsigned from, unsigned one, unsigned other, unsigned third)
{
	for (unsigned i = from; i < l->fn->nargs; i++)
		if (hb__kind(l, i) == one || hb__kind(l, i) == other || hb__kind(l, i) == third)
			return (int)i;
	return -1;
}

/* False: said. */
static bool looked_at(struct hb__look *l, unsigned type, int place, MPI_Datatype handle, int64_t count)
{
	const struct hb__type *t = hb__type_look((uintptr_t)handle);
	if (count <= 0 || t->number == HB_NONE || t->number < 1024 || t->dense)
		return true;
	const struct hb__typemap *m = hb__typemap(handle);
	const char *where = l->fn->cls == HB_RMA && hb__named(l, type, "target_datatype") ? "the target of this call"
											  : "what is received";
	if (!m || (!m->twice && (!m->again || count <= m->again)))
		return true;
	if (m->twice)
		hb__fault(l, HB_REMARK_ARG_TYPE, type, place, "derived",
			"its entries overlap (at byte %lld of it), and %s must not name a place twice",
			(long long)m->twice_at, where);
	else
		hb__fault(l, HB_REMARK_ARG_TYPE, type, place, "derived",
			"of %lld elements of it the one with number %lld overlaps the first (its extent is %lld bytes), and %s must not name "
			"a place twice",
			(long long)count, (long long)m->again, (long long)m->extent, where);
	return false;
}

/* Blocks of the count that lie one behind the other in a receive buffer. */
static int64_t blocks(const struct hb__look *l, unsigned buf)
{
	int size = !l->comm ? 1 : l->comm->inter ? l->comm->remote_size : l->comm->size;
	if (l->fn->cls != HB_COLLECTIVE || l->comm == NULL || hb__kind(l, buf) != HB_P_RBUF)
		return 1;
	if (hb__among_neighbors(l))
		return l->comm->neighbors_in;
	return hb__moves(l, HB_MOVES_GATHER) || hb__moves(l, HB_MOVES_EXCHANGE) ? size : 1;
}

static void received(struct hb__look *l, unsigned buf)
{
	const void *at = (const void *)l->c->a[buf];
	int count = next_of(l, buf + 1, HB_P_COUNT, HB_P_COUNTS, HB_P_CNT);
	int type = next_of(l, buf + 1, HB_P_DTYPE, HB_P_DTYPES, HB_P_DTYPE);
	if (!at || at == MPI_IN_PLACE || type < 0 || !hb__significant(l->c, buf, l->comm))
		return;
	if (count < 0 || hb__kind(l, (unsigned)count) != HB_P_COUNTS) {
		int64_t n = count < 0 ? 1 : hb__value(l, (unsigned)count) * blocks(l, buf);
		if (hb__kind(l, (unsigned)type) == HB_P_DTYPE)
			looked_at(l, (unsigned)type, -1, (MPI_Datatype)l->c->a[type], n);
		return;
	}
	int n = hb__length(l, (unsigned)count);
	bool several = hb__kind(l, (unsigned)type) == HB_P_DTYPES;
	for (int k = 0; k < n && l->c->a[count] && l->c->a[type]; k++) {
		bool mine = !hb__moves(l, HB_MOVES_REDUCE_SCATTER) || k == l->comm->rank;
		MPI_Datatype handle = several ? ((const MPI_Datatype *)l->c->a[type])[k] : (MPI_Datatype)l->c->a[type];
		if (mine && !looked_at(l, (unsigned)type, several ? k : -1, handle, hb__element(l, (unsigned)count, k)))
			return;
	}
}

static bool writes_target(const struct hb__look *l)
{
	switch (l->fn->means->does) {
	case HB_DOES_PUT:
	case HB_DOES_ACCUMULATE:
	case HB_DOES_GET_ACCUMULATE:
		return true;
	default:
		return false;
	}
}

void hb__look_twice(struct hb__look *l)
{
	if (l->faulty || l->lost)
		return;
	bool nobody =
		(hb__has(l->c, HB_R_SOURCE) && (int)hb__arg(l->c, HB_R_SOURCE) == MPI_PROC_NULL) ||
		(l->fn->cls == HB_RMA && hb__has(l->c, HB_R_DEST) && (int)hb__arg(l->c, HB_R_DEST) == MPI_PROC_NULL);
	if (nobody || (l->fn->cls != HB_RECV && l->fn->cls != HB_COLLECTIVE && l->fn->cls != HB_RMA))
		return;
	bool sends = hb__moves(l, HB_MOVES_CAST) && l->root >= 0 && l->comm && !l->comm->inter &&
		     (int)l->c->a[l->root] == l->comm->rank;
	for (unsigned i = 0; i < l->fn->nargs && !sends && !l->faulty; i++)
		if (hb__kind(l, i) == HB_P_RBUF)
			received(l, i);
	int type = l->fn->cls == HB_RMA && writes_target(l) ? hb__find_param(l, "target_datatype") : -1;
	int count = type < 0 ? -1 : hb__find_param(l, "target_count");
	if (count >= 0 && !l->faulty)
		looked_at(l, (unsigned)type, -1, (MPI_Datatype)l->c->a[type], hb__value(l, (unsigned)count));
}
