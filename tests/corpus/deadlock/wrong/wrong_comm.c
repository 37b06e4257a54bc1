/* processes: 2
   expect: HB-DEADLOCK-ORPHAN|HB-DEADLOCK-CYCLE|HB-HANG
   also: HB-MESSAGE-LOST HB-MESSAGE-MISSING HB-LEAK-REQUEST HB-FINALIZE-PENDING
   why: sent on another communicator than received on */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, size;
	int x = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm other;
	MPI_Comm_dup(MPI_COMM_WORLD, &other);
	if (rank == 0)
		MPI_Recv(&x, 1, MPI_INT, 1, 1, other, MPI_STATUS_IGNORE);
	else
		MPI_Send(&x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
	MPI_Comm_free(&other);
	MPI_Finalize();
	return size < 1;
}
