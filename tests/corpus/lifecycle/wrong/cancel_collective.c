/* processes: 2
 * expect: HB-REQUEST-ACTIVE
 * also: HB-CALL-FAILED HB-ARG-REQUEST
 * why: the request of a nonblocking collective must not be cancelled */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Request r;
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Ibarrier(MPI_COMM_WORLD, &r);
	MPI_Cancel(&r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
