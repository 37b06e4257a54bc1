/* expect: HB-ARG-ROOT
   why: rank 0 gives a root that does not exist and gets an error at once: the others never see that call, and all later ones fit */
#include <mpi.h>
int main(int argc, char **argv)
{
	int rank, x = 0, y = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	if (rank == 0)
		MPI_Bcast(&x, 1, MPI_INT, 99, MPI_COMM_WORLD);
	MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
