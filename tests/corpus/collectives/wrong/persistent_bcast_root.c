/* expect: HB-COLLECTIVE-ROOT
 * also: HB-BUFFER-OVERLAP HB-BUFFER-WRITTEN HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-CALL-FAILED
 * mpi: mpich
 * why: roots of a persistent broadcast differ (Open MPI 4.1 has no persistent collectives) */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value = rank;
	MPI_Request request;
	MPI_Bcast_init(&value, 1, MPI_INT, rank, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
	MPI_Start(&request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Request_free(&request);
	MPI_Finalize();
	return 0;
}
