/* processes: 1
 * expect: HB-MESSAGE-LOST
 * also: HB-DEADLOCK-ORPHAN
 * mpi: openmpi
 * why: a process sends to itself and does not receive (MPICH waits for the receive) */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	int value = 1;
	MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
	MPI_Finalize();
	return 0;
}
