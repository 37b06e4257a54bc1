/* processes: 3
   expect: HB-DEADLOCK-CYCLE
   also: HB-COLLECTIVE-MISSING HB-MESSAGE-LOST HB-MESSAGE-MISSING HB-LEAK-REQUEST HB-FINALIZE-PENDING
   why: rank 0 receives before the barrier what rank 1 sends behind it */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, size;
	int x = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (rank == 0)
		MPI_Recv(&x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 1)
		MPI_Send(&x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
	MPI_Finalize();
	return size < 1;
}
