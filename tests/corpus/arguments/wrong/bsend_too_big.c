/* expect: HB-ARG-BUFFER
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING HB-DEADLOCK-ORPHAN HB-MESSAGE-MISSING
 * why: a message longer than the whole buffer */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	static char room[100 + MPI_BSEND_OVERHEAD], data[100000];
	void *back;
	int size;
	MPI_Buffer_attach(room, sizeof room);
	if (rank == 0)
		MPI_Bsend(data, sizeof data, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
	else
		MPI_Recv(data, sizeof data, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Buffer_detach(&back, &size);
	MPI_Finalize();
	return 0;
}
