/* processes: 3
 * why: strided targets: their ranges overlap, their elements do not */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	static int memory[8];
	int values[4] = {1, 2, 3, 4};
	MPI_Win win;
	MPI_Datatype other;
	MPI_Type_vector(4, 1, 2, MPI_INT, &other);
	MPI_Type_commit(&other);
	MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_fence(0, win);
	if (rank > 0)
		MPI_Put(values, 4, MPI_INT, 0, rank - 1, 1, other, win);
	MPI_Win_fence(0, win);
	MPI_Type_free(&other);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
