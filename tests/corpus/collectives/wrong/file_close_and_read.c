/* expect: HB-COLLECTIVE-CALL|HB-COLLECTIVE-MISSING
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-MESSAGE-TRUNCATED HB-CALL-FAILED HB-COLLECTIVE-MISSING HB-LEAK-FILE
 * why: rank 1 closes the file, rank 0 reads once more together */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int value = 1;
	MPI_File file;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_File_open(MPI_COMM_WORLD, "hbdb_closed.tmp", MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE | MPI_MODE_RDWR,
		MPI_INFO_NULL, &file);
	MPI_File_write_at_all(file, rank * sizeof value, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
	if (rank == 0)
		MPI_File_read_at_all(file, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
	MPI_File_close(&file);
	MPI_Finalize();
	return 0;
}
