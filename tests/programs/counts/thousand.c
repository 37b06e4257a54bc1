/* One call completes a thousand receives from anybody: its results do not fit beside one event. Then some of a thousand. */
#include "expect.h"
#include "expect_coll.h"

enum { MANY = 1000 };

int main(int argc, char **argv)
{
	static MPI_Request r[MANY];
	static MPI_Status st[MANY];
	static int v[MANY];
	int done = 0, n, indices[MANY];

	Init(&argc, &argv);
	if (rank == 0)
		for (int i = 0; i < MANY; i++)
			Irecv(&v[i], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &r[i]);
	Barrier(WORLD);
	for (int i = rank - 1; rank && i < MANY; i += size - 1)
		Send(&i, 1, MPI_INT, 0, i, WORLD);
	if (rank == 0)
		Waitall(MANY, r, st);
	if (rank == 0)
		for (int i = 0; i < MANY; i++)
			Irecv(&v[i], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &r[i]);
	Barrier(WORLD);
	for (int i = rank - 1; rank && i < MANY; i += size - 1)
		Send(&i, 1, MPI_INT, 0, i, WORLD);
	for (; rank == 0 && done < MANY; done += n) {
		linger(20000);
		Waitsome(MANY, r, &n, indices, st);
		for (int i = 0; i < n; i++)
			CHECK(v[indices[i]] == st[i].MPI_TAG);
	}
	Finalize();
	return 0;
}
