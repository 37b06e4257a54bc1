/* expect: HB-ARG-COUNT|HB-ARG-VALUE
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING
 * why: a negative block length */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Datatype type;
	MPI_Type_vector(2, -1, 2, MPI_INT, &type);
	MPI_Type_free(&type);
	MPI_Finalize();
	return 0;
}
