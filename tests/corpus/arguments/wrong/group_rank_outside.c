/* expect: HB-ARG-RANK
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING HB-LEAK-GROUP HB-ARG-HANDLE HB-HANDLE-FREED HB-CRASH
 * why: a rank that the group does not have */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int who[1] = {2};
	MPI_Group world, part;
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 1, who, &part);
	MPI_Group_free(&part);
	MPI_Group_free(&world);
	MPI_Finalize();
	return 0;
}
