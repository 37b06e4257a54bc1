/* A ring in which every message has a tag of its own: hundreds at one call, then the first ones again; in Sendrecv two tags
 * change at once, and every seventh time the count does. */
#include "expect.h"
#include "expect_coll.h"

enum { EACH = 150 };

static void step(MPI_Comm c, int tag, int i)
{
	int v = i, w[2] = {-1, -1}, to = (rank + 1) % size, from = (rank + size - 1) % size;
	MPI_Status st[2];
	MPI_Request r[2];

	Sendrecv(&v, 1, MPI_INT, to, tag, w, 1, from, tag, c, st);
	CHECK(w[0] == i);
	Irecv(w, 2, MPI_INT, from, tag + 1, c, &r[0]);
	Isend(&v, 1, MPI_INT, to, tag + 1, c, &r[1]);
	Waitall(2, r, st);
	CHECK(st[0].MPI_TAG == tag + 1);
	if (rank == 0)
		Send(w, i % 7 ? 1 : 2, MPI_INT, to, 2 * tag, c);
	if (rank == 0)
		Recv(w, 2, MPI_INT, from, 2 * tag, c, st);
	else
		Recv(w, 2, MPI_INT, from, i % 5 ? 2 * tag : MPI_ANY_TAG, c, st);
	CHECK(st[0].MPI_TAG == 2 * tag);
	if (rank)
		Send(w, 1, MPI_INT, to, 2 * tag, c);
}

int main(int argc, char **argv)
{
	MPI_Comm dup;

	Init(&argc, &argv);
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < EACH; i++)
			step(WORLD, 3 * i, i);
		Comm_dup(WORLD, &dup); /* what was known of calls is not any more when it dies */
		for (int i = 0; i < 40; i++)
			step(dup, 5 * i, i);
		Comm_free(&dup);
	}
	Finalize();
	return 0;
}
