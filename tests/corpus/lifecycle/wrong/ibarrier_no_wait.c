/* processes: 2
 * expect: HB-LEAK-REQUEST
 * why: the request of the collective is never completed */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Request r;
	MPI_Ibarrier(MPI_COMM_WORLD, &r);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
