/* processes: 2
 * expect: HB-BUFFER-TYPE
 * why: elements of long, counted as so many MPI_INT: half of them are not gathered */
#include <mpi.h>

int main(int argc, char **argv)
{
	long mine[4] = {1, 2, 3, 4}, all[8];
	MPI_Init(&argc, &argv);
	MPI_Allgather(mine, 4, MPI_INT, all, 4, MPI_INT, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
