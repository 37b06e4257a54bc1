/* processes: 2
 * expect: HB-LEAK-WIN
 * also: HB-CRASH
 * why: the window is never freed */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int v = rank;
	MPI_Win win;
	MPI_Win_create(&v, sizeof v, sizeof v, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_fence(0, win);
	MPI_Win_fence(0, win);
	MPI_Finalize();
	return 0;
}
