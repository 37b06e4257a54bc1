/* processes: 2
 * mpi: mpich
 * why: partitions that are not ready yet, and those that have come, are the program's */
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
		for (int i = 0; i < 4; i++) {
			a[3 * i] = i;
			MPI_Pready(i, r);
		}
		MPI_Wait(&r, MPI_STATUS_IGNORE);
	} else {
		MPI_Precv_init(a, 4, 3, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
		MPI_Start(&r);
		for (int i = 0; i < 4; i++)
			for (flag = 0; !flag;)
				MPI_Parrived(r, i, &flag);
		a[11] = 1;
		MPI_Wait(&r, MPI_STATUS_IGNORE);
	}
	MPI_Request_free(&r);
	MPI_Finalize();
	return flag > 1;
}
