/* Error handlers of the program that return, called by the library and by the program; one calls MPI itself. */
#include "expect.h"

static int called, inside;

static void handler(MPI_Comm *c, int *code, ...)
{
	int me, v = -1;
	MPI_Status st;
	called++;
	CHECK(*code != MPI_SUCCESS);
	MPI_Comm_rank(*c, &me);
	/* a message to itself: a handler may do what it likes */
	Sendrecv(&rank, 1, MPI_INT, rank, 30, &v, 1, MPI_ANY_SOURCE, 30, WORLD, &st);
	inside += v == rank && me == rank;
}

int main(int argc, char **argv)
{
	int v = 0;
	MPI_Errhandler h;
	MPI_Request r;
	MPI_Status st;

	Init(&argc, &argv);
	MPI_Comm_create_errhandler(handler, &h);
	MPI_Comm_set_errhandler(WORLD, h);
	MPI_Errhandler_free(&h);
	CHECK(Send(&v, 1, MPI_INT, size + 1, 1, WORLD) != MPI_SUCCESS && called == 1 && inside == 1);
	CHECK(Irecv(&v, -3, MPI_INT, 0, 1, WORLD, &r) != MPI_SUCCESS && called == 2);
	MPI_Comm_call_errhandler(WORLD, MPI_ERR_OTHER);
	CHECK(called == 3 && inside == 3);
	/* a truncated message runs it from inside a completion */
	int pair[2] = {1, 2}, one;
	Irecv(&one, 1, MPI_INT, MPI_ANY_SOURCE, 2, WORLD, &r);
	Send(pair, 2, MPI_INT, (rank + 1) % size, 2, WORLD);
	int rc = MPI_Wait(&r, &st);
	CHECK(rc != MPI_SUCCESS && called == 4);
	expect("TRUNCATED MPI_Wait()");
	out("called %d times", called);
	Finalize();
	return 0;
}
