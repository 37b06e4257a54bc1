/* expect: HB-COLLECTIVE-CALL
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-MESSAGE-TRUNCATED HB-CALL-FAILED HB-COLLECTIVE-MISSING
 * why: rank 0 reads, rank 1 writes: both calls are collective */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int value = 1;
	MPI_File file;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_File_open(MPI_COMM_WORLD, "hbdb_mixed.tmp", MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE | MPI_MODE_RDWR,
		MPI_INFO_NULL, &file);
	if (rank == 0)
		MPI_File_read_all(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
	else
		MPI_File_write_all(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
	MPI_File_close(&file);
	MPI_Finalize();
	return 0;
}
