/* What functions mean, by their names: each is found, its variants mean what it means, and of a name that the table does not
 * have nothing is said that its class does not say. */
#include <string.h>

#include "calls/meaning.h"
#include "unit/check.h"

static bool alike(const char *a, const char *b)
{
	const hb_meaning *x = hb_meaning_of(a, HB_SPECIAL), *y = hb_meaning_of(b, HB_SPECIAL);
	return x->base == y->base && x->does == y->does && x->order == y->order && x->fit == y->fit &&
	       x->mode == y->mode;
}

static bool moves(const char *name, enum hb_moves how) { return hb_meaning_of(name, HB_SPECIAL)->moves == how; }

int main(void)
{
	unsigned found = 0, same_class = 0, collectives = 0, fitting = 0;
	for (unsigned i = 0; i < hb_meanings_known; i++) {
		const hb_meaning *m = &hb_meanings[i];
		found += hb_meaning_of(m->name, HB_SPECIAL) == m;
		same_class += hb_meanings[m->base].cls == m->cls;
		/* What fits together moves, and what all neighbours do needs neighbours. */
		collectives += m->cls == HB_COLLECTIVE;
		fitting += m->cls == HB_COLLECTIVE && (m->fit != HB_FIT_NONE) == (m->moves != HB_MOVES_NOTHING) &&
			   (m->fit == HB_FIT_NEIGHBORS) == (m->topology == HB_TOPOLOGY_SOME);
	}
	check(hb_meanings_known > 500 && found == hb_meanings_known, "each function is found by its name (%u)", found);
	check(same_class == hb_meanings_known, "and its blocking form is of the same class");
	check(alike("MPI_Bcast", "MPI_Ibcast") && alike("MPI_Bcast", "MPI_Bcast_init_c"), "broadcasts");
	check(alike("MPI_Bsend", "MPI_Ibsend_c") && alike("MPI_Comm_dup", "MPI_Comm_idup"), "sends, duplicates");
	check(!alike("MPI_Gather", "MPI_Gatherv") && !alike("MPI_Send", "MPI_Ssend"), "others are others");
	check(collectives > 60 && fitting == collectives, "%u of %u collectives say where their data go", fitting,
		collectives);
	check(moves("MPI_Ineighbor_allgather", HB_MOVES_GATHER) && moves("MPI_Allreduce_init_c", HB_MOVES_REDUCE) &&
			moves("MPI_Ireduce_scatter", HB_MOVES_REDUCE_SCATTER) && moves("MPI_Send", HB_MOVES_NOTHING),
		"variants move what their blocking function moves");
	check(hb_meaning_of("MPI_Iscan_c", HB_SPECIAL)->takes == HB_TAKES_INTRA &&
			hb_meaning_of("MPI_Win_create_c", HB_SPECIAL)->takes == HB_TAKES_INTRA &&
			hb_meaning_of("MPI_Intercomm_merge", HB_SPECIAL)->takes == HB_TAKES_INTER &&
			hb_meaning_of("MPI_Bcast", HB_SPECIAL)->takes == HB_TAKES_ANY,
		"which communicators are taken");
	check(hb_meaning_of("MPI_Allreduce", HB_SPECIAL)->meets && !hb_meaning_of("MPI_Iallreduce", HB_SPECIAL)->meets,
		"all meet in a call that waits for all");
	const hb_meaning *m = hb_meaning_of("MPI_Later_bcast", HB_COLLECTIVE);
	check(m->cls == HB_COLLECTIVE && m->base == UINT16_MAX && m->does == HB_DOES_NOTHING &&
			m->needs == HB_NEEDS_OTHERS,
		"a collective that is not in the table orders nothing, and who it needs is not known");
	check(hb_meaning_of("", 200)->does == HB_DOES_NOTHING &&
			hb_meaning_of("MPI_Send2", HB_SEND)->does == HB_DOES_SEND,
		"a class that is none; a send");
	return check_end();
}
