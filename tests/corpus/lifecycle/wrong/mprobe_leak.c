/* processes: 2
 * expect: HB-LEAK-MESSAGE
 * also: HB-MESSAGE-LOST
 * why: the message that MPI_Mprobe took is never received */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int v = rank;
	MPI_Message m;
	if (rank == 0)
		MPI_Send(&v, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
	else
		MPI_Mprobe(0, 1, MPI_COMM_WORLD, &m, MPI_STATUS_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
