/* expect: HB-ARG-VALUE
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING
 * why: a file cannot be opened for reading only and for writing only */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_File fh;
	MPI_File_open(MPI_COMM_SELF, "/dev/null", MPI_MODE_RDONLY | MPI_MODE_WRONLY, MPI_INFO_NULL, &fh);
	MPI_Finalize();
	return 0;
}
