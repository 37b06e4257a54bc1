/* Every nonblocking collective with equal counts, all in the air at once, completed out of order. */
#include "expect_coll.h"

#define N 13

static void note(MPI_Request *r) { posted(r, false, 0, 0, 0, false); }

static int bcast, all[64], gathered[64], scattered, from[64], sum, red, scan, exscan, block, some, in[64], ones[64];

static void begin(MPI_Request *r)
{
	Ibarrier(WORLD, &r[0]);
	Ibcast(&bcast, 1, MPI_INT, 0, WORLD, &r[1]);
	MPI_Iallgather(&rank, 1, MPI_INT, all, 1, MPI_INT, WORLD, &r[2]);
	expect("MPI_Iallgather(sendcount=1, sendtype=MPI_INT, recvcount=1, recvtype=MPI_INT, comm=WORLD)");
	note(&r[2]);
	MPI_Igather(&rank, 1, MPI_INT, gathered, 1, MPI_INT, 0, WORLD, &r[3]);
	expect("MPI_Igather(sendcount=1, sendtype=MPI_INT, %s, root=0, comm=WORLD)",
		rank == 0 ? "recvcount=1, recvtype=MPI_INT" : HERE_NOT("recvcount", "recvtype"));
	note(&r[3]);
	MPI_Iscatter(in, 1, MPI_INT, &scattered, 1, MPI_INT, 0, WORLD, &r[4]);
	expect("MPI_Iscatter(%s, recvcount=1, recvtype=MPI_INT, root=0, comm=WORLD)",
		rank == 0 ? "sendcount=1, sendtype=MPI_INT" : HERE_NOT("sendcount", "sendtype"));
	note(&r[4]);
	MPI_Ialltoall(in, 1, MPI_INT, from, 1, MPI_INT, WORLD, &r[5]);
	expect("MPI_Ialltoall(sendcount=1, sendtype=MPI_INT, recvcount=1, recvtype=MPI_INT, comm=WORLD)");
	note(&r[5]);
	Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, WORLD, &r[6]);
	MPI_Ireduce(&rank, &red, 1, MPI_INT, MPI_MAX, 0, WORLD, &r[7]);
	expect("MPI_Ireduce(count=1, datatype=MPI_INT, op=MPI_MAX, root=0, comm=WORLD)");
	note(&r[7]);
	Iscan(&rank, &scan, 1, MPI_INT, MPI_SUM, WORLD, &r[8]);
	Iexscan(&rank, &exscan, 1, MPI_INT, MPI_SUM, WORLD, &r[9]);
	MPI_Ireduce_scatter_block(in, &block, 1, MPI_INT, MPI_SUM, WORLD, &r[10]);
	expect("MPI_Ireduce_scatter_block(recvcount=1, datatype=MPI_INT, op=MPI_SUM, comm=WORLD)");
	note(&r[10]);
	MPI_Ireduce_scatter(in, &some, ones, MPI_INT, MPI_SUM, WORLD, &r[11]);
	expect("MPI_Ireduce_scatter(recvcounts=~0, datatype=MPI_INT, op=MPI_SUM, comm=WORLD)");
	note(&r[11]);
	Ibarrier(WORLD, &r[12]);
}

int main(int argc, char **argv)
{
	MPI_Request r[N];
	MPI_Status st;
	int index;
	long no = 0;

	Init(&argc, &argv);
	bcast = rank == 0 ? 42 : -1;
	for (int i = 0; i < size; i++) {
		in[i] = rank + 10 * i;
		ones[i] = 1;
	}
	linger(300);
	begin(r);
	while (!Test(&r[12], &st))
		no++;
	out("%ld times no", no);
	for (int n = 0; n < N - 1; n++) {
		Waitany(N, r, &index, &st);
		out("%d", index);
	}
	int triangle = size * (size - 1) / 2;
	CHECK(bcast == 42 && all[size - 1] == size - 1 && scattered == 10 * rank && sum == triangle);
	CHECK(from[size - 1] == size - 1 + 10 * rank && scan == rank * (rank + 1) / 2);
	CHECK(block == triangle + 10 * rank * size && some == block &&
		(rank || (red == size - 1 && gathered[size - 1])));
	Finalize();
	return 0;
}
