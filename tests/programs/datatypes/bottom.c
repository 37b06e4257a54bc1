/* MPI_BOTTOM with absolute addresses, in messages of all sorts and in collectives. */
#include "expect_coll.h"

static int a, b[3], c;

int main(int argc, char **argv)
{
	MPI_Datatype t;
	MPI_Aint at[3];
	int lengths[3] = {1, 3, 1};
	MPI_Status st;
	MPI_Request r;

	Init(&argc, &argv);
	int next = (rank + 1) % size, prev = (rank + size - 1) % size;
	MPI_Get_address(&a, &at[0]);
	MPI_Get_address(b, &at[1]);
	MPI_Get_address(&c, &at[2]);
	MPI_Type_create_hindexed(3, lengths, at, MPI_INT, &t);
	MPI_Type_commit(&t);
	for (int turn = 0; turn < 3; turn++) {
		if (rank == 0) {
			a = turn;
			b[2] = 10 + turn;
			c = 20 + turn;
		}
		Bcast(MPI_BOTTOM, 1, t, 0, WORLD);
		CHECK(a == turn && b[2] == 10 + turn && c == 20 + turn);
	}
	int got[5];
	a = rank;
	c = 100 + rank;
	Irecv(got, 5, MPI_INT, MPI_ANY_SOURCE, 1, WORLD, &r);
	Send(MPI_BOTTOM, 1, t, next, 1, WORLD);
	Wait(&r, &st);
	CHECK(got[0] == prev && got[4] == 100 + prev);
	if (rank == 0) {
		for (int i = 1; i < size; i++) {
			Recv(MPI_BOTTOM, 1, t, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &st);
			CHECK(a == st.MPI_SOURCE && c == 100 + st.MPI_SOURCE);
			out("from %d", a);
		}
	} else {
		linger(300);
		Ssend(MPI_BOTTOM, 1, t, 0, 2, WORLD);
	}
	MPI_Type_free(&t);
	Finalize();
	return 0;
}
