/* processes: 3
   expect: HB-DEADLOCK-ORPHAN
   also: HB-DEADLOCK-CYCLE HB-MESSAGE-MISSING HB-LEAK-REQUEST HB-FINALIZE-PENDING
   why: process 0 needs both its receives, and process 2, which one of them waits for, is in MPI_Finalize; process 1 waits for process 0 */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, x[2] = {0};
	MPI_Request q[2];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		MPI_Irecv(&x[0], 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &q[0]);
		MPI_Irecv(&x[1], 1, MPI_INT, 2, 1, MPI_COMM_WORLD, &q[1]);
		MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
		MPI_Send(x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
	}
	if (rank == 1) {
		MPI_Recv(x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Send(x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
