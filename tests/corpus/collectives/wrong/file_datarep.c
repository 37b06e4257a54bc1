/* expect: HB-COLLECTIVE-VALUE
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-MESSAGE-TRUNCATED HB-CALL-FAILED
 * why: the data representation has to be the same everywhere (MPI 4.0, 14.3) */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_File file;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_File_open(MPI_COMM_WORLD, "hbdb_datarep.tmp", MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE | MPI_MODE_RDWR,
		MPI_INFO_NULL, &file);
	MPI_File_set_view(file, 0, MPI_INT, MPI_INT, rank == 0 ? "native" : "internal", MPI_INFO_NULL);
	MPI_File_close(&file);
	MPI_Finalize();
	return 0;
}
