/* expect: HB-MESSAGE-LOST|HB-LEAK-MESSAGE
 * also: HB-MESSAGE-LOST HB-LEAK-MESSAGE
 * why: the message is taken out by MPI_Mprobe and never received (MPI 4.0, 3.8.2) */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value = 1;
	MPI_Message message;
	if (rank == 0)
		MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
	else
		MPI_Mprobe(0, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
