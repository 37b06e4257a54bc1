/* Persistent collectives, started several times, beside a wildcard receive. */
#include "expect_coll.h"

int main(int argc, char **argv)
{
	int v, sum, in, index;
	MPI_Request r[4];
	MPI_Status st, sts[4];

	Init(&argc, &argv);
	MPI_Bcast_init(&v, 1, MPI_INT, 0, WORLD, MPI_INFO_NULL, &r[0]);
	expect("MPI_Bcast_init(count=1, datatype=MPI_INT, root=0, comm=WORLD)");
	posted(&r[0], false, 0, 0, 0, true);
	MPI_Allreduce_init(&rank, &sum, 1, MPI_INT, MPI_SUM, WORLD, MPI_INFO_NULL, &r[1]);
	expect("MPI_Allreduce_init(count=1, datatype=MPI_INT, op=MPI_SUM, comm=WORLD)");
	posted(&r[1], false, 0, 0, 0, true);
	MPI_Barrier_init(WORLD, MPI_INFO_NULL, &r[2]);
	expect("MPI_Barrier_init(comm=WORLD)");
	posted(&r[2], false, 0, 0, 0, true);
	Recv_init(&in, 1, MPI_INT, MPI_ANY_SOURCE, 1, WORLD, &r[3]);
	for (int turn = 0; turn < 4; turn++) {
		v = rank == 0 ? turn : -1;
		Startall(4, r);
		Send(&rank, 1, MPI_INT, (rank + turn) % size, 1, WORLD);
		Waitany(4, r, &index, &st);
		out("first %d", index);
		Waitall(4, r, sts);
		CHECK(v == turn && sum == size * (size - 1) / 2 && in == (rank + size * 4 - turn) % size);
	}
	for (int i = 0; i < 4; i++)
		Request_free(&r[i]);
	Finalize();
	return 0;
}
