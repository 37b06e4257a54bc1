/* processes: 3
   expect: HB-DEADLOCK-CYCLE
   also: HB-MESSAGE-LOST HB-MESSAGE-MISSING HB-LEAK-REQUEST HB-FINALIZE-PENDING
   why: waits for one of two that both never come */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, size;
	int x = 0, y = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Request q[2];
	int index;
	if (rank == 0) {
		MPI_Irecv(&x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &q[0]);
		MPI_Irecv(&y, 1, MPI_INT, 2, 1, MPI_COMM_WORLD, &q[1]);
		MPI_Waitany(2, q, &index, MPI_STATUS_IGNORE);
		MPI_Waitany(2, q, &index, MPI_STATUS_IGNORE);
		MPI_Send(&x, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
	} else {
		MPI_Recv(&x, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Send(&x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return size < 1;
}
