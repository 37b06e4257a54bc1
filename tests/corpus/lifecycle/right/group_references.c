/* processes: 2
 * why: each group of a communicator is freed as often as it was got */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Group a, b, empty;
	int size;
	MPI_Comm_group(MPI_COMM_WORLD, &a);
	MPI_Comm_group(MPI_COMM_WORLD, &b);
	MPI_Group_free(&a);
	MPI_Group_size(b, &size);
	MPI_Group_difference(b, b, &empty);
	if (empty != MPI_GROUP_EMPTY)
		MPI_Group_free(&empty);
	MPI_Group_free(&b);
	MPI_Finalize();
	return 0;
}
