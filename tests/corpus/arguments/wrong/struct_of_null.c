/* expect: HB-ARG-TYPE
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING HB-LEAK-DATATYPE HB-CRASH
 * why: a structure with a member of no type */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int lengths[2] = {1, 1};
	MPI_Aint at[2] = {0, 8};
	MPI_Datatype types[2] = {MPI_INT, MPI_DATATYPE_NULL}, type;
	MPI_Type_create_struct(2, lengths, at, types, &type);
	MPI_Finalize();
	return 0;
}
