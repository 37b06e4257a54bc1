/* processes: 2
 * expect: HB-CALL-BEFORE-INIT
 * why: MPI_Comm_rank is called before MPI_Init */
#include <mpi.h>

int main(int argc, char **argv)
{
	int size;
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Init(&argc, &argv);
	MPI_Finalize();
	return 0;
}
