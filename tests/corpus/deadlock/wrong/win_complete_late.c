/* processes: 2
 * expect: HB-DEADLOCK-CYCLE
 * why: rank 0 waits before MPI_Win_complete for a message that comes after MPI_Win_wait */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, v = 1, *mem, first = 0, second = 1;
	MPI_Win win;
	MPI_Group world, zero, one;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win);
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 1, &first, &zero);
	MPI_Group_incl(world, 1, &second, &one);
	int got;
	if (rank == 0) {
		MPI_Win_start(one, 0, win);
		MPI_Put(&v, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
		MPI_Recv(&got, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Win_complete(win);
	} else {
		MPI_Win_post(zero, 0, win);
		MPI_Win_wait(win);
		MPI_Send(&v, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	}
	MPI_Group_free(&zero);
	MPI_Group_free(&one);
	MPI_Group_free(&world);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
