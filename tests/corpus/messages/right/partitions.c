/* processes: 2
 * mpi: mpich
 * why: 4 partitions are sent and 2 received, in two rounds: Open MPI 4 has no partitioned communication */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, flag = 0, buf[16] = {0};
	MPI_Request r;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		MPI_Psend_init(buf, 4, 4, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
		for (int round = 0; round < 2; round++) {
			int last[] = {2, 0};
			MPI_Start(&r);
			MPI_Pready(3, r);
			MPI_Pready_range(1, 1, r);
			MPI_Pready_list(2, last, r);
			MPI_Wait(&r, MPI_STATUS_IGNORE);
		}
	} else {
		MPI_Precv_init(buf, 2, 8, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
		for (int round = 0; round < 2; round++) {
			MPI_Start(&r);
			for (flag = 0; !flag;)
				MPI_Parrived(r, 1, &flag);
			MPI_Wait(&r, MPI_STATUS_IGNORE);
		}
	}
	MPI_Request_free(&r);
	MPI_Finalize();
	return 0;
}
