/* What was probed is still there: the same message is seen twice, then taken by a wildcard receive. */
#include "expect.h"

int main(int argc, char **argv)
{
	int v;
	MPI_Status a, b;

	Init(&argc, &argv);
	if (rank == 0) {
		for (int i = 0; i < 5 * (size - 1); i++) {
			Probe(MPI_ANY_SOURCE, 1, WORLD, &a);
			CHECK(Iprobe(a.MPI_SOURCE, 1, WORLD, &b));
			CHECK(Iprobe(a.MPI_SOURCE, MPI_ANY_TAG, WORLD, &b) && b.MPI_TAG == 1);
			Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 1, WORLD, &b);
			CHECK(v == b.MPI_SOURCE);
			out("probed %d, received from %d", a.MPI_SOURCE, v);
		}
		CHECK(!Iprobe(MPI_ANY_SOURCE, 2, WORLD, &a));
	} else {
		for (int i = 0; i < 5; i++) {
			linger(300);
			Send(&rank, 1, MPI_INT, 0, 1, WORLD);
		}
	}
	Finalize();
	return 0;
}
