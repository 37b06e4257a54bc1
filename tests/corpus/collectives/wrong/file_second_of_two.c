/* expect: HB-COLLECTIVE-CALL
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-MESSAGE-TRUNCATED HB-CALL-FAILED HB-COLLECTIVE-MISSING
 * why: of two open files the second is read by one process and written by the other */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int value = 1;
	MPI_File file[2];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int mode = MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE | MPI_MODE_RDWR;
	MPI_File_open(MPI_COMM_WORLD, "hbdb_left.tmp", mode, MPI_INFO_NULL, &file[0]);
	MPI_File_open(MPI_COMM_WORLD, "hbdb_right.tmp", mode, MPI_INFO_NULL, &file[1]);
	if (rank == 0)
		MPI_File_read_all(file[1], &value, 1, MPI_INT, MPI_STATUS_IGNORE);
	else
		MPI_File_write_all(file[1], &value, 1, MPI_INT, MPI_STATUS_IGNORE);
	MPI_File_close(&file[0]);
	MPI_File_close(&file[1]);
	MPI_Finalize();
	return 0;
}
