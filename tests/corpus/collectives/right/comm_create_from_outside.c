/* why: a process that is not in the group may name it all the same */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int first[1] = {0};
	MPI_Group world, group;
	MPI_Comm part;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 1, first, &group);
	MPI_Comm_create(MPI_COMM_WORLD, group, &part);
	if (part != MPI_COMM_NULL)
		MPI_Comm_free(&part);
	MPI_Group_free(&group);
	MPI_Group_free(&world);
	MPI_Finalize();
	return 0;
}
