/* expect: HB-LEAK-REQUEST|HB-FINALIZE-PENDING
 * also: HB-LEAK-REQUEST HB-FINALIZE-PENDING
 * why: the request of an MPI_Rput is never completed */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	static int memory;
	int value = rank;
	MPI_Win win;
	MPI_Request request;
	MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_lock_all(0, win);
	if (rank == 1)
		MPI_Rput(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win, &request);
	MPI_Win_unlock_all(win);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
