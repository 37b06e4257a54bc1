/* processes: 2
 * expect: HB-LEAK-COMM
 * why: the communicator of MPI_Comm_idup is never freed */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm c;
	MPI_Request r;
	MPI_Comm_idup(MPI_COMM_WORLD, &c, &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	MPI_Barrier(c);
	MPI_Finalize();
	return 0;
}
