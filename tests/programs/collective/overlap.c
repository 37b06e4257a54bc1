/* A reduction in the air while wildcard messages come: which ends first is the race. */
#include "expect_coll.h"

#define TURNS 10

int main(int argc, char **argv)
{
	int v, sum, index;
	MPI_Request r[2];
	MPI_Status st;

	Init(&argc, &argv);
	for (int turn = 0; turn < TURNS; turn++) {
		Irecv(&v, 1, MPI_INT, MPI_ANY_SOURCE, turn, WORLD, &r[0]);
		linger(150);
		Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, WORLD, &r[1]);
		linger(150);
		Send(&rank, 1, MPI_INT, (rank + turn) % size, turn, WORLD);
		Waitany(2, r, &index, &st);
		out("turn %d: %s first", turn, index ? "sum" : "message");
		Waitany(2, r, &index, &st);
		CHECK(sum == size * (size - 1) / 2 && (v + turn) % size == rank);
	}
	Finalize();
	return 0;
}
