/* expect: HB-COLLECTIVE-VALUE
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-MESSAGE-TRUNCATED HB-CALL-FAILED HB-COLLECTIVE-MISSING HB-HANG
 * why: the processes of a group have to give the same group (MPI 4.0, 7.4.2) */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int both[2] = {0, 1}, turned[2] = {1, 0};
	MPI_Group world, group;
	MPI_Comm part;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 2, rank == 0 ? both : turned, &group);
	MPI_Comm_create(MPI_COMM_WORLD, group, &part);
	if (part != MPI_COMM_NULL)
		MPI_Comm_free(&part);
	MPI_Group_free(&group);
	MPI_Group_free(&world);
	MPI_Finalize();
	return 0;
}
