/* expect: HB-COLLECTIVE-TYPE
 * also: HB-BUFFER-TYPE
 * why: the root scatters doubles, the receivers take pairs of integers */
#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	double all[2] = {1, 2}, mine;
	int counts[2] = {1, 1}, at[2] = {0, 1};
	if (rank == 0)
		MPI_Scatterv(all, counts, at, MPI_DOUBLE, &mine, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	else
		MPI_Scatterv(NULL, NULL, NULL, MPI_DOUBLE, &mine, 2, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
