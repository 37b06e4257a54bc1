/* expect: HB-MESSAGE-READY
 * also: HB-CALL-FAILED HB-DEADLOCK-POTENTIAL
 * why: a ready send is started when its receive can not be there yet (MPI 4.0, 3.4) */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value = 1;
	if (rank == 0)
		MPI_Rsend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 1)
		MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
