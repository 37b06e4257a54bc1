/* expect: HB-COLLECTIVE-CALL
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-HANG HB-CALL-FAILED
 * why: collective calls on a file must be made in the same order (MPI 4.0, 14.6.4) */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_File file;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_File_open(MPI_COMM_WORLD, "/dev/null", MPI_MODE_RDWR, MPI_INFO_NULL, &file);
	if (rank == 0)
		MPI_File_set_atomicity(file, 0);
	MPI_File_sync(file);
	if (rank != 0)
		MPI_File_set_atomicity(file, 0);
	MPI_File_close(&file);
	MPI_Finalize();
	return 0;
}
