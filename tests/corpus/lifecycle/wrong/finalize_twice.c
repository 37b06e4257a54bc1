/* processes: 2
 * expect: HB-CALL-AFTER-FINALIZE
 * why: MPI_Finalize is called twice */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Finalize();
	MPI_Finalize();
	return 0;
}
