/* expect: HB-COLLECTIVE-VALUE
 * mpi: openmpi
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-MESSAGE-TRUNCATED HB-CALL-FAILED HB-COLLECTIVE-MISSING
 * why: split_type has to be the same everywhere (MPI 4.0, 7.4.2); MPICH has no other */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Comm part;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_split_type(
		MPI_COMM_WORLD, rank == 0 ? MPI_COMM_TYPE_SHARED : OMPI_COMM_TYPE_SOCKET, 0, MPI_INFO_NULL, &part);
	if (part != MPI_COMM_NULL)
		MPI_Comm_free(&part);
	MPI_Finalize();
	return 0;
}
