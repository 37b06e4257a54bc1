/* Collectives between two groups: MPI_ROOT, MPI_PROC_NULL, and those where both groups give and take. */
#include "expect_coll.h"

static MPI_Comm half, inter;
static int low, local, locals, remotes;

static void rooted(void)
{
	int root = low ? (local == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0, v = rank == 0 ? 77 : -1, all[64], sum = 0;
	if (root == MPI_PROC_NULL) { /* takes part in nothing: but for the root no argument counts */
		MPI_Bcast(&v, 1, MPI_INT, root, inter);
		expect("MPI_Bcast(%s, root=PROC_NULL, comm=%s)", HERE_NOT("count", "datatype"), comm_name(inter));
	} else {
		Bcast(&v, 1, MPI_INT, root, inter);
	}
	CHECK(low || v == 77);
	MPI_Gather(&rank, 1, MPI_INT, all, 1, MPI_INT, root, inter);
	if (!low)
		expect("MPI_Gather(sendcount=1, sendtype=MPI_INT, %s, root=0, comm=%s)",
			HERE_NOT("recvcount", "recvtype"), comm_name(inter));
	else
		expect("MPI_Gather(%s, %s, root=%s, comm=%s)", HERE_NOT("sendcount", "sendtype"),
			local == 0 ? "recvcount=1, recvtype=MPI_INT" : HERE_NOT("recvcount", "recvtype"),
			rank_name(root), comm_name(inter));
	CHECK(root != MPI_ROOT || all[remotes - 1] == size - 1);
	if (root == MPI_PROC_NULL) {
		MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, root, inter);
		expect("MPI_Reduce(%s, op=UNDEFINED, root=PROC_NULL, comm=%s)", HERE_NOT("count", "datatype"),
			comm_name(inter));
	} else {
		Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, root, inter);
	}
	out("sum %d", sum);
}

static void symmetric(void)
{
	int sum = 0, all[64], v[64];
	MPI_Request r;
	MPI_Status st;
	Barrier(inter);
	Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, inter);
	MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, inter);
	expect("MPI_Allgather(sendcount=1, sendtype=MPI_INT, recvcount=1, recvtype=MPI_INT, comm=%s)",
		comm_name(inter));
	int want = 0;
	for (int i = 0; i < remotes; i++) {
		CHECK(all[i] == (low ? locals : 0) + i);
		want += all[i];
		v[i] = rank * 10 + i;
	}
	CHECK(sum == want);
	MPI_Alltoall(v, 1, MPI_INT, all, 1, MPI_INT, inter);
	expect("MPI_Alltoall(sendcount=1, sendtype=MPI_INT, recvcount=1, recvtype=MPI_INT, comm=%s)", comm_name(inter));
	CHECK(all[0] % 10 == local);
	Ibarrier(inter, &r);
	Wait(&r, &st);
}

int main(int argc, char **argv)
{
	Init(&argc, &argv);
	low = rank < size / 2;
	Comm_split(WORLD, low, rank, &half);
	MPI_Comm_rank(half, &local);
	MPI_Comm_size(half, &locals);
	MPI_Intercomm_create(half, 0, WORLD, low ? size / 2 : 0, 5, &inter);
	answer("comm=%s", made_comm(inter));
	expect("MPI_Intercomm_create(local_comm=%s, local_leader=0, tag=5)%s", comm_name(half), ending(0));
	MPI_Comm_remote_size(inter, &remotes);
	rooted();
	symmetric();
	Comm_free(&inter);
	Comm_free(&half);
	Finalize();
	return 0;
}
