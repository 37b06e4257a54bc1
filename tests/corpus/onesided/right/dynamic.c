/* why: a dynamic window: memory is attached later, addresses are sent round */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	static int memory;
	int value = rank;
	MPI_Aint address;
	MPI_Win win;
	MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_attach(win, &memory, sizeof memory);
	MPI_Get_address(&memory, &address);
	MPI_Bcast(&address, 1, MPI_AINT, 0, MPI_COMM_WORLD);
	if (rank == 1) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
		MPI_Put(&value, 1, MPI_INT, 0, address, 1, MPI_INT, win);
		MPI_Win_unlock(0, win);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_detach(win, &memory);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
