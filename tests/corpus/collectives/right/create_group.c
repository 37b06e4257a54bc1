/* processes: 4
 * why: only the members call MPI_Comm_create_group */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int ranks[2] = {1, 3};
	MPI_Group world, odd;
	MPI_Comm comm;
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 2, ranks, &odd);
	if (rank % 2) {
		MPI_Comm_create_group(MPI_COMM_WORLD, odd, 9, &comm);
		MPI_Barrier(comm);
		MPI_Comm_free(&comm);
	}
	MPI_Comm_create(MPI_COMM_WORLD, odd, &comm);
	if (comm != MPI_COMM_NULL)
		MPI_Comm_free(&comm);
	MPI_Group_free(&odd);
	MPI_Group_free(&world);
	MPI_Finalize();
	return 0;
}
