/* why: buffers are changed after the completion of their requests, whichever way that was found out */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value, got, flag = 0, index, n, indices[1];
	MPI_Request request;
	for (int i = 0; i < 12; i++) {
		value = i;
		if (rank == 0)
			MPI_Isend(&value, 1, MPI_INT, 1, i, MPI_COMM_WORLD, &request);
		else
			MPI_Irecv(&got, 1, MPI_INT, 0, i, MPI_COMM_WORLD, &request);
		if (i % 4 == 0)
			MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE);
		else if (i % 4 == 1)
			MPI_Waitsome(1, &request, &n, indices, MPI_STATUSES_IGNORE);
		else
			for (flag = 0; !flag;)
				if (i % 4 == 2)
					MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
				else
					MPI_Testall(1, &request, &flag, MPI_STATUSES_IGNORE);
		got = value = -1;
	}
	MPI_Finalize();
	return 0;
}
