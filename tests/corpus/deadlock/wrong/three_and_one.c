/* processes: 4
   expect: HB-DEADLOCK-CYCLE
   also: HB-MESSAGE-LOST HB-MESSAGE-MISSING HB-LEAK-REQUEST HB-FINALIZE-PENDING
   why: three wait in a ring, the fourth for one of them */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, size;
	int x = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (rank == 3)
		MPI_Recv(&x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	else
		MPI_Recv(&x, 1, MPI_INT, (rank + 1) % 3, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Send(&x, 1, MPI_INT, rank == 3 ? 3 : (rank + 2) % 3, 1, MPI_COMM_WORLD);
	MPI_Finalize();
	return size < 1;
}
