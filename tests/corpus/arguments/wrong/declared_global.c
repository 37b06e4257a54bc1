/* processes: 2
 * expect: HB-BUFFER-TYPE
 * why: a global array of float, reduced as MPI_INT by a function that gets its address */
#include <mpi.h>

static float sums[8], all[8];

static void add(float *from, float *to) { MPI_Allreduce(from + 4, to + 4, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD); }

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	add(sums, all);
	MPI_Reduce(sums, all, 8, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
