/* why: nonblocking collectives of two files, started in the same order and completed in another */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int value[2] = {1, 2};
	MPI_File file[2];
	MPI_Request request[2];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int mode = MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE | MPI_MODE_RDWR;
	MPI_File_open(MPI_COMM_WORLD, "hbdb_third.tmp", mode, MPI_INFO_NULL, &file[0]);
	MPI_File_open(MPI_COMM_WORLD, "hbdb_fourth.tmp", mode, MPI_INFO_NULL, &file[1]);
	for (int i = 0; i < 2; i++)
		MPI_File_iwrite_at_all(file[i], 4 * rank, &value[i], 1, MPI_INT, &request[i]);
	MPI_Wait(&request[rank], MPI_STATUS_IGNORE);
	MPI_Wait(&request[1 - rank], MPI_STATUS_IGNORE);
	MPI_File_close(&file[0]);
	MPI_File_close(&file[1]);
	MPI_Finalize();
	return 0;
}
