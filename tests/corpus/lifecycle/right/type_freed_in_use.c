/* processes: 2
 * why: a datatype may be freed while operations and types that use it go on */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int v[4] = {rank}, w[4];
	MPI_Datatype t, u;
	MPI_Request r[2];
	MPI_Type_contiguous(2, MPI_INT, &t);
	MPI_Type_contiguous(2, t, &u);
	MPI_Type_free(&t);
	MPI_Type_commit(&u);
	MPI_Isend(v, 1, u, 1 - rank, 1, MPI_COMM_WORLD, &r[0]);
	MPI_Irecv(w, 1, u, 1 - rank, 1, MPI_COMM_WORLD, &r[1]);
	MPI_Type_free(&u);
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	MPI_Finalize();
	return 0;
}
