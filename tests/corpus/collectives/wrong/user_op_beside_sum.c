/* expect: HB-COLLECTIVE-OP
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-HANG HB-CALL-FAILED
 * why: one process reduces with an operation of its own, the other with MPI_SUM */
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
	int value = 1, sum = 0;
	MPI_Op op;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Op_create(add, 1, &op);
	MPI_Allreduce(&value, &sum, 1, MPI_INT, rank == 0 ? op : MPI_SUM, MPI_COMM_WORLD);
	MPI_Op_free(&op);
	MPI_Finalize();
	return 0;
}
