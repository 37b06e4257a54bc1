/* expect: HB-LEAK-REQUEST|HB-FINALIZE-PENDING
 * also: HB-LEAK-REQUEST HB-FINALIZE-PENDING
 * why: a nonblocking barrier is never completed */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Request request;
	MPI_Ibarrier(MPI_COMM_WORLD, &request);
	MPI_Finalize();
	return 0;
}
