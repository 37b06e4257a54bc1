/* Persistent requests under several names, freed by one of them; one freed while it is active. */
#include "expect.h"

int main(int argc, char **argv)
{
	static int v, w;
	MPI_Request a, b;
	MPI_Status st;

	Init(&argc, &argv);
	int next = (rank + 1) % size, prev = (rank + size - 1) % size;
	Send_init(&v, 1, MPI_INT, next, 1, WORLD, &a);
	v = rank;
	b = a;
	Start(&a);
	moved(&a, &b);
	Recv(&w, 1, MPI_INT, prev, 1, WORLD, &st);
	CHECK(w == prev);
	Wait(&b, &st);
	Start(&b);
	Recv(&w, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &st);
	Wait(&b, &st);
	Start(&b);
	Request_free(&b);
	Recv(&w, 1, MPI_INT, prev, 1, WORLD, &st);
	CHECK(w == prev);
	/* the message has left when its receiver says so */
	Sendrecv(NULL, 0, MPI_INT, prev, 2, NULL, 0, next, 2, WORLD, &st);
	Finalize();
	return 0;
}
