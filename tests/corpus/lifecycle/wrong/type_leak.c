/* processes: 2
 * expect: HB-LEAK-DATATYPE
 * why: the datatype is committed, used and never freed */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int v[4] = {0};
	MPI_Datatype t;
	MPI_Type_contiguous(2, MPI_INT, &t);
	MPI_Type_commit(&t);
	if (rank == 0)
		MPI_Send(v, 2, t, 1, 1, MPI_COMM_WORLD);
	else
		MPI_Recv(v, 2, t, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
