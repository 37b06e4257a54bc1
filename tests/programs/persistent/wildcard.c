/* A persistent wildcard receive, started again after each message. */
#include "expect.h"

#define EACH 10

int main(int argc, char **argv)
{
	int v;
	MPI_Request r;
	MPI_Status st;

	Init(&argc, &argv);
	if (rank == 0) {
		Recv_init(&v, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &r);
		for (int i = 0; i < EACH * (size - 1); i++) {
			Start(&r);
			Wait(&r, &st);
			CHECK(r != MPI_REQUEST_NULL && v == st.MPI_SOURCE * 100 + st.MPI_TAG);
			out("%d", v);
		}
		Request_free(&r);
	} else {
		Send_init(&v, 1, MPI_INT, 0, 7, WORLD, &r);
		for (int i = 0; i < EACH; i++) {
			linger(300);
			v = rank * 100 + (i % 2 ? 7 : i);
			if (i % 2) {
				Start(&r);
				Wait(&r, &st);
			} else {
				Send(&v, 1, MPI_INT, 0, i, WORLD);
			}
		}
		Request_free(&r);
	}
	Finalize();
	return 0;
}
