/* processes: 2
 * expect: HB-DEADLOCK-CYCLE
 * why: both wait for the accesses of the other before they make theirs */
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
	MPI_Win_post(rank ? zero : one, 0, win);
	MPI_Win_wait(win);
	MPI_Win_start(rank ? zero : one, 0, win);
	MPI_Put(&v, 1, MPI_INT, !rank, 0, 1, MPI_INT, win);
	MPI_Win_complete(win);
	MPI_Group_free(&zero);
	MPI_Group_free(&one);
	MPI_Group_free(&world);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
