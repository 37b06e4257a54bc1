/* processes: 3
   expect: HB-DEADLOCK-ORPHAN
   also: HB-MESSAGE-LOST HB-MESSAGE-MISSING HB-LEAK-REQUEST HB-FINALIZE-PENDING
   why: a matched probe for a tag that is never sent */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, size;
	int x = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Message message;
	if (rank == 0) {
		MPI_Mprobe(MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
		MPI_Mrecv(&x, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
	} else {
		MPI_Send(&x, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return size < 1;
}
