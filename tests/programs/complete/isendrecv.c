/* MPI_Isendrecv and its replacing kind: one request for both halves, wildcards in the receiving one. */
#include "expect.h"

int main(int argc, char **argv)
{
	int v, w, index;
	MPI_Request r[2];
	MPI_Status st;

	Init(&argc, &argv);
	int next = (rank + 1) % size, prev = (rank + size - 1) % size;
	for (int turn = 0; turn < 4; turn++) {
		MPI_Isendrecv(&rank, 1, MPI_INT, next, turn, &v, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &r[0]);
		expect("MPI_Isendrecv(sendcount=1, sendtype=MPI_INT, dest=%d, sendtag=%d, recvcount=1, recvtype=MPI_INT, "
		       "source=ANY, recvtag=ANY, comm=WORLD)",
			next, turn);
		posted(&r[0], true, 4, MPI_ANY_SOURCE, MPI_ANY_TAG, false);
		Wait(&r[0], &st);
		CHECK(v == prev);
		MPI_Barrier(WORLD); /* or the next turn's message could be this one's */
		expect("MPI_Barrier(comm=WORLD)");
	}
	w = 50 + rank;
	MPI_Isendrecv_replace(&w, 1, MPI_INT, next, 8, MPI_ANY_SOURCE, 8, WORLD, &r[0]);
	expect("MPI_Isendrecv_replace(count=1, datatype=MPI_INT, dest=%d, sendtag=8, source=ANY, recvtag=8, comm=WORLD)",
		next);
	posted(&r[0], true, 4, MPI_ANY_SOURCE, 8, false);
	Irecv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 9, WORLD, &r[1]);
	Send(&rank, 1, MPI_INT, next, 9, WORLD);
	for (int i = 0; i < 2; i++) {
		Waitany(2, r, &index, &st);
		out("%d", index);
	}
	CHECK(w == 50 + prev && v == prev);
	Finalize();
	return 0;
}
