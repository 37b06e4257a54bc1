/* processes: 2
 * expect: HB-HANDLE-FREED
 * also: HB-CALL-FAILED HB-ARG-REQUEST
 * why: a copy of the request is waited for after its completion */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int v = rank, w;
	MPI_Request r, copy;
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	if (rank == 0) {
		MPI_Send(&v, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
	} else {
		MPI_Irecv(&w, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &r);
		copy = r;
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		int flag;
		MPI_Request_get_status(copy, &flag, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
