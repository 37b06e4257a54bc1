/* processes: 2
 * expect: HB-REQUEST-ACTIVE
 * also: HB-CALL-FAILED HB-ARG-REQUEST
 * why: the request of a nonblocking collective must not be freed */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int v = rank;
	MPI_Request r;
	MPI_Ibcast(&v, 1, MPI_INT, 0, MPI_COMM_WORLD, &r);
	MPI_Request_free(&r);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
