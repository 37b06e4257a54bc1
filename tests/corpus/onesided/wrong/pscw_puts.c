/* processes: 3
 * expect: HB-RMA-RACE
 * why: two origins of one exposure epoch put to the same place */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	static int memory;
	int value = rank, others[2] = {1, 2}, zero = 0;
	MPI_Win win;
	MPI_Group world, group;
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Group_incl(world, rank ? 1 : 2, rank ? &zero : others, &group);
	if (rank == 0) {
		MPI_Win_post(group, 0, win);
		MPI_Win_wait(win);
	} else {
		MPI_Win_start(group, 0, win);
		MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
		MPI_Win_complete(win);
	}
	MPI_Group_free(&group);
	MPI_Group_free(&world);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
