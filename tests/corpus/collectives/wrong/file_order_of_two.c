/* expect: HB-COLLECTIVE-CALL|HB-DEADLOCK-CYCLE|HB-COLLECTIVE-MISSING|HB-HANG
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-MESSAGE-TRUNCATED HB-CALL-FAILED HB-COLLECTIVE-MISSING
 * why: two files are synchronised in another order: collectives of both order each other */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_File file[2];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int mode = MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE | MPI_MODE_RDWR;
	MPI_File_open(MPI_COMM_WORLD, "hbdb_first.tmp", mode, MPI_INFO_NULL, &file[0]);
	MPI_File_open(MPI_COMM_WORLD, "hbdb_second.tmp", mode, MPI_INFO_NULL, &file[1]);
	MPI_File_set_size(file[rank], 8);
	MPI_File_set_size(file[1 - rank], 8);
	MPI_File_close(&file[0]);
	MPI_File_close(&file[1]);
	MPI_Finalize();
	return 0;
}
