/* processes: 3
 * expect: HB-BUFFER-SIZE
 * why: the root scatters from a block that is long enough for one process */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int rank, mine[8] = {0};
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int *all = rank ? NULL : calloc(8, sizeof *all);
	MPI_Scatter(all, 8, MPI_INT, mine, 8, MPI_INT, 0, MPI_COMM_WORLD);
	free(all);
	MPI_Finalize();
	return 0;
}
