/* expect: HB-COLLECTIVE-MISSING|HB-DEADLOCK-ORPHAN|HB-DEADLOCK-CYCLE|HB-HANG
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-MESSAGE-TRUNCATED HB-CALL-FAILED HB-COLLECTIVE-MISSING HB-LEAK-GROUP HB-HANG
 * why: rank 1 belongs to the group and leaves out the call */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Group world;
	MPI_Comm part;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	if (rank == 0) {
		MPI_Comm_create_group(MPI_COMM_WORLD, world, 5, &part);
		MPI_Comm_free(&part);
	}
	MPI_Group_free(&world);
	MPI_Finalize();
	return 0;
}
