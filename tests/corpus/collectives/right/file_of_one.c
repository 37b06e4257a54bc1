/* why: each process opens a file of its own, on MPI_COMM_SELF */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_File file;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int mode = MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE | (rank == 0 ? MPI_MODE_RDWR : MPI_MODE_WRONLY);
	MPI_File_open(MPI_COMM_SELF, rank == 0 ? "hbdb_first.tmp" : "hbdb_second.tmp", mode, MPI_INFO_NULL, &file);
	MPI_File_close(&file);
	MPI_Finalize();
	return 0;
}
