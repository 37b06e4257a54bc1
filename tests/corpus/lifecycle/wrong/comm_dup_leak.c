/* processes: 2
 * expect: HB-LEAK-COMM
 * why: the duplicate is never freed */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm c;
	MPI_Comm_dup(MPI_COMM_WORLD, &c);
	MPI_Barrier(c);
	MPI_Finalize();
	return 0;
}
