/* MPI_IN_PLACE wherever it may stand; the arguments beside it mean nothing. */
#include "expect_coll.h"

int main(int argc, char **argv)
{
	int v[64], ones[64], displs[64];
	MPI_Request r;
	MPI_Status st;

	Init(&argc, &argv);
	for (int i = 0; i < size; i++) {
		ones[i] = 1;
		displs[i] = i;
	}
	v[0] = rank;
	Allreduce(MPI_IN_PLACE, v, 1, MPI_INT, MPI_SUM, WORLD);
	CHECK(v[0] == size * (size - 1) / 2);
	v[0] = rank;
	Reduce(rank == 0 ? MPI_IN_PLACE : v, rank == 0 ? v : NULL, 1, MPI_INT, MPI_MAX, 0, WORLD);
	CHECK(rank != 0 || v[0] == size - 1);
	v[0] = 1;
	Scan(MPI_IN_PLACE, v, 1, MPI_INT, MPI_SUM, WORLD);
	CHECK(v[0] == rank + 1);
	v[rank] = rank;
	MPI_Allgather(MPI_IN_PLACE, -3, MPI_DATATYPE_NULL, v, 1, MPI_INT, WORLD);
	expect("MPI_Allgather(%s, recvcount=1, recvtype=MPI_INT, comm=WORLD)", HERE_NOT("sendcount", "sendtype"));
	CHECK(v[size - 1] == size - 1);
	MPI_Allgatherv(MPI_IN_PLACE, -3, MPI_DATATYPE_NULL, v, ones, displs, MPI_INT, WORLD);
	expect("MPI_Allgatherv(%s, recvcounts=~0, recvtype=MPI_INT, comm=WORLD)", HERE_NOT("sendcount", "sendtype"));
	for (int i = 0; i < size; i++)
		v[i] = rank * 10 + i;
	MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, v, 1, MPI_INT, WORLD);
	expect("MPI_Alltoall(%s, recvcount=1, recvtype=MPI_INT, comm=WORLD)", HERE_NOT("sendcount", "sendtype"));
	CHECK(v[size - 1] == (size - 1) * 10 + rank);
	if (rank == 0) {
		MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, v, 1, MPI_INT, 0, WORLD);
		expect("MPI_Gather(%s, recvcount=1, recvtype=MPI_INT, root=0, comm=WORLD)",
			HERE_NOT("sendcount", "sendtype"));
		MPI_Scatter(v, 1, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 0, WORLD);
		expect("MPI_Scatter(sendcount=1, sendtype=MPI_INT, %s, root=0, comm=WORLD)",
			HERE_NOT("recvcount", "recvtype"));
	} else {
		MPI_Gather(&rank, 1, MPI_INT, NULL, -7, MPI_DATATYPE_NULL, 0, WORLD);
		expect("MPI_Gather(sendcount=1, sendtype=MPI_INT, %s, root=0, comm=WORLD)",
			HERE_NOT("recvcount", "recvtype"));
		MPI_Scatter(NULL, -7, MPI_DATATYPE_NULL, v, 1, MPI_INT, 0, WORLD);
		expect("MPI_Scatter(%s, recvcount=1, recvtype=MPI_INT, root=0, comm=WORLD)",
			HERE_NOT("sendcount", "sendtype"));
		CHECK(v[0] == rank);
	}
	v[0] = rank;
	Iallreduce(MPI_IN_PLACE, v, 1, MPI_INT, MPI_MIN, WORLD, &r);
	Wait(&r, &st);
	CHECK(v[0] == 0);
	Finalize();
	return 0;
}
