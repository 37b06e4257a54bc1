/* expect: HB-COLLECTIVE-VALUE
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-MESSAGE-TRUNCATED HB-CALL-FAILED HB-COLLECTIVE-MISSING HB-HANG
 * why: all processes of the group have to give the same tag (MPI 4.0, 7.4.2) */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Group world;
	MPI_Comm part;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Comm_create_group(MPI_COMM_WORLD, world, 5 + rank, &part);
	MPI_Comm_free(&part);
	MPI_Group_free(&world);
	MPI_Finalize();
	return 0;
}
