/* processes: 2
 * expect: HB-BUFFER-SIZE
 * why: the second half is sent with the length of the whole, from the middle of a large block */
#include <mpi.h>
#include <stdlib.h>

#define N 100000

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	double *data = calloc(N, sizeof *data);
	double *all = calloc(N, sizeof *all);
	MPI_Reduce(data + N / 2, all, N / 2 + 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	free(data);
	free(all);
	MPI_Finalize();
	return 0;
}
