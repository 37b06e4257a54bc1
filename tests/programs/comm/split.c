/* Splits: by colour, with ranks left out, with ranks turned round, by shared memory. */
#include "expect_coll.h"

/* Everybody but rank 0 of c sends to it; ranks are those of c. */
static void talk(MPI_Comm c, const char *what)
{
	int me, n, v;
	MPI_Status st;
	if (c == MPI_COMM_NULL)
		return;
	MPI_Comm_rank(c, &me);
	MPI_Comm_size(c, &n);
	if (me > 0) {
		linger(200);
		Send(&rank, 1, MPI_INT, 0, 1, c);
		return;
	}
	for (int i = 1; i < n; i++) {
		Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 1, c, &st);
		out("%s: %d, here %d", what, v, st.MPI_SOURCE);
	}
}

int main(int argc, char **argv)
{
	MPI_Comm parity, front, turned, node, again;

	Init(&argc, &argv);
	Comm_split(WORLD, rank % 2, rank, &parity);
	talk(parity, "parity");
	Comm_split(WORLD, rank < size - 1 ? 0 : MPI_UNDEFINED, 0, &front);
	CHECK((front == MPI_COMM_NULL) == (rank == size - 1));
	talk(front, "front");
	Comm_split(WORLD, 0, -rank, &turned);
	int me;
	MPI_Comm_rank(turned, &me);
	CHECK(me == size - 1 - rank);
	talk(turned, "turned");
	MPI_Comm_split_type(WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
	answer("comm=%s", made_comm(node));
	expect("MPI_Comm_split_type(comm=WORLD, key=%d)%s", rank, ending(0));
	talk(node, "node");
	Comm_split(parity, 0, -rank, &again);
	talk(again, "again");
	Comm_free(&again);
	Comm_free(&node);
	Comm_free(&turned);
	if (front != MPI_COMM_NULL)
		Comm_free(&front);
	Comm_free(&parity);
	Finalize();
	return 0;
}
