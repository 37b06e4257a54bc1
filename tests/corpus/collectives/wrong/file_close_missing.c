/* expect: HB-COLLECTIVE-MISSING|HB-LEAK-FILE|HB-DEADLOCK-ORPHAN|HB-DEADLOCK-CYCLE|HB-COLLECTIVE-CALL
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-MESSAGE-TRUNCATED HB-CALL-FAILED HB-LEAK-FILE HB-COLLECTIVE-MISSING
 * why: rank 1 leaves the file open */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_File file;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_File_open(MPI_COMM_WORLD, "hbdb_open.tmp", MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE | MPI_MODE_RDWR,
		MPI_INFO_NULL, &file);
	if (rank == 0)
		MPI_File_close(&file);
	MPI_Finalize();
	return 0;
}
