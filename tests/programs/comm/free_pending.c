/* A communicator freed while messages on it are under way lives until they have arrived. */
#include "expect_coll.h"

int main(int argc, char **argv)
{
	MPI_Comm c;
	MPI_Request r[2];
	MPI_Status sts[2];
	int v = -1;

	Init(&argc, &argv);
	for (int turn = 0; turn < 3; turn++) {
		Comm_dup(WORLD, &c);
		Irecv(&v, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, c, &r[0]);
		Issend(&rank, 1, MPI_INT, (rank + 1) % size, turn, c, &r[1]);
		Comm_free(&c);
		CHECK(c == MPI_COMM_NULL);
		Waitall(2, r, sts);
		CHECK(v == (rank + size - 1) % size && sts[0].MPI_TAG == turn);
	}
	Finalize();
	return 0;
}
