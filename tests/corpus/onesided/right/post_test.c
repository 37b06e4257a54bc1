/* why: MPI_Win_test until the exposure is over */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	static int memory;
	int value = rank, other = 1 - rank, flag = 0;
	MPI_Win win;
	MPI_Group world, group;
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 1, &other, &group);
	MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_post(group, MPI_MODE_NOSTORE, win);
	MPI_Win_start(group, 0, win);
	MPI_Put(&value, 1, MPI_INT, other, 0, 1, MPI_INT, win);
	MPI_Win_complete(win);
	while (!flag)
		MPI_Win_test(win, &flag);
	MPI_Group_free(&group);
	MPI_Group_free(&world);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
