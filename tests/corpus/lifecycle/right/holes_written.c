/* processes: 2
 * why: what lies between the elements that are sent may change */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int v[8] = {0};
	MPI_Request r;
	MPI_Datatype t;
	MPI_Type_vector(4, 1, 2, MPI_INT, &t);
	MPI_Type_commit(&t);
	if (rank == 0) {
		MPI_Isend(v, 1, t, 1, 1, MPI_COMM_WORLD, &r);
		v[5] = 77;
		MPI_Wait(&r, MPI_STATUS_IGNORE);
	} else {
		MPI_Recv(v, 1, t, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Type_free(&t);
	MPI_Finalize();
	return 0;
}
