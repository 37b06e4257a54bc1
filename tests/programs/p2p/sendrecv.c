/* Combined sends and receives: a ring, a line with ends, wildcards. */
#include "expect.h"

int main(int argc, char **argv)
{
	int next, prev, mine, got = -1;
	MPI_Status st;

	Init(&argc, &argv);
	next = (rank + 1) % size;
	prev = (rank + size - 1) % size;
	mine = rank;
	Sendrecv(&mine, 1, MPI_INT, next, 1, &got, 1, prev, 1, WORLD, &st);
	CHECK(got == prev);

	int right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL, left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
	got = -1;
	Sendrecv(&mine, 1, MPI_INT, right, 2, &got, 1, left, 2, WORLD, &st);
	CHECK(got == left || (left == MPI_PROC_NULL && got == -1 && st.MPI_SOURCE == MPI_PROC_NULL));

	for (int i = 0; i < 10; i++) {
		Sendrecv(&mine, 1, MPI_INT, (rank + i) % size, 3, &got, 1, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &st);
		CHECK(got == st.MPI_SOURCE);
		out("turn %d from %d", i, got);
	}
	/* all have sent what all must have got before other messages come */
	MPI_Barrier(WORLD);
	expect("MPI_Barrier(comm=WORLD)");
	Sendrecv(&mine, 1, MPI_INT, MPI_PROC_NULL, 4, &got, 1, MPI_PROC_NULL, 4, WORLD, &st);
	CHECK(st.MPI_SOURCE == MPI_PROC_NULL && st.MPI_TAG == MPI_ANY_TAG);
	Finalize();
	return 0;
}
