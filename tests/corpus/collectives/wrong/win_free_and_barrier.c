/* expect: HB-COLLECTIVE-CALL|HB-COLLECTIVE-MISSING|HB-LEAK-WIN|HB-DEADLOCK-CYCLE
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-MESSAGE-TRUNCATED HB-CALL-FAILED HB-COLLECTIVE-MISSING HB-LEAK-WIN HB-HANG
 * why: rank 1 never frees the window */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	static int memory[4];
	MPI_Win win;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	if (rank == 0)
		MPI_Win_free(&win);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
