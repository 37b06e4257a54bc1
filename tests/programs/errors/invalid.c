/* Calls with arguments that cannot be, errors returned: they do nothing, and the program goes on. */
#include "expect.h"

int main(int argc, char **argv)
{
	int v = 0;
	MPI_Request r;
	MPI_Status st;

	Init(&argc, &argv);
	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	int next = (rank + 1) % size, prev = (rank + size - 1) % size, rc;
	CHECK(Send(&v, 1, MPI_INT, size + 5, 1, WORLD) != MPI_SUCCESS);
	CHECK(Send(&v, -1, MPI_INT, next, 1, WORLD) != MPI_SUCCESS);
	CHECK(Send(&v, 1, MPI_INT, next, -7, WORLD) != MPI_SUCCESS);
	CHECK(Isend(&v, 1, MPI_DATATYPE_NULL, next, 1, WORLD, &r) != MPI_SUCCESS);
	CHECK(Irecv(&v, 1, MPI_INT, size, 1, WORLD, &r) != MPI_SUCCESS);
	CHECK(Ssend(&v, 1, MPI_INT, -55, 1, WORLD) != MPI_SUCCESS);
	rc = MPI_Bcast(&v, 1, MPI_INT, size + 1, WORLD);
	CHECK(rc != MPI_SUCCESS);
	expect("MPI_Bcast(count=1, datatype=MPI_INT, root=%d, comm=WORLD)%s", size + 1, ending(rc));
	/* and what is right still works */
	v = rank;
	Isend(&v, 1, MPI_INT, next, 2, WORLD, &r);
	int got;
	Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 2, WORLD, &st);
	CHECK(got == prev);
	Wait(&r, &st);
	out("went on");
	Finalize();
	return 0;
}
