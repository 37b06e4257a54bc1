/* why: communicators of the same processes may be freed in different orders */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Comm a, b;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_dup(MPI_COMM_WORLD, &a);
	MPI_Comm_dup(MPI_COMM_WORLD, &b);
	MPI_Barrier(a);
	MPI_Barrier(b);
	MPI_Comm_free(rank == 0 ? &a : &b);
	MPI_Comm_free(rank == 0 ? &b : &a);
	MPI_Finalize();
	return 0;
}
