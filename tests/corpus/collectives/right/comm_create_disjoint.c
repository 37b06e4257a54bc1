/* processes: 4
 * why: MPI_Comm_create of several groups at a time, and of none */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int range[3] = {0, 1, 1};
	MPI_Group world, group;
	MPI_Comm part;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	range[0] = range[1] = rank;
	if (rank < 2)
		range[0] = 0, range[1] = 1;
	MPI_Group_range_incl(world, 1, &range, &group);
	MPI_Comm_create(MPI_COMM_WORLD, rank == 3 ? MPI_GROUP_EMPTY : group, &part);
	if (part != MPI_COMM_NULL)
		MPI_Comm_free(&part);
	MPI_Group_free(&group);
	MPI_Group_free(&world);
	MPI_Finalize();
	return 0;
}
