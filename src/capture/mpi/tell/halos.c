/* Receives on Cartesian communicators: from where what comes is put follows which part of an array's storage is a halo. What that means for the
 * array is found out by who writes the trace, for what memory is there is known to it. */
#include "capture/core/layer.h"
#include "capture/mpi/tell/tell.h"
#include "capture/mpi/track/track.h"

#define KNOWN 256u

/* Types are taken apart once, as long as none is freed: handles are given out again. */
static struct known {
	uintptr_t type;
	uint64_t era;
	struct hb__told_type told;
} known[KNOWN];
static uint64_t era = 1;

void hb__tell_type_freed(void) { era++; }

static const struct hb__told_type *told(uintptr_t type)
{
	struct known *k = &known[(type * 0x9e3779b97f4a7c15u) >> 56];
	if (k->type != type || k->era != era) {
		hb__told_type((MPI_Datatype)type, &k->told);
		k->type = type;
		k->era = era;
	}
	return &k->told;
}

/* The grid of a communicator. False: it has none, or one of too many dimensions. */
static bool grid(uintptr_t comm, struct hb__spread_halo *h, int *periodic)
{
	int size[HB__SPREAD_DIMENSIONS], at[HB__SPREAD_DIMENSIONS], n = 0;
	hb__track_lock();
	const struct hb__comm *known_comm = hb__comm_find(comm);
	bool cart = known_comm && known_comm->topology == MPI_CART;
	hb__track_unlock();
	if (!cart || PMPI(Cartdim_get)((MPI_Comm)comm, &n) != MPI_SUCCESS || n < 1 || n > HB__SPREAD_DIMENSIONS ||
		PMPI(Cart_get)((MPI_Comm)comm, n, size, periodic, at) != MPI_SUCCESS)
		return false;
	h->dimensions = (unsigned)n;
	for (int d = 0; d < n; d++) {
		h->processes[d] = size[d];
		h->place[d] = at[d];
	}
	return true;
}

/* Where the sender is; of the two of a ring both ways lead there. */
static void direction(uintptr_t comm, int source, const int *periodic, struct hb__spread_halo *h)
{
	int at[HB__SPREAD_DIMENSIONS];
	if (source < 0 || PMPI(Cart_coords)((MPI_Comm)comm, source, (int)h->dimensions, at) != MPI_SUCCESS)
		return;
	for (unsigned d = 0; d < h->dimensions; d++) {
		int64_t by = at[d] - h->place[d], n = h->processes[d];
		bool low = by == -1 || (periodic[d] && by == n - 1), high = by == 1 || (periodic[d] && by == 1 - n);
		h->toward[d] = n == 1 || !by ? 0 : low && high ? 2 : low ? -1 : high ? 1 : 3;
	}
}

static void tell(const struct hb__call *c, struct hb__spread_halo *h, uintptr_t at, int64_t count, uintptr_t type)
{
	const struct hb__told_type *t = told(type);
	bool many = count != 1 && !(t->how == HB__TOLD_PIECES && t->blocks == 1);
	if (!at || count < 1 || many || (t->how != HB__TOLD_PIECES && t->how != HB__TOLD_BOX))
		return;
	h->at = (const void *)at;
	h->element = t->element;
	h->rank = t->how == HB__TOLD_BOX ? t->rank : 0;
	h->columns = t->columns;
	for (unsigned d = 0; d < h->rank; d++) {
		h->sizes[d] = t->sizes[d];
		h->start[d] = t->start[d];
		h->count[d] = t->count[d];
	}
	h->blocks = t->blocks;
	h->length = t->length * count;
	h->stride = t->blocks == 1 ? h->length : t->stride;
	hb__tracing->halo(h, c->pc);
}

void hb__tell_received(const struct hb__call *c)
{
	struct hb__spread_halo h = {.at = NULL};
	int periodic[HB__SPREAD_DIMENSIONS];
	uintptr_t comm = hb__arg(c, HB_R_COMM);
	if (!grid(comm, &h, periodic))
		return;
	if (hb__has(c, HB_R_SOURCE))
		direction(comm, (int)hb__arg(c, HB_R_SOURCE), periodic, &h);
	int64_t count = c->fn->wide ? (int64_t)hb__arg(c, HB_R_LAST_COUNT) : (int)hb__arg(c, HB_R_LAST_COUNT);
	tell(c, &h, hb__arg(c, HB_R_RBUF), count, hb__arg(c, HB_R_LAST_TYPE));
}

/* Of each dimension there is first the neighbour before, then the one behind. */
void hb__tell_neighbors(const struct hb__call *c)
{
	struct hb__spread_halo h = {.at = NULL};
	int periodic[HB__SPREAD_DIMENSIONS];
	const int *counts = (const int *)c->a[NEIGHBOR_COUNTS];
	const MPI_Aint *places = (const MPI_Aint *)c->a[NEIGHBOR_PLACES];
	const MPI_Datatype *types = (const MPI_Datatype *)c->a[NEIGHBOR_TYPES];
	if (c->fn->wide || !counts || !places || !types || !grid(hb__arg(c, HB_R_COMM), &h, periodic))
		return;
	for (unsigned i = 0; i < 2 * h.dimensions; i++) {
		for (unsigned d = 0; d < h.dimensions; d++)
			h.toward[d] = d != i / 2 ? 0 : i % 2 ? 1 : -1;
		tell(c, &h, c->a[NEIGHBOR_BUFFER] + (uintptr_t)places[i], counts[i], (uintptr_t)types[i]);
	}
}
