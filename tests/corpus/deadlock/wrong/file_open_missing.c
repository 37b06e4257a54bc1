/* processes: 2
 * expect: HB-DEADLOCK-CYCLE
 * also: HB-COLLECTIVE-CALL
 * why: rank 1 receives where rank 0 opens the file */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, v = 1;
	MPI_File f;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 1)
		MPI_Recv(&v, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_File_open(MPI_COMM_WORLD, "file_open_missing.tmp",
		MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &f);
	if (rank == 0)
		MPI_Send(&v, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
	MPI_File_close(&f);
	MPI_Finalize();
	return 0;
}
