/* processes: 2
 * expect: HB-LEAK-GROUP
 * why: the group of MPI_Comm_group is a new reference each time */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Group a, b;
	MPI_Comm_group(MPI_COMM_WORLD, &a);
	MPI_Comm_group(MPI_COMM_WORLD, &b);
	MPI_Group_free(&a);
	MPI_Finalize();
	return 0;
}
