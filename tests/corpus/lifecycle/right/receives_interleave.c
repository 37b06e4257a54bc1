/* processes: 2
 * why: two pending receives fill alternating elements of one array */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int v[4] = {1, 2, 3, 4}, w[8] = {0};
	MPI_Datatype t;
	MPI_Request r[2];
	MPI_Type_vector(4, 1, 2, MPI_INT, &t);
	MPI_Type_commit(&t);
	if (rank == 0) {
		MPI_Send(v, 4, MPI_INT, 1, 1, MPI_COMM_WORLD);
		MPI_Send(v, 4, MPI_INT, 1, 2, MPI_COMM_WORLD);
	} else {
		MPI_Irecv(&w[0], 1, t, 0, 1, MPI_COMM_WORLD, &r[0]);
		MPI_Irecv(&w[1], 1, t, 0, 2, MPI_COMM_WORLD, &r[1]);
		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	}
	MPI_Type_free(&t);
	MPI_Finalize();
	return 0;
}
