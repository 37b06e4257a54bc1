/* processes: 3
 * expect: HB-DEADLOCK-CYCLE
 * why: rank 1 is in a barrier where the others close the file */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_File f;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_File_open(MPI_COMM_WORLD, "file_close_missing.tmp",
		MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &f);
	if (rank == 1)
		MPI_Barrier(MPI_COMM_WORLD);
	MPI_File_close(&f);
	if (rank != 1)
		MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
