/* processes: 1
 * expect: HB-LEAK-FILE
 * why: the file is never closed */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_File f;
	MPI_File_open(MPI_COMM_SELF, "/dev/null", MPI_MODE_RDONLY, MPI_INFO_NULL, &f);
	MPI_Finalize();
	return 0;
}
