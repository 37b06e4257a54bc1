/* processes: 3
   expect: HB-DEADLOCK-ORPHAN
   also: HB-COLLECTIVE-MISSING
   why: rank 1 leaves without the barrier */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (rank != 1)
		MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return size < 1;
}
