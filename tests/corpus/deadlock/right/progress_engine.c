/* processes: 2
   why: sends complete in a loop that serves what comes meanwhile */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, size;
	int x = 0, y = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Request q;
	int sent = 0, got = 0, there;
	MPI_Isend(&x, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &q);
	while (!sent || !got) {
		if (!sent)
			MPI_Test(&q, &sent, MPI_STATUS_IGNORE);
		MPI_Iprobe(1 - rank, 0, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
		if (there) {
			MPI_Recv(&y, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			got = 1;
		}
	}
	MPI_Finalize();
	return size < 1;
}
