/* expect: HB-COLLECTIVE-CALL
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-HANG HB-CALL-FAILED
 * mpi: mpich
 * why: persistent collectives are made in another order (Open MPI 4.1 has none) */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int value = 1, sum = 0;
	MPI_Request request[2];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request[0]);
	MPI_Allreduce_init(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request[1]);
	if (rank != 0)
		MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request[0]);
	MPI_Request_free(&request[0]);
	MPI_Request_free(&request[1]);
	MPI_Finalize();
	return 0;
}
