/* processes: 2
 * expect: HB-MESSAGE-TYPE
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING HB-BUFFER-TYPE
 * mpi: mpich
 * why: sent as MPI_INT, received as MPI_FLOAT, in partitions */
#include <mpi.h>

int main(int argc, char **argv)
{
	static int a[12];
	int rank, flag = 0;
	MPI_Request r;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		MPI_Psend_init(a, 4, 3, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
		MPI_Start(&r);
		MPI_Pready_range(0, 3, r);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
	} else {
		MPI_Precv_init(a, 4, 3, MPI_FLOAT, 0, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
		MPI_Start(&r);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
	}
	MPI_Request_free(&r);
	MPI_Finalize();
	return flag > 1;
}
