/* usage: wrong [hang]; spawns two processes of itself. Nobody frees the communicator that it makes, rank 1 of the children does not free a datatype
 * either; with hang, rank 0 of either world waits for a message of the other one. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
	int rank, value = 0;
	MPI_Comm parent, other, dup;
	MPI_Datatype pair;
	MPI_Init(&argc, &argv);
	MPI_Comm_get_parent(&parent);
	other = parent;
	if (parent == MPI_COMM_NULL)
		MPI_Comm_spawn(argv[0], argv + 1, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other, MPI_ERRCODES_IGNORE);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_dup(MPI_COMM_WORLD, &dup);
	if (parent != MPI_COMM_NULL && rank == 1)
		MPI_Type_contiguous(2, MPI_INT, &pair);
	if (argc > 1 && !strcmp(argv[1], "hang") && !rank)
		MPI_Recv(&value, 1, MPI_INT, 0, 6, other, MPI_STATUS_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Comm_disconnect(&other);
	MPI_Finalize();
	return 0;
}
