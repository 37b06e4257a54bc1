/* processes: 2
 * expect: HB-DEADLOCK-CYCLE
 * also: HB-LEAK-FILE
 * why: rank 1 waits for a message instead of taking part in the collective write */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, v = 1;
	MPI_File f;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_File_open(MPI_COMM_WORLD, "file_write_missing.tmp",
		MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &f);
	MPI_File_write_at_all(f, rank * 4, &v, 1, MPI_INT, MPI_STATUS_IGNORE);
	if (rank == 0)
		MPI_File_set_size(f, 400);
	else
		MPI_Recv(&v, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_File_close(&f);
	MPI_Finalize();
	return 0;
}
