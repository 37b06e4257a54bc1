/* processes: 3
   expect: HB-DEADLOCK-ORPHAN
   also: HB-COLLECTIVE-MISSING
   why: rank 2 does not take part in MPI_Comm_split */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm half;
	if (rank != 2) {
		MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &half);
		MPI_Comm_free(&half);
	}
	MPI_Finalize();
	return size < 1;
}
