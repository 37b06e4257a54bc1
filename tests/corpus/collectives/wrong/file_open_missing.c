/* expect: HB-COLLECTIVE-MISSING|HB-DEADLOCK-ORPHAN|HB-DEADLOCK-CYCLE
 * also: HB-COLLECTIVE-MISSING HB-DEADLOCK-ORPHAN HB-DEADLOCK-CYCLE HB-COLLECTIVE-CALL
 * why: opening a file is collective: process 1 does not take part */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_File file;
	if (rank == 0) {
		MPI_File_open(MPI_COMM_WORLD, "x.dat", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
			MPI_INFO_NULL, &file);
		MPI_File_close(&file);
	}
	MPI_Finalize();
	return 0;
}
