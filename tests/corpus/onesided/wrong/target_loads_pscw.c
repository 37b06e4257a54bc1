/*
 * processes: 2
 * expect: HB-RMA-RACE
 * why: the target reads between post and wait what a put writes
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	int rank, *mem, value = 1, got = 0;
	MPI_Win win;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Win_allocate(16 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win);
	for (int i = 0; i < 16; i++)
		mem[i] = 0;
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Group all, other;
	MPI_Comm_group(MPI_COMM_WORLD, &all);
	int partner = 1 - rank;
	MPI_Group_incl(all, 1, &partner, &other);
	if (rank == 0) {
		MPI_Win_start(other, 0, win);
		MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
		MPI_Win_complete(win);
	} else {
		MPI_Win_post(other, 0, win);
		got = mem[0];
		MPI_Win_wait(win);
	}
	MPI_Group_free(&all);
	MPI_Group_free(&other);
	MPI_Win_free(&win);
	if (got < 0)
		printf("%d\n", got);
	MPI_Finalize();
	return 0;
}
