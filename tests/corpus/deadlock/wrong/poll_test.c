/* processes: 2
   expect: HB-HANG-POLL
   also: HB-MESSAGE-LOST HB-MESSAGE-MISSING HB-LEAK-REQUEST HB-FINALIZE-PENDING
   why: asks for ever for a message that is never sent */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, size;
	int x = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Request q;
	int flag = 0;
	if (rank == 0) {
		MPI_Irecv(&x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &q);
		while (!flag)
			MPI_Test(&q, &flag, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return size < 1;
}
