/* expect: HB-INIT-TWICE
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING
 * why: MPI_Init is called twice (MPI 4.0, 11.2.1) */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Init(&argc, &argv);
	MPI_Finalize();
	return 0;
}
