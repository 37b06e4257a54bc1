/* processes: 2
   expect: HB-DEADLOCK-CYCLE
   also: HB-COLLECTIVE-MISSING HB-MESSAGE-LOST HB-MESSAGE-MISSING HB-LEAK-REQUEST HB-FINALIZE-PENDING
   why: waits for a nonblocking barrier that rank 1 enters only after a message from rank 0 */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, size;
	int x = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Request q;
	if (rank == 0) {
		MPI_Ibarrier(MPI_COMM_WORLD, &q);
		MPI_Wait(&q, MPI_STATUS_IGNORE);
		MPI_Send(&x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
	} else {
		MPI_Recv(&x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Ibarrier(MPI_COMM_WORLD, &q);
		MPI_Wait(&q, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return size < 1;
}
