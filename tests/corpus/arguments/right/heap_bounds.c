/* processes: 2
 * why: no elements one past the end, MPI_BOTTOM, negative lower bounds, extents beyond the block, memory of MPI_Alloc_mem and of an array of a length that is not constant */
#include <mpi.h>
#include <stdlib.h>

static int rank;

static void turn(void *a, void *b, int n, MPI_Datatype type)
{
	MPI_Sendrecv(a, n, type, 1 - rank, 0, b, n, type, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int *a = calloc(10, sizeof *a), *b = calloc(10, sizeof *b), *m, two = 1;
	turn(a + 10, b + 10, 0, MPI_INT);
	MPI_Aint at[2] = {-20, 0}, where;
	MPI_Datatype back, wide, absolute;
	MPI_Type_create_hindexed_block(2, 1, at, MPI_INT, &back);
	MPI_Type_commit(&back);
	turn(a + 9, b + 9, 1, back);
	MPI_Type_create_resized(MPI_INT, -1000, 100000, &wide);
	MPI_Type_commit(&wide);
	turn(a + 9, b + 9, 1, wide);
	MPI_Get_address(a, &where);
	MPI_Type_create_hindexed(1, (int[]){10}, &where, MPI_INT, &absolute);
	MPI_Type_commit(&absolute);
	MPI_Bcast(MPI_BOTTOM, 1, absolute, 0, MPI_COMM_WORLD);
	MPI_Alloc_mem(4000, MPI_INFO_NULL, &m);
	int stack[990 + 10 * (rank >= 0)];
	for (int i = 0; i < 1000; i++)
		stack[i] = i;
	turn(stack, m, 1000, MPI_INT);
	MPI_Free_mem(m);
	MPI_Allreduce(&two, a + 9, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	a = realloc(a, 1000 * sizeof *a);
	MPI_Bcast(a, 1000, MPI_INT, 0, MPI_COMM_WORLD);
	free(a);
	free(b);
	MPI_Type_free(&back);
	MPI_Type_free(&wide);
	MPI_Type_free(&absolute);
	MPI_Finalize();
	return 0;
}
