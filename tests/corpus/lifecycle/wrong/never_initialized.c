/* processes: 2
 * expect: HB-CALL-BEFORE-INIT
 * why: MPI_Init is never called */
#include <mpi.h>

int main(int argc, char **argv)
{
	(void)argc, (void)argv;
	MPI_Barrier(MPI_COMM_WORLD);
	return 0;
}
