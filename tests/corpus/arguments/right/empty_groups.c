/* processes: 3
 * why: an empty group, ranks that are nowhere, and communicators that do not come to be */
#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	int ranks[2] = {0, 2}, there[2], range[1][3] = {{0, 2, 2}};
	MPI_Group world, some, none;
	MPI_Comm comm;
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 0, NULL, &none);
	MPI_Group_range_incl(world, 1, range, &some);
	MPI_Group_translate_ranks(world, 2, ranks, some, there);
	MPI_Comm_create(MPI_COMM_WORLD, some, &comm);
	if (comm != MPI_COMM_NULL)
		MPI_Comm_free(&comm);
	MPI_Group_free(&some);
	MPI_Group_free(&world);
	if (none != MPI_GROUP_EMPTY)
		MPI_Group_free(&none);
	MPI_Finalize();
	return 0;
}
