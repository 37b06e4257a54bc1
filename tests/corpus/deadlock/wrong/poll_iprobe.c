/* processes: 2
   expect: HB-HANG-POLL
   also: HB-MESSAGE-LOST HB-MESSAGE-MISSING HB-LEAK-REQUEST HB-FINALIZE-PENDING
   why: both ask for a message before they send one */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, size;
	int x = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int flag = 0;
	while (!flag)
		MPI_Iprobe(1 - rank, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
	MPI_Send(&x, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD);
	MPI_Recv(&x, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return size < 1;
}
