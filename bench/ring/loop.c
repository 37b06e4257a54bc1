/* Isend, Recv and Wait with itself, again and again: nanoseconds of processor time of a turn, the best of ten batches.
 *
 * usage: loop TURNS */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	int turns = argc > 1 ? atoi(argv[1]) : 100000, in;
	double best = 1e18;
	for (int batch = 0; batch < 10; batch++) {
		double began = now();
		for (int i = 0; i < turns; i++) {
			MPI_Request r;
			MPI_Isend(&i, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &r);
			MPI_Recv(&in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
			MPI_Wait(&r, MPI_STATUS_IGNORE);
		}
		double took = (now() - began) / turns;
		best = took < best ? took : best;
	}
	printf("turn %.1f\n", best);
	MPI_Finalize();
	return 0;
}
