/* expect: HB-HANDLE-PREDEFINED
 * also: HB-ARG-TYPE HB-ARG-TYPE HB-CALL-FAILED HB-FINALIZE-MISSING
 * why: predefined datatypes are not for freeing */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Datatype type = MPI_INT;
	MPI_Type_free(&type);
	MPI_Finalize();
	return 0;
}
