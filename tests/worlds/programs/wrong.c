/* usage: wrong [hang | computes | alone]; spawns two processes of itself. Nobody frees the communicator that it makes, rank 1 of the children does not free a datatype
 * either; with hang, rank 0 of either world waits for a message of the other one; with computes, rank 0 of the makers does
 * so only when there is a file go-on; with alone, messages of the children and between the worlds are sent that nobody
 * receives, and receives posted that nothing is sent for. */
#include <mpi.h>
#include <string.h>
#include <unistd.h>

static void alone(MPI_Comm other, int rank, int child)
{
	int value[4] = {0};
	MPI_Request never[2];
	if (child && !rank)
		MPI_Send(&value[0], 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
	if (!child && rank)
		MPI_Send(&value[0], 1, MPI_INT, 0, 8, other);
	if (child && rank) {
		MPI_Irecv(&value[1], 1, MPI_INT, MPI_ANY_SOURCE, 20, other, &never[0]);
		MPI_Irecv(&value[2], 1, MPI_INT, 0, 30, MPI_COMM_WORLD, &never[1]);
	}
	/* what was sent before has come when this has */
	MPI_Sendrecv(&value[0], 1, MPI_INT, !rank, 6, &value[3], 1, MPI_INT, !rank, 6, other, MPI_STATUS_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD);
}

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
	while (argc > 1 && !strcmp(argv[1], "computes") && !rank && parent == MPI_COMM_NULL && access("go-on", F_OK))
		;
	if (argc > 1 && (!strcmp(argv[1], "hang") || !strcmp(argv[1], "computes")) && !rank)
		MPI_Recv(&value, 1, MPI_INT, 0, 6, other, MPI_STATUS_IGNORE);
	if (argc > 1 && !strcmp(argv[1], "alone"))
		alone(other, rank, parent != MPI_COMM_NULL);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Comm_disconnect(&other);
	MPI_Finalize();
	return 0;
}
