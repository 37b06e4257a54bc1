/* A million polls that say no, each kind in turn, and their number is known to the program alone. */
#include "expect.h"

int main(int argc, char **argv)
{
	int v = 0;
	MPI_Status st;
	MPI_Request r;

	Init(&argc, &argv);
	if (rank == 0) {
		long probes = 0, tests = 0;
		Irecv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 1, WORLD, &r);
		for (long i = 0; i < 1000000; i++) {
			int yes;
			if (i % 2) {
				MPI_Iprobe(MPI_ANY_SOURCE, 2, WORLD, &yes, &st);
				probes += !yes;
			} else {
				MPI_Test(&r, &yes, &st);
				tests += !yes;
			}
			CHECK(!yes);
		}
		Send(&rank, 1, MPI_INT, 1, 0, WORLD);
		while (!Test(&r, &st))
			tests++;
		while (!Iprobe(MPI_ANY_SOURCE, 2, WORLD, &st))
			probes++;
		out("no: %ld probes, %ld tests; %d", probes, tests, v);
		Recv(&v, 1, MPI_INT, 1, 2, WORLD, &st);
	} else if (rank == 1) {
		Recv(&v, 1, MPI_INT, 0, 0, WORLD, &st);
		usleep(3000);
		v = 77;
		Send(&v, 1, MPI_INT, 0, 1, WORLD);
		usleep(3000);
		Send(&v, 1, MPI_INT, 0, 2, WORLD);
	}
	Finalize();
	return 0;
}
