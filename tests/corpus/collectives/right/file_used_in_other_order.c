/* why: each process opens a file of its own between those of all: which is which has to be known */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int value = 1;
	MPI_File file[2], own;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int mode = MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE | MPI_MODE_RDWR;
	MPI_File_open(MPI_COMM_WORLD, "hbdb_up.tmp", mode, MPI_INFO_NULL, &file[0]);
	if (rank == 0)
		MPI_File_open(MPI_COMM_SELF, "hbdb_own.tmp", mode, MPI_INFO_NULL, &own);
	MPI_File_open(MPI_COMM_WORLD, "hbdb_down.tmp", mode, MPI_INFO_NULL, &file[1]);
	MPI_File_write_at_all(file[1], 4 * rank, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
	MPI_File_sync(file[0]);
	MPI_File_close(&file[1]);
	if (rank == 0)
		MPI_File_close(&own);
	MPI_File_close(&file[0]);
	MPI_Finalize();
	return 0;
}
