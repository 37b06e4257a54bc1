/* processes: 3
 * why: counts and types differ between the processes, their signatures do not */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int data[8] = {0}, all[24];
	MPI_Datatype four, strided;
	MPI_Type_contiguous(4, MPI_INT, &four);
	MPI_Type_vector(4, 1, 2, MPI_INT, &strided);
	MPI_Type_commit(&four);
	MPI_Type_commit(&strided);
	if (rank == 0)
		MPI_Bcast(data, 1, strided, 0, MPI_COMM_WORLD);
	else if (rank == 1)
		MPI_Bcast(data, 4, MPI_INT, 0, MPI_COMM_WORLD);
	else
		MPI_Bcast(data, 1, four, 0, MPI_COMM_WORLD);
	MPI_Gather(data, rank == 1 ? 1 : 4, rank == 1 ? four : MPI_INT, all, 1, four, 0, MPI_COMM_WORLD);
	MPI_Allgather(data, 4, MPI_INT, all, 1, four, MPI_COMM_WORLD);
	MPI_Type_free(&four);
	MPI_Type_free(&strided);
	MPI_Finalize();
	return 0;
}
