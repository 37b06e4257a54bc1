/* processes: 3
 * why: groups that overlap, made in an order that fits, with different tags; rank 2 is in one only */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int pair[2] = {0, 1};
	MPI_Group world, group;
	MPI_Comm two, all;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 2, pair, &group);
	if (rank < 2) {
		MPI_Comm_create_group(MPI_COMM_WORLD, group, 3, &two);
		MPI_Comm_free(&two);
	}
	MPI_Comm_create_group(MPI_COMM_WORLD, world, 4, &all);
	MPI_Comm_free(&all);
	MPI_Group_free(&group);
	MPI_Group_free(&world);
	MPI_Finalize();
	return 0;
}
