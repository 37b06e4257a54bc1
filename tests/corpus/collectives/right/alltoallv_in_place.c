/* why: with MPI_IN_PLACE the counts of what is received hold for what is sent, too */
#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
	int rank;
	int data[4] = {1, 2, 3, 4}, counts[2] = {1, 2}, at[2] = {0, 1};
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	counts[0] = rank == 0 ? 1 : 2;
	counts[1] = rank == 0 ? 2 : 1;
	at[1] = counts[0];
	MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, data, counts, at, MPI_INT, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
