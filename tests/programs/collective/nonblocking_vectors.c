/* Nonblocking collectives with arrays of counts and types. */
#include "expect_coll.h"

static int counts[64], displs[64], bytes[64];
static MPI_Datatype types[64];

int main(int argc, char **argv)
{
	int all[64], gathered[64], scattered = -1, v[64], w[64], in[64];
	MPI_Request r[5];
	MPI_Status sts[5];

	Init(&argc, &argv);
	for (int i = 0; i < size; i++) {
		counts[i] = 1;
		displs[i] = i;
		bytes[i] = 4 * i;
		types[i] = MPI_INT;
		in[i] = rank * 100 + i;
	}
	MPI_Iallgatherv(&rank, 1, MPI_INT, all, counts, displs, MPI_INT, WORLD, &r[0]);
	expect("MPI_Iallgatherv(sendcount=1, sendtype=MPI_INT, recvcounts=~0, recvtype=MPI_INT, comm=WORLD)");
	MPI_Igatherv(&rank, 1, MPI_INT, gathered, counts, displs, MPI_INT, 0, WORLD, &r[1]);
	expect("MPI_Igatherv(sendcount=1, sendtype=MPI_INT, %s, root=0, comm=WORLD)",
		rank == 0 ? "recvcounts=~0, recvtype=MPI_INT" : HERE_NOT("recvcounts", "recvtype"));
	MPI_Iscatterv(in, counts, displs, MPI_INT, &scattered, 1, MPI_INT, 0, WORLD, &r[2]);
	expect("MPI_Iscatterv(%s, recvcount=1, recvtype=MPI_INT, root=0, comm=WORLD)",
		rank == 0 ? "sendcounts=~0, sendtype=MPI_INT" : HERE_NOT("sendcounts", "sendtype"));
	MPI_Ialltoallv(in, counts, displs, MPI_INT, v, counts, displs, MPI_INT, WORLD, &r[3]);
	expect("MPI_Ialltoallv(sendcounts=~0, sendtype=MPI_INT, recvcounts=~0, recvtype=MPI_INT, comm=WORLD)");
	MPI_Ialltoallw(in, counts, bytes, types, w, counts, bytes, types, WORLD, &r[4]);
	expect("MPI_Ialltoallw(sendcounts=~0, sendtypes=~0, recvcounts=~0, recvtypes=~0, comm=WORLD)");
	for (int i = 0; i < 5; i++)
		posted(&r[i], false, 0, 0, 0, false);
	Waitall(5, r, sts);
	for (int i = 0; i < size; i++)
		CHECK(all[i] == i && v[i] == i * 100 + rank && w[i] == v[i] && (rank || gathered[i] == i));
	CHECK(scattered == rank);
	Finalize();
	return 0;
}
