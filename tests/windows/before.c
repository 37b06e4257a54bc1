/* What before-recording is a recording of: made when fences, posts and starts were recorded without assertions and groups. */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, x = 7, memory[4] = {0}, other;
	MPI_Group world, group;
	MPI_Win win;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	other = 1 - rank;
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 1, &other, &group);
	MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
	if (rank == 0)
		MPI_Put(&x, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
	MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
	if (rank == 0) {
		MPI_Win_start(group, 0, win);
		MPI_Get(&x, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
		MPI_Win_complete(win);
		MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else {
		MPI_Win_post(group, 0, win);
		MPI_Win_wait(win);
		MPI_Send(&x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
	}
	MPI_Win_free(&win);
	MPI_Group_free(&group);
	MPI_Group_free(&world);
	MPI_Finalize();
	return 0;
}
