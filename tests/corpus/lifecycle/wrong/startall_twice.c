/* expect: HB-REQUEST-ACTIVE
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING HB-CRASH HB-BUFFER-OVERLAP HB-MESSAGE-LOST HB-LEAK-REQUEST HB-FINALIZE-PENDING HB-DEADLOCK-ORPHAN HB-HANG
 * says: MPI_Startall names a request twice in its array
 * why: the array of MPI_Startall has one request in two places */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int value = 1;
	MPI_Request request[3];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		MPI_Recv_init(&value, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, &request[0]);
		MPI_Recv_init(&value, 1, MPI_INT, MPI_PROC_NULL, 7, MPI_COMM_WORLD, &request[1]);
		request[2] = request[0];
		MPI_Startall(3, request);
		MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
		MPI_Request_free(&request[0]);
		MPI_Request_free(&request[1]);
	} else {
		MPI_Send(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
		MPI_Send(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
