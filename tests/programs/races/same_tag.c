/* Named source, any tag, and two requests that could both take a message: order of posting decides. */
#include "expect.h"

#define TURNS 12

int main(int argc, char **argv)
{
	int a, b, v, index;
	MPI_Request r[2];
	MPI_Status st;

	Init(&argc, &argv);
	if (rank == 0) {
		for (int turn = 0; turn < TURNS * (size - 1); turn++) {
			Irecv(&a, 1, MPI_INT, MPI_ANY_SOURCE, 1, WORLD, &r[0]);
			Irecv(&b, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &r[1]);
			Waitany(2, r, &index, &st);
			v = index ? b : a;
			CHECK(v == st.MPI_SOURCE * 1000 + st.MPI_TAG);
			out("turn %d: request %d, %d", turn, index, v);
			Wait(&r[!index], &st);
			v = index ? a : b;
			CHECK(v == st.MPI_SOURCE * 1000 + st.MPI_TAG);
			out("turn %d: then %d", turn, v);
		}
	} else {
		for (int turn = 0; turn < 2 * TURNS; turn++) {
			v = rank * 1000 + 1 + (turn + rank) % 2;
			linger(100);
			Send(&v, 1, MPI_INT, 0, 1 + (turn + rank) % 2, WORLD);
		}
	}
	Finalize();
	return 0;
}
