/* expect: HB-MESSAGE-TYPE
 * why: a message that was probed is received as another type */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int value[2] = {1, 2};
	float in[2];
	MPI_Message message;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		MPI_Send(value, 2, MPI_INT, 1, 3, MPI_COMM_WORLD);
	} else {
		MPI_Mprobe(0, 3, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
		MPI_Mrecv(in, 2, MPI_FLOAT, &message, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
