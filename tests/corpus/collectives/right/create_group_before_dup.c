/* processes: 4
 * why: MPI_Comm_create_group is called by its members only; later communicators of the parent are the same for all */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, size, two[2] = {1, 2}, b = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Group all, some;
	MPI_Comm_group(MPI_COMM_WORLD, &all);
	MPI_Group_incl(all, 2, two, &some);
	for (int i = 0; i < 2 && (rank == 1 || rank == 2); i++) {
		MPI_Comm pair;
		MPI_Comm_create_group(MPI_COMM_WORLD, some, 3, &pair);
		MPI_Bcast(&b, 1, MPI_INT, 0, pair);
		MPI_Comm_free(&pair);
	}
	MPI_Comm dup;
	MPI_Comm_dup(MPI_COMM_WORLD, &dup);
	MPI_Barrier(dup);
	MPI_Sendrecv_replace(&b, 1, MPI_INT, (rank + 1) % size, 5, (rank + size - 1) % size, 5, dup, MPI_STATUS_IGNORE);
	MPI_Comm_free(&dup);
	MPI_Group_free(&all);
	MPI_Group_free(&some);
	MPI_Finalize();
	return 0;
}
