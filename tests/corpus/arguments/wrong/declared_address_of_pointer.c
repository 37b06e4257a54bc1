/* processes: 2
 * expect: HB-BUFFER-TYPE
 * also: HB-BUFFER-SIZE
 * why: the address of the pointer is broadcast in the place of what it points to */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	double *values = calloc(4, sizeof *values);
	MPI_Bcast(&values, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
