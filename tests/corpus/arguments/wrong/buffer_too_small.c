/* processes: 2
 * expect: HB-BUFFER-SIZE
 * why: every process gathers into room for one block */
#include <mpi.h>

static int guard_before[64];
static int all[4];
static int guard_behind[64];

int main(int argc, char **argv)
{
	int mine[4] = {1, 2, 3, 4};
	MPI_Init(&argc, &argv);
	MPI_Allgather(mine, 4, MPI_INT, all, 4, MPI_INT, MPI_COMM_WORLD);
	MPI_Finalize();
	return guard_before[3] + guard_behind[60];
}
