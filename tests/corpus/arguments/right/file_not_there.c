/* why: a file that is not there is an answer */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_File fh;
	if (MPI_File_open(MPI_COMM_SELF, "/nowhere/at/all", MPI_MODE_RDONLY, MPI_INFO_NULL, &fh) == MPI_SUCCESS)
		MPI_File_close(&fh);
	MPI_Finalize();
	return 0;
}
