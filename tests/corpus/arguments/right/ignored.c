/* processes: 1
 * why: all that may be ignored or null is */
#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	int value = 1, flag, got[2] = {0};
	MPI_Request request = MPI_REQUEST_NULL;
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Testall(1, &request, &flag, MPI_STATUSES_IGNORE);
	MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
	MPI_Send(NULL, 0, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
	MPI_Recv(NULL, 0, MPI_DOUBLE, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Bcast(NULL, 0, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Gather(&value, 1, MPI_INT, got, 1, MPI_INT, 0, MPI_COMM_SELF);
	MPI_Finalize();
	return 0;
}
