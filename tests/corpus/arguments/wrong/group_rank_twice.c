/* expect: HB-ARG-RANK|HB-ARG-VALUE|HB-CALL-FAILED
 * also: HB-ARG-RANK HB-ARG-VALUE HB-CALL-FAILED HB-FINALIZE-MISSING HB-LEAK-GROUP
 * why: a process is named twice for a group (MPI 4.0, 7.3.2: ranks must be distinct) */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	int ranks[2] = {1, 1};
	MPI_Group world, group;
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 2, ranks, &group);
	MPI_Group_free(&group);
	MPI_Group_free(&world);
	MPI_Finalize();
	return 0;
}
