/* processes: 3
 * why: an own operation on an own type, made in each process */
#include <mpi.h>

static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
	double *a = in, *b = inout;
	for (int i = 0; i < 2 * *n; i++)
		b[i] += a[i];
}

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	double z[2] = {rank, 1}, sum[2];
	MPI_Datatype pair;
	MPI_Op op;
	MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
	MPI_Type_commit(&pair);
	MPI_Op_create(add, 1, &op);
	MPI_Allreduce(z, sum, 1, pair, op, MPI_COMM_WORLD);
	MPI_Reduce(z, sum, 1, pair, op, 2, MPI_COMM_WORLD);
	MPI_Op_free(&op);
	MPI_Type_free(&pair);
	MPI_Finalize();
	return 0;
}
