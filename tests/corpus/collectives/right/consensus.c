/* processes: 3
 * why: Issend and Ibarrier: who has nothing more to send enters the barrier while others still send */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int value = rank, got, flag, done = 0, in = 0;
	MPI_Request send, barrier = MPI_REQUEST_NULL;
	MPI_Issend(&value, 1, MPI_INT, (rank + 1) % size, 3, MPI_COMM_WORLD, &send);
	while (!done) {
		MPI_Status status;
		MPI_Iprobe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &flag, &status);
		if (flag)
			MPI_Recv(&got, 1, MPI_INT, status.MPI_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (!in) {
			MPI_Test(&send, &flag, MPI_STATUS_IGNORE);
			if (flag) {
				MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
				in = 1;
			}
		} else
			MPI_Test(&barrier, &done, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
