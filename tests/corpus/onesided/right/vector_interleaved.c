/*
 * processes: 3
 * why: two origins put into every second element, one the even and one the odd ones
 */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, *mem;
	MPI_Win win;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Win_allocate(16 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win);
	for (int i = 0; i < 16; i++)
		mem[i] = 0;
	MPI_Barrier(MPI_COMM_WORLD);
	int values[4] = {1, 2, 3, 4};
	MPI_Datatype every_second;
	MPI_Type_vector(4, 1, 2, MPI_INT, &every_second);
	MPI_Type_commit(&every_second);
	MPI_Win_fence(0, win);
	if (rank > 0)
		MPI_Put(values, 4, MPI_INT, 0, rank - 1, 1, every_second, win);
	MPI_Win_fence(0, win);
	MPI_Type_free(&every_second);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
