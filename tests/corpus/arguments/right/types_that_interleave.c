/* processes: 2
 * why: datatypes whose elements lie between each other, backwards, side by side or on top of each other only where they are sent */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int memory[16] = {0};
	MPI_Datatype type;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int other[16] = {0}, starts[4] = {0, 4, 8, 12};
	MPI_Datatype column, lines, back, pair;
	MPI_Type_vector(4, 1, 4, MPI_INT, &column);
	MPI_Type_create_resized(column, 0, sizeof(int), &type); /* a column of a matrix, and the next one beside it */
	MPI_Type_create_hvector(3, 2, -(int)(3 * sizeof(int)), MPI_INT, &back);
	MPI_Type_create_hvector(2, 2, sizeof(int), MPI_INT, &pair); /* overlaps */
	MPI_Type_create_indexed_block(4, 4, starts, MPI_INT, &lines);
	MPI_Type_commit(&type);
	MPI_Type_commit(&lines);
	MPI_Type_commit(&back);
	MPI_Type_commit(&pair);
	MPI_Sendrecv(memory, 16, MPI_INT, 1 - rank, 1, other, 4, type, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(memory, 1, lines, 1 - rank, 1, other, 1, lines, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(memory, 1, pair, 1 - rank, 1, other, 4, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(
		memory, 6, MPI_INT, 1 - rank, 1, other + 6, 1, back, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Alltoall(memory, 8, MPI_INT, other, 2, type, MPI_COMM_WORLD);
	MPI_Bcast(memory, rank ? 4 : 1, rank ? MPI_INT : pair, 0, MPI_COMM_WORLD);
	MPI_Type_free(&column);
	MPI_Type_free(&lines);
	MPI_Type_free(&back);
	MPI_Type_free(&pair);
	MPI_Type_free(&type);
	MPI_Finalize();
	return 0;
}
