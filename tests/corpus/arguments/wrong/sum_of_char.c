/* expect: HB-ARG-OP
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING
 * why: MPI_CHAR is for text: no operation takes it */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	char in = 1, out;
	MPI_Allreduce(&in, &out, 1, MPI_CHAR, MPI_SUM, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
