/* processes: 2
 * expect: HB-LEAK-OP
 * why: the operation is never freed */
#include <mpi.h>

static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
	(void)type;
	for (int i = 0; i < *n; i++)
		((int *)inout)[i] += ((int *)in)[i];
}

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int v = rank, sum;
	MPI_Op op;
	MPI_Op_create(add, 1, &op);
	MPI_Allreduce(&v, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
