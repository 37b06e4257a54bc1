/* Sends whose requests are freed while they are on their way. */
#include "expect.h"

#define N 10

int main(int argc, char **argv)
{
	static int v[N], big[100000];
	MPI_Request r;
	MPI_Status st;

	Init(&argc, &argv);
	if (rank > 0) {
		for (int i = 0; i < N; i++) {
			v[i] = rank * 100 + i;
			Isend(&v[i], 1, MPI_INT, 0, 1, WORLD, &r);
			Request_free(&r);
			CHECK(r == MPI_REQUEST_NULL);
			linger(100);
		}
		for (int i = 0; i < 100000; i++)
			big[i] = i + rank;
		Issend(big, 100000, MPI_INT, 0, 2, WORLD, &r);
		Request_free(&r);
		Recv(NULL, 0, MPI_INT, 0, 3, WORLD, &st); /* only now may big be used again */
	} else {
		for (int i = 0; i < N * (size - 1); i++) {
			int got;
			Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 1, WORLD, &st);
			out("%d", got);
		}
		for (int i = 1; i < size; i++) {
			Recv(big, 100000, MPI_INT, MPI_ANY_SOURCE, 2, WORLD, &st);
			CHECK(big[99999] == 99999 + st.MPI_SOURCE);
			out("long one from %d", st.MPI_SOURCE);
			Send(NULL, 0, MPI_INT, st.MPI_SOURCE, 3, WORLD);
		}
	}
	Finalize();
	return 0;
}
