/* Neighbourhood collectives on a ring, blocking and not, with and without arrays of counts. */
#include "expect_coll.h"

static MPI_Comm ring;
static int from[2], want[2], to[2], ones[2] = {1, 1}, displs[2] = {0, 1};

static void check(void)
{
	CHECK(from[0] == want[0] && from[1] == want[1]);
	from[0] = from[1] = -1;
}

static void blocking(const char *name)
{
	MPI_Aint bytes[2] = {0, 4};
	MPI_Datatype types[2] = {MPI_INT, MPI_INT};
	MPI_Neighbor_allgather(&rank, 1, MPI_INT, from, 1, MPI_INT, ring);
	expect("MPI_Neighbor_allgather(sendcount=1, sendtype=MPI_INT, recvcount=1, recvtype=MPI_INT, comm=%s)", name);
	check();
	MPI_Neighbor_allgatherv(&rank, 1, MPI_INT, from, ones, displs, MPI_INT, ring);
	expect("MPI_Neighbor_allgatherv(sendcount=1, sendtype=MPI_INT, recvcounts=~0, recvtype=MPI_INT, comm=%s)",
		name);
	check();
	MPI_Neighbor_alltoall(to, 1, MPI_INT, from, 1, MPI_INT, ring);
	expect("MPI_Neighbor_alltoall(sendcount=1, sendtype=MPI_INT, recvcount=1, recvtype=MPI_INT, comm=%s)", name);
	check();
	MPI_Neighbor_alltoallv(to, ones, displs, MPI_INT, from, ones, displs, MPI_INT, ring);
	expect("MPI_Neighbor_alltoallv(sendcounts=~0, sendtype=MPI_INT, recvcounts=~0, recvtype=MPI_INT, comm=%s)",
		name);
	check();
	MPI_Neighbor_alltoallw(to, ones, bytes, types, from, ones, bytes, types, ring);
	expect("MPI_Neighbor_alltoallw(sendcounts=~0, sendtypes=~0, recvcounts=~0, recvtypes=~0, comm=%s)", name);
	check();
}

static void nonblocking(const char *name)
{
	int a[2], b[2], c[2];
	MPI_Request r[3];
	MPI_Status sts[3];
	MPI_Ineighbor_allgather(&rank, 1, MPI_INT, a, 1, MPI_INT, ring, &r[0]);
	expect("MPI_Ineighbor_allgather(sendcount=1, sendtype=MPI_INT, recvcount=1, recvtype=MPI_INT, comm=%s)", name);
	MPI_Ineighbor_alltoall(to, 1, MPI_INT, b, 1, MPI_INT, ring, &r[1]);
	expect("MPI_Ineighbor_alltoall(sendcount=1, sendtype=MPI_INT, recvcount=1, recvtype=MPI_INT, comm=%s)", name);
	MPI_Ineighbor_alltoallv(to, ones, displs, MPI_INT, c, ones, displs, MPI_INT, ring, &r[2]);
	expect("MPI_Ineighbor_alltoallv(sendcounts=~0, sendtype=MPI_INT, recvcounts=~0, recvtype=MPI_INT, comm=%s)",
		name);
	for (int i = 0; i < 3; i++)
		posted(&r[i], false, 0, 0, 0, false);
	Waitall(3, r, sts);
	for (int i = 0; i < 2; i++)
		CHECK(a[i] == want[i] && b[i] == want[i] && c[i] == want[i]);
}

int main(int argc, char **argv)
{
	int yes = 1;

	Init(&argc, &argv);
	MPI_Cart_create(WORLD, 1, &size, &yes, 0, &ring);
	answer("comm=%s", made_comm(ring));
	expect("MPI_Cart_create(comm_old=WORLD, ndims=1, reorder=0)%s", ending(0));
	to[0] = to[1] = rank;
	want[0] = (rank + size - 1) % size;
	want[1] = (rank + 1) % size;
	blocking(comm_name(ring));
	nonblocking(comm_name(ring));
	Comm_free(&ring);
	Finalize();
	return 0;
}
