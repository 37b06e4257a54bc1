/* Two requests that could both take a message, in which case the one posted first has it: what is left for the
 * other, and for a third, depends on what came first. */
#include "expect_coll.h"

#define TURNS 12

static void take(void)
{
	int v[2], index, more;
	MPI_Request r[2];
	MPI_Status st;

	Irecv(&v[0], 1, MPI_INT, MPI_ANY_SOURCE, 1, WORLD, &r[0]);
	Irecv(&v[1], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &r[1]);
	for (int i = 0; i < 2; i++) {
		Waitany(2, r, &index, &st);
		CHECK(v[index] == st.MPI_SOURCE * 1000 + st.MPI_TAG && (index || st.MPI_TAG == 1));
		out("request %d: %d", index, v[index]);
	}
	for (int i = 2; i < 2 * (size - 1); i++) {
		Recv(&more, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &st);
		out("then %d", more);
	}
}

int main(int argc, char **argv)
{
	Init(&argc, &argv);
	for (int turn = 0; turn < TURNS; turn++) {
		if (rank == 0)
			take();
		for (int i = 0; rank > 0 && i < 2; i++) { /* one of each tag, so that every request gets one */
			int tag = 1 + (turn + rank + i) % 2, v = rank * 1000 + tag;
			linger(100);
			Send(&v, 1, MPI_INT, 0, tag, WORLD);
		}
		Barrier(WORLD);
	}
	Finalize();
	return 0;
}
