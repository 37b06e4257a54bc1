/* Several persistent wildcard receives at once; the one that completed is started again, the others stay. */
#include "expect.h"

#define N 4
#define EACH 12

int main(int argc, char **argv)
{
	int v[N], i;
	MPI_Request r[N];
	MPI_Status st;

	Init(&argc, &argv);
	if (rank == 0) {
		for (i = 0; i < N; i++)
			Recv_init(&v[i], 1, MPI_INT, MPI_ANY_SOURCE, i < N - 1 ? MPI_ANY_TAG : 3, WORLD, &r[i]);
		Startall(N, r);
		for (int n = EACH * (size - 1); n > 0; n--) {
			Waitany(N, r, &i, &st);
			CHECK(v[i] == st.MPI_SOURCE * 100 + st.MPI_TAG);
			out("request %d: %d", i, v[i]);
			Start(&r[i]);
		}
		for (i = 0; i < N; i++) {
			Cancel(&r[i]);
			Wait(&r[i], &st);
			Request_free(&r[i]);
		}
	} else {
		for (i = 0; i < EACH; i++) {
			int w = rank * 100 + i % 4;
			linger(200);
			Send(&w, 1, MPI_INT, 0, i % 4, WORLD);
		}
	}
	Finalize();
	return 0;
}
