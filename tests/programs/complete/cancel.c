/* Receives cancelled in time, and one cancelled too late: its message is there. */
#include "expect.h"

static int cancelled(MPI_Status *st)
{
	int yes;
	MPI_Test_cancelled(st, &yes);
	return yes;
}

int main(int argc, char **argv)
{
	int v = -1, w = -1, x = -1;
	MPI_Request r, two[2];
	MPI_Status st, sts[2];

	Init(&argc, &argv);
	int next = (rank + 1) % size, prev = (rank + size - 1) % size;
	Irecv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 99, WORLD, &r);
	Cancel(&r);
	Wait(&r, &st);
	CHECK(cancelled(&st) && v == -1);

	Irecv(&v, 1, MPI_INT, prev, 98, WORLD, &r);
	Cancel(&r);
	while (!Test(&r, &st))
		;
	CHECK(cancelled(&st));

	/* too late: the second message says that the first has come */
	Irecv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 1, WORLD, &two[0]);
	Irecv(&w, 1, MPI_INT, MPI_ANY_SOURCE, 97, WORLD, &two[1]);
	Send(&rank, 1, MPI_INT, next, 1, WORLD);
	Send(&rank, 1, MPI_INT, next, 2, WORLD);
	Recv(&x, 1, MPI_INT, prev, 2, WORLD, &st);
	Cancel(&two[0]);
	Cancel(&two[1]);
	Waitall(2, two, sts);
	CHECK(!cancelled(&sts[0]) && v == prev && cancelled(&sts[1]));

	/* a cancelled persistent receive can be started again */
	Recv_init(&v, 1, MPI_INT, MPI_ANY_SOURCE, 3, WORLD, &r);
	Start(&r);
	Cancel(&r);
	Wait(&r, &st);
	CHECK(cancelled(&st));
	Start(&r);
	/* nobody sends before its neighbour has cancelled */
	Sendrecv(NULL, 0, MPI_INT, prev, 4, NULL, 0, next, 4, WORLD, &st);
	Send(&rank, 1, MPI_INT, next, 3, WORLD);
	Wait(&r, &st);
	CHECK(!cancelled(&st) && v == prev);
	Request_free(&r);
	Finalize();
	return 0;
}
