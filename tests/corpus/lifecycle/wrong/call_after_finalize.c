/* processes: 2
 * expect: HB-CALL-AFTER-FINALIZE
 * why: a communicator is used after MPI_Finalize */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Finalize();
	MPI_Barrier(MPI_COMM_WORLD);
	return 0;
}
