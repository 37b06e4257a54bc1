/*
 * processes: 2
 * why: request-based puts, waited for together
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	int rank, *mem, got = 0;
	MPI_Win win;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Win_allocate(16 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win);
	for (int i = 0; i < 16; i++)
		mem[i] = 0;
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock_all(0, win);
	if (rank == 0) {
		MPI_Request request[4];
		int values[4] = {1, 2, 3, 4};
		for (int i = 0; i < 4; i++)
			MPI_Rput(&values[i], 1, MPI_INT, 1, i, 1, MPI_INT, win, &request[i]);
		MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
		for (int i = 0; i < 4; i++)
			values[i] = 0;
		got = values[0];
	}
	MPI_Win_unlock_all(win);
	MPI_Win_free(&win);
	if (got < 0)
		printf("%d\n", got);
	MPI_Finalize();
	return 0;
}
