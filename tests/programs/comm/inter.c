/* Two groups and what connects them: messages across, duplicates, merges in both orders. */
#include "expect_coll.h"

int main(int argc, char **argv)
{
	MPI_Comm half, inter, twin, merged;
	MPI_Status st;
	int local, remotes, v, me;

	Init(&argc, &argv);
	int low = rank < size / 2;
	Comm_split(WORLD, low, rank, &half);
	MPI_Comm_rank(half, &local);
	MPI_Intercomm_create(half, 0, WORLD, low ? size / 2 : 0, 5, &inter);
	answer("comm=%s", made_comm(inter));
	expect("MPI_Intercomm_create(local_comm=%s, local_leader=0, tag=5)%s", comm_name(half), ending(0));
	MPI_Comm_remote_size(inter, &remotes);

	/* the low group sends, each to one of the others; ranks are those of the other group */
	if (low) {
		linger(300);
		Send(&rank, 1, MPI_INT, local % remotes, local, inter);
	} else {
		int n = size - remotes;
		for (int from = local; from < remotes; from += n) {
			Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, inter, &st);
			CHECK(st.MPI_SOURCE == v);
			out("across from %d", v);
		}
	}
	Comm_dup(inter, &twin);
	Sendrecv(&rank, 1, MPI_INT, local < remotes ? local : MPI_PROC_NULL, 1, &v, 1,
		local < remotes ? local : MPI_PROC_NULL, 1, twin, &st);
	for (int high = 0; high < 2; high++) {
		MPI_Intercomm_merge(inter, low ? high : !high, &merged);
		answer("comm=%s", made_comm(merged));
		expect("MPI_Intercomm_merge(intercomm=%s, high=%d)%s", comm_name(inter), low ? high : !high, ending(0));
		MPI_Comm_rank(merged, &me);
		CHECK(high || me == rank);
		Sendrecv(&me, 1, MPI_INT, (me + 1) % size, 2, &v, 1, MPI_ANY_SOURCE, 2, merged, &st);
		CHECK(v == (me + size - 1) % size);
		Comm_free(&merged);
	}
	Comm_free(&twin);
	Comm_free(&inter);
	Comm_free(&half);
	Finalize();
	return 0;
}
