/* processes: 2
   expect: HB-DEADLOCK-CYCLE
   also: HB-COLLECTIVE-MISSING HB-LEAK-COMM
   why: barriers on two communicators in different orders */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm a, b;
	MPI_Comm_dup(MPI_COMM_WORLD, &a);
	MPI_Comm_dup(MPI_COMM_WORLD, &b);
	MPI_Barrier(rank ? a : b);
	MPI_Barrier(rank ? b : a);
	MPI_Comm_free(&a);
	MPI_Comm_free(&b);
	MPI_Finalize();
	return size < 1;
}
