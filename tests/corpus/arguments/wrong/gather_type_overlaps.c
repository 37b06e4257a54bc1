/* expect: HB-ARG-TYPE
 * says: overlaps the first
 * why: the blocks of an MPI_Gather lie extent behind extent: with this extent the second begins inside of the first */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int memory[16] = {0};
	MPI_Datatype type;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Datatype two;
	MPI_Type_contiguous(2, MPI_INT, &two);
	MPI_Type_create_resized(two, 0, sizeof(int), &type);
	MPI_Type_commit(&type);
	MPI_Type_free(&two);
	int mine[2] = {rank, rank};
	MPI_Gather(mine, 2, MPI_INT, memory, 1, type, 0, MPI_COMM_WORLD);
	MPI_Type_free(&type);
	MPI_Finalize();
	return 0;
}
