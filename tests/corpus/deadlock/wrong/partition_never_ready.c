/* expect: HB-DEADLOCK-ORPHAN
 * mpi: mpich
 * why: partition 2 is never marked ready, and the wait never ends: Open MPI 4 has no partitioned communication */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, buf[16] = {0};
	MPI_Request r;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		MPI_Psend_init(buf, 4, 4, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
		MPI_Start(&r);
		MPI_Pready_range(0, 1, r);
		MPI_Pready(3, r);
	} else {
		MPI_Precv_init(buf, 2, 8, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
		MPI_Start(&r);
	}
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	MPI_Request_free(&r);
	MPI_Finalize();
	return 0;
}
