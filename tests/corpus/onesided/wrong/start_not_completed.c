/* expect: HB-RMA-EPOCH-OPEN|HB-DEADLOCK-ORPHAN|HB-DEADLOCK-CYCLE
 * also: HB-HANG HB-CALL-FAILED HB-FINALIZE-MISSING HB-RMA-EPOCH-OPEN HB-DEADLOCK-ORPHAN HB-DEADLOCK-CYCLE HB-LEAK-WIN HB-LEAK-GROUP
 * why: an access epoch is begun and not completed: the target waits in MPI_Win_wait */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	static int memory;
	int value = rank, other = 1 - rank;
	MPI_Win win;
	MPI_Group world, group;
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 1, &other, &group);
	MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	if (rank == 0) {
		MPI_Win_post(group, 0, win);
		MPI_Win_wait(win);
	} else {
		MPI_Win_start(group, 0, win);
		MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
	}
	MPI_Group_free(&group);
	MPI_Group_free(&world);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
