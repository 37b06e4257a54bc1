/* Every blocking collective with equal counts. */
#include "expect_coll.h"

static void moving(void)
{
	int all[64], mine[64], from[64];
	for (int i = 0; i < size; i++)
		mine[i] = rank * 100 + i;
	MPI_Gather(&rank, 1, MPI_INT, all, 1, MPI_INT, 0, WORLD);
	expect("MPI_Gather(sendcount=1, sendtype=MPI_INT, %s, root=0, comm=WORLD)",
		rank == 0 ? "recvcount=1, recvtype=MPI_INT" : HERE_NOT("recvcount", "recvtype"));
	for (int i = 0; rank == 0 && i < size; i++)
		CHECK(all[i] == i);
	for (int i = 0; i < size; i++)
		all[i] = i * 3;
	MPI_Scatter(all, 1, MPI_INT, from, 1, MPI_INT, size - 1, WORLD);
	expect("MPI_Scatter(%s, recvcount=1, recvtype=MPI_INT, root=%d, comm=WORLD)",
		rank == size - 1 ? "sendcount=1, sendtype=MPI_INT" : HERE_NOT("sendcount", "sendtype"), size - 1);
	CHECK(from[0] == rank * 3);
	MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, WORLD);
	expect("MPI_Allgather(sendcount=1, sendtype=MPI_INT, recvcount=1, recvtype=MPI_INT, comm=WORLD)");
	CHECK(all[size - 1] == size - 1);
	MPI_Alltoall(mine, 1, MPI_INT, from, 1, MPI_INT, WORLD);
	expect("MPI_Alltoall(sendcount=1, sendtype=MPI_INT, recvcount=1, recvtype=MPI_INT, comm=WORLD)");
	for (int i = 0; i < size; i++)
		CHECK(from[i] == i * 100 + rank);
}

static void reducing(void)
{
	int in[64], got[64] = {0}, one = -1;
	for (int i = 0; i < size; i++)
		in[i] = rank + i;
	Allreduce(in, got, size, MPI_INT, MPI_MAX, WORLD);
	CHECK(got[0] == size - 1);
	Reduce(in, got, 1, MPI_INT, MPI_SUM, size - 1, WORLD);
	CHECK(rank != size - 1 || got[0] == size * (size - 1) / 2);
	Scan(&rank, &one, 1, MPI_INT, MPI_SUM, WORLD);
	CHECK(one == rank * (rank + 1) / 2);
	Exscan(&rank, &one, 1, MPI_INT, MPI_SUM, WORLD);
	CHECK(rank == 0 || one == rank * (rank - 1) / 2);
	MPI_Reduce_scatter_block(in, &one, 1, MPI_INT, MPI_SUM, WORLD);
	expect("MPI_Reduce_scatter_block(recvcount=1, datatype=MPI_INT, op=MPI_SUM, comm=WORLD)");
	CHECK(one == size * (size - 1) / 2 + size * rank);
	struct {
		double v;
		int at;
	} pair = {10.0 - rank, rank}, best;
	Allreduce(&pair, &best, 1, MPI_DOUBLE_INT, MPI_MINLOC, WORLD);
	CHECK(best.at == size - 1);
}

int main(int argc, char **argv)
{
	double d[3];

	Init(&argc, &argv);
	Barrier(WORLD);
	for (int root = 0; root < size; root++) {
		for (int i = 0; i < 3; i++)
			d[i] = rank == root ? root + i : -1;
		Bcast(d, 3, MPI_DOUBLE, root, WORLD);
		CHECK(d[2] == root + 2);
	}
	Bcast(NULL, 0, MPI_BYTE, 0, WORLD);
	moving();
	reducing();
	Barrier(MPI_COMM_SELF);
	Finalize();
	return 0;
}
