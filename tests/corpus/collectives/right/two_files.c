/* why: two files of one communicator; which is read first may differ, collective calls on each are in order */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	char bytes[4] = "";
	MPI_File file[2];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 2; i++)
		MPI_File_open(MPI_COMM_WORLD, "/dev/null", MPI_MODE_RDONLY, MPI_INFO_NULL, &file[i]);
	MPI_File_read(file[rank], bytes, 4, MPI_BYTE, MPI_STATUS_IGNORE);
	MPI_File_read_all(file[0], bytes, 4, MPI_BYTE, MPI_STATUS_IGNORE);
	MPI_File_read_at_all(file[1], 0, bytes, 4, MPI_BYTE, MPI_STATUS_IGNORE);
	MPI_File_close(&file[1]);
	MPI_File_close(&file[0]);
	MPI_Finalize();
	return 0;
}
