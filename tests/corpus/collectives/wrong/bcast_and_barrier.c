/* expect: HB-COLLECTIVE-CALL
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-CALL-FAILED
 * why: collective calls of one communicator must be the same in all its processes (MPI 4.0, 6.1) */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value = rank;
	if (rank == 0)
		MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
	else
		MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
