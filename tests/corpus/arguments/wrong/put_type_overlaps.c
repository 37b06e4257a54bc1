/* expect: HB-ARG-TYPE
 * also: HB-RMA-RACE
 * says: the target of this call must not name a place twice
 * why: the datatype of the target of MPI_Put names one int twice */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int memory[16] = {0};
	MPI_Datatype type;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Win win;
	int from[2] = {1, 2};
	MPI_Type_create_hvector(2, 1, 0, MPI_INT, &type);
	MPI_Type_commit(&type);
	MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_fence(0, win);
	if (rank == 0)
		MPI_Put(from, 2, MPI_INT, 1, 0, 1, type, win);
	MPI_Win_fence(0, win);
	MPI_Win_free(&win);
	MPI_Type_free(&type);
	MPI_Finalize();
	return 0;
}
