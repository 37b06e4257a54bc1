/*
 * processes: 3
 * why: puts to different elements of a dynamic window
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	int rank, *mem, value = 1, got = 0;
	MPI_Win win;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int store[16] = {0};
	MPI_Aint address, at;
	mem = store;
	MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_attach(win, store, sizeof store);
	MPI_Get_address(store, &address);
	at = address;
	MPI_Bcast(&at, 1, MPI_AINT, 0, MPI_COMM_WORLD);
	MPI_Win_lock_all(0, win);
	if (rank > 0)
		MPI_Put(&value, 1, MPI_INT, 0, at + 4 * rank, 1, MPI_INT, win);
	MPI_Win_unlock_all(win);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_detach(win, mem);
	MPI_Win_free(&win);
	if (got < 0)
		printf("%d\n", got);
	MPI_Finalize();
	return 0;
}
