/* Requests that are made and freed without ever being started post nothing that comes. */
#include "expect.h"

int main(int argc, char **argv)
{
	int v = -1, w;
	MPI_Request r[3], s;
	MPI_Status st;

	Init(&argc, &argv);
	int next = (rank + 1) % size, prev = (rank + size - 1) % size;
	for (int i = 0; i < 3; i++)
		Recv_init(&v, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &r[i]);
	Send_init(&rank, 1, MPI_INT, next, 1, WORLD, &s);
	Request_free(&r[1]);
	Start(&s);
	Recv(&w, 1, MPI_INT, prev, 1, WORLD, &st);
	CHECK(w == prev && v == -1);
	Wait(&s, &st);
	Wait(&s, &st); /* inactive now */
	Request_free(&s);
	Request_free(&r[0]);
	Request_free(&r[2]);
	out("nothing");
	Finalize();
	return 0;
}
