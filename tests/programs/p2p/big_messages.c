/* 8 MiB each: the sender waits for its receiver (rendezvous), whoever is chosen. */
#include "expect.h"

#define N (1 << 20)

static double data[N];

int main(int argc, char **argv)
{
	MPI_Status st;
	MPI_Request r;

	Init(&argc, &argv);
	if (rank == 0) {
		for (int i = 0; i < 2 * (size - 1); i++) {
			Recv(data, N, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &st);
			CHECK(data[0] == st.MPI_SOURCE && data[N - 1] == st.MPI_SOURCE + N - 1.0);
			out("8 MiB from %d, tag %d", st.MPI_SOURCE, st.MPI_TAG);
		}
	} else {
		for (int i = 0; i < N; i++)
			data[i] = rank + (double)i;
		linger(2000);
		Send(data, N, MPI_DOUBLE, 0, 1, WORLD);
		Isend(data, N, MPI_DOUBLE, 0, 2, WORLD, &r);
		Wait(&r, &st);
	}
	Finalize();
	return 0;
}
