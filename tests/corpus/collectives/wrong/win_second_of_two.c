/* expect: HB-COLLECTIVE-CALL|HB-COLLECTIVE-MISSING|HB-DEADLOCK-CYCLE
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-MESSAGE-TRUNCATED HB-CALL-FAILED HB-COLLECTIVE-MISSING HB-COLLECTIVE-CALL HB-LEAK-WIN HB-HANG HB-CRASH
 * why: of two windows rank 0 frees the second, rank 1 fences it */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	static int memory[2][4];
	MPI_Win win[2];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 2; i++)
		MPI_Win_create(memory[i], sizeof memory[i], 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win[i]);
	MPI_Win_fence(0, win[1]);
	if (rank == 0)
		MPI_Win_free(&win[1]);
	else
		MPI_Win_fence(0, win[1]);
	MPI_Win_free(&win[0]);
	MPI_Finalize();
	return 0;
}
