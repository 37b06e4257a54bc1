/* Communicators made and freed in a loop: the library gives the same handles to new ones. */
#include "expect_coll.h"

#define TURNS 12

int main(int argc, char **argv)
{
	MPI_Comm c, kept[3] = {MPI_COMM_NULL, MPI_COMM_NULL, MPI_COMM_NULL};
	MPI_Status st;
	int v;

	Init(&argc, &argv);
	for (int turn = 0; turn < TURNS; turn++) {
		Comm_split(WORLD, 0, turn % 2 ? -rank : rank, &c);
		int me, next;
		MPI_Comm_rank(c, &me);
		next = (me + 1) % size;
		Sendrecv(&me, 1, MPI_INT, next, turn, &v, 1, MPI_ANY_SOURCE, MPI_ANY_TAG, c, &st);
		CHECK(v == (me + size - 1) % size && st.MPI_TAG == turn);
		if (kept[turn % 3] != MPI_COMM_NULL)
			Comm_free(&kept[turn % 3]);
		kept[turn % 3] = c;
	}
	for (int i = 0; i < 3; i++)
		Comm_free(&kept[i]);
	Finalize();
	return 0;
}
