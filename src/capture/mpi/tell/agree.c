/* How much each process owns of an array with halos is known to it alone. So all tell each other, in front of a collective that all of them
 * call anyway: blocking, on a communicator of the whole world, so that a program that is right may wait for the others there. As everybody
 * does it at the same ones, nobody waits in vain. Soon after a grid was made at each, then more and more rarely. */
#include "capture/core/layer.h"
#include "capture/core/record/record.h"
#include "capture/mpi/family/family.h"
#include "capture/mpi/tell/tell.h"
#include "capture/mpi/track/track.h"

#define OFTEN 64u

enum {
#define HB_DATATYPE(name) TYPE_##name,
#include "calls/datatypes.def"
#undef HB_DATATYPE
};
enum {
#define HB_OPERATION(name) OP_##name,
#include "calls/operations.def"
#undef HB_OPERATION
};

static struct hb__spread_saying mine, *all; /* all: of hb__size processes */
static uint64_t collectives;
static bool wanted;

static bool of_world(const struct hb__call *c)
{
	hb__track_lock();
	const struct hb__comm *comm = hb__comm_find(hb__arg(c, HB_R_COMM));
	bool whole = comm && !comm->inter && comm->size == hb__size;
	for (int i = 0; whole && i < comm->size; i++)
		whole = comm->member[i] >= 0;
	hb__track_unlock();
	return whole;
}

/* Nobody waits for a process that has no memory for what all say, or whose threads call collectives in no order: they find out together whether
 * there is such a one. */
static bool all_can(MPI_Comm comm)
{
	uintptr_t type = 0, op = 0;
	int here = all && !hb__threaded, everywhere = 0;
	return hb__predefined_type(TYPE_INT, &type) && hb__predefined_op(OP_MIN, &op) &&
	       PMPI(Allreduce)(&here, &everywhere, 1, (MPI_Datatype)type, (MPI_Op)op, comm) == MPI_SUCCESS &&
	       everywhere;
}

void hb__tell_grid(const struct hb__call *c)
{
	if (hb__config.remarks || hb__size < 2 || !of_world(c))
		return;
	all = all ? all : hb__pages((size_t)hb__size * sizeof *all);
	wanted = all_can((MPI_Comm)hb__arg(c, HB_R_COMM));
	collectives = 0;
}

bool hb__tell_agrees(const struct hb__call *c)
{
	const hb_meaning *means = c->fn->means;
	return wanted && c->fn->cls == HB_COLLECTIVE && means->does == HB_DOES_COLLECTIVE &&
	       !(c->fn->flags & (HB_NONBLOCKING | HB_PERSISTENT)) && means->topology == HB_TOPOLOGY_NONE &&
	       means->fit != HB_FIT_NEIGHBORS && hb__has(c, HB_R_COMM);
}

void hb__tell_agree(const struct hb__call *c)
{
	if (!of_world(c))
		return;
	uint64_t n = ++collectives;
	if (n > OFTEN && (n & (n - 1)))
		return;
	mine.n = 0;
	hb__tracing->says(&mine);
	if (PMPI(Allgather)(&mine, (int)sizeof mine, hb__known.byte, all, (int)sizeof *all, hb__known.byte,
		    (MPI_Comm)hb__arg(c, HB_R_COMM)) == MPI_SUCCESS)
		hb__tracing->said(all, (uint32_t)hb__size);
}
