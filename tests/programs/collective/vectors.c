/* Collectives with an array of counts, and Alltoallw with a type for each rank. */
#include "expect_coll.h"

static int counts[64], displs[64], total;

static void gathering(void)
{
	int mine[64], all[4096];
	for (int i = 0; i <= rank; i++)
		mine[i] = rank;
	MPI_Gatherv(mine, rank + 1, MPI_INT, all, counts, displs, MPI_INT, 0, WORLD);
	expect("MPI_Gatherv(sendcount=%d, sendtype=MPI_INT, %s, root=0, comm=WORLD)", rank + 1,
		rank == 0 ? "recvcounts=~0, recvtype=MPI_INT" : HERE_NOT("recvcounts", "recvtype"));
	CHECK(rank != 0 || all[total - 1] == size - 1);
	MPI_Allgatherv(mine, rank + 1, MPI_INT, all, counts, displs, MPI_INT, WORLD);
	expect("MPI_Allgatherv(sendcount=%d, sendtype=MPI_INT, recvcounts=~0, recvtype=MPI_INT, comm=WORLD)", rank + 1);
	CHECK(all[0] == 0 && all[total - 1] == size - 1);
	MPI_Scatterv(all, counts, displs, MPI_INT, mine, rank + 1, MPI_INT, 0, WORLD);
	expect("MPI_Scatterv(%s, recvcount=%d, recvtype=MPI_INT, root=0, comm=WORLD)",
		rank == 0 ? "sendcounts=~0, sendtype=MPI_INT" : HERE_NOT("sendcounts", "sendtype"), rank + 1);
	CHECK(mine[rank] == rank);
}

static void everything(void)
{
	int out_counts[64], out_displs[64], from[4096], to[4096], one[64];
	MPI_Datatype types[64];
	int n = 0;
	for (int i = 0; i < size; i++) { /* rank sends rank + 1 to each */
		out_counts[i] = rank + 1;
		out_displs[i] = n;
		for (int k = 0; k <= rank; k++)
			to[n++] = rank * 10 + i;
	}
	MPI_Alltoallv(to, out_counts, out_displs, MPI_INT, from, counts, displs, MPI_INT, WORLD);
	expect("MPI_Alltoallv(sendcounts=~0, sendtype=MPI_INT, recvcounts=~0, recvtype=MPI_INT, comm=WORLD)");
	for (int i = 0; i < size; i++)
		CHECK(from[displs[i]] == i * 10 + rank);
	for (int i = 0; i < size; i++) {
		types[i] = MPI_INT;
		one[i] = 1;
		out_displs[i] = 4 * i;
		to[i] = rank * 10 + i;
	}
	MPI_Alltoallw(to, one, out_displs, types, from, one, out_displs, types, WORLD);
	expect("MPI_Alltoallw(sendcounts=~0, sendtypes=~0, recvcounts=~0, recvtypes=~0, comm=WORLD)");
	for (int i = 0; i < size; i++)
		CHECK(from[i] == i * 10 + rank);
}

int main(int argc, char **argv)
{
	int in[4096], got[64];

	Init(&argc, &argv);
	for (int i = 0; i < size; i++) {
		counts[i] = i + 1;
		displs[i] = total;
		total += counts[i];
	}
	gathering();
	everything();
	for (int i = 0; i < total; i++)
		in[i] = i;
	MPI_Reduce_scatter(in, got, counts, MPI_INT, MPI_SUM, WORLD);
	expect("MPI_Reduce_scatter(recvcounts=~0, datatype=MPI_INT, op=MPI_SUM, comm=WORLD)");
	CHECK(got[rank] == size * (displs[rank] + rank));
	Finalize();
	return 0;
}
