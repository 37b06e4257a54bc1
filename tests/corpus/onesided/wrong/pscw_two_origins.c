/*
 * processes: 3
 * expect: HB-RMA-RACE
 * why: two origins put to the same place in one exposure epoch
 */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, *mem, value = 1;
	MPI_Win win;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Win_allocate(16 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win);
	for (int i = 0; i < 16; i++)
		mem[i] = 0;
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Group all, other;
	int zero = 0, both[2] = {1, 2};
	MPI_Comm_group(MPI_COMM_WORLD, &all);
	if (rank == 0) {
		MPI_Group_incl(all, 2, both, &other);
		MPI_Win_post(other, 0, win);
		MPI_Win_wait(win);
	} else {
		MPI_Group_incl(all, 1, &zero, &other);
		MPI_Win_start(other, 0, win);
		MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
		MPI_Win_complete(win);
	}
	MPI_Group_free(&all);
	MPI_Group_free(&other);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
