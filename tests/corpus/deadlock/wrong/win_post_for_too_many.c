/* processes: 3
 * expect: HB-DEADLOCK-CYCLE
 * why: rank 1 posts for ranks 0 and 2, and rank 2 never starts */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, v = 1, *mem, first = 0, second = 1;
	MPI_Win win;
	MPI_Group world, zero, one, both;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win);
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 1, &first, &zero);
	MPI_Group_incl(world, 1, &second, &one);
	MPI_Group_incl(world, 2, (int[]){0, 2}, &both);
	if (rank == 0) {
		MPI_Win_start(one, 0, win);
		MPI_Put(&v, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
		MPI_Win_complete(win);
	} else if (rank == 1) {
		MPI_Win_post(both, 0, win);
		MPI_Win_wait(win);
	}
	MPI_Group_free(&zero);
	MPI_Group_free(&one);
	MPI_Group_free(&both);
	MPI_Group_free(&world);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
