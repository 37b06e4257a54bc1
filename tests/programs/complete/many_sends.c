/* Hundreds of small sends complete at once, in one library under one shared handle; waited for backwards. */
#include "expect.h"

#define N 200

int main(int argc, char **argv)
{
	static int v[N], got[N];
	static MPI_Request s[N], r[N];
	MPI_Status st, sts[2];
	int index;

	Init(&argc, &argv);
	int next = (rank + 1) % size;
	for (int i = 0; i < N; i++)
		Irecv(&got[i], 1, MPI_INT, MPI_ANY_SOURCE, i, WORLD, &r[i]);
	for (int i = 0; i < N; i++) {
		v[i] = rank * 1000 + i;
		Isend(&v[i], 1, MPI_INT, next, i, WORLD, &s[i]);
	}
	for (int i = N - 1; i >= N / 2; i--) {
		MPI_Wait(&s[i], &st);
		MPI_Wait(&r[i], &st);
	}
	for (int i = 0; i < N / 2; i++) { /* a send and a receive in one array */
		MPI_Request pair[2] = {s[i], r[i]};
		MPI_Waitany(2, pair, &index, &st);
		out("%d", index);
		MPI_Waitall(2, pair, sts);
	}
	for (int i = 0; i < N; i++)
		CHECK(got[i] == (rank + size - 1) % size * 1000 + i);
	Finalize();
	return 0;
}
