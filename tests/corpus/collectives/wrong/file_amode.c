/* expect: HB-COLLECTIVE-VALUE
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-MESSAGE-TRUNCATED HB-CALL-FAILED HB-COLLECTIVE-CALL HB-COLLECTIVE-MISSING
 * why: amode has to be the same everywhere (MPI 4.0, 14.2.1) */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_File file = MPI_FILE_NULL; // MPICH leaves it alone when the call fails
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int mode = MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE | (rank == 0 ? MPI_MODE_RDWR : MPI_MODE_WRONLY);
	MPI_File_open(MPI_COMM_WORLD, "hbdb_amode.tmp", mode, MPI_INFO_NULL, &file);
	if (file != MPI_FILE_NULL)
		MPI_File_close(&file);
	MPI_Finalize();
	return 0;
}
