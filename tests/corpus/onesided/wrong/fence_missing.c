/* expect: HB-HANG|HB-COLLECTIVE-MISSING|HB-COLLECTIVE-CALL|HB-DEADLOCK-ORPHAN|HB-DEADLOCK-CYCLE|HB-RMA-EPOCH-OPEN
 * also: HB-HANG HB-COLLECTIVE-MISSING HB-COLLECTIVE-CALL HB-DEADLOCK-ORPHAN HB-DEADLOCK-CYCLE HB-CALL-FAILED HB-RMA-EPOCH-OPEN HB-FINALIZE-MISSING HB-LEAK-WIN
 * why: process 1 leaves out the second fence */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	static int memory;
	MPI_Win win;
	MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_fence(0, win);
	if (rank == 0)
		MPI_Win_fence(0, win);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
