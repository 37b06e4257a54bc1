/* expect: HB-RMA-RANGE
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING HB-CRASH HB-DEADLOCK-ORPHAN HB-DEADLOCK-CYCLE HB-LEAK-WIN
 * why: the put reaches one element beyond the window */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	static int memory[8];
	int values[3] = {1, 2, 3};
	MPI_Win win;
	MPI_Win_create(memory, 4 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_fence(0, win);
	if (rank == 1)
		MPI_Put(values, 3, MPI_INT, 0, 2, 3, MPI_INT, win);
	MPI_Win_fence(0, win);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
