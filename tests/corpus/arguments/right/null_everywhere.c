/* why: null handles and pointers where they may be */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Request none[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
	int index, flag;
	MPI_Waitall(2, none, MPI_STATUSES_IGNORE);
	MPI_Waitall(0, 0, MPI_STATUSES_IGNORE);
	MPI_Waitany(2, none, &index, MPI_STATUS_IGNORE);
	MPI_Test(&none[0], &flag, MPI_STATUS_IGNORE);
	MPI_Sendrecv(
		0, 0, MPI_INT, 1 - rank, 0, 0, 0, MPI_INT, 1 - rank, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
