/* expect: HB-MESSAGE-TRUNCATED
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING HB-LEAK-REQUEST HB-FINALIZE-PENDING
 * why: one of two nonblocking receives is too short */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int a[4] = {0}, b[4] = {0};
	MPI_Request request[2];
	if (rank == 0) {
		MPI_Isend(a, 4, MPI_INT, 1, 1, MPI_COMM_WORLD, &request[0]);
		MPI_Isend(b, 4, MPI_INT, 1, 2, MPI_COMM_WORLD, &request[1]);
	} else {
		MPI_Irecv(a, 4, MPI_INT, 0, 1, MPI_COMM_WORLD, &request[0]);
		MPI_Irecv(b, 2, MPI_INT, 0, 2, MPI_COMM_WORLD, &request[1]);
	}
	MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
	MPI_Finalize();
	return 0;
}
