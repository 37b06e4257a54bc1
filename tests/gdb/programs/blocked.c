/* Ranks above 0 wait for a message that never comes; rank 0 sleeps. Built with -O2: some variables are optimized out. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int reduced;
static void sum(void *in, void *inout, int *n, MPI_Datatype *type)
{
	(void)type;
	for (int i = 0; i < *n; i++)
		((int *)inout)[i] += ((int *)in)[i];
	reduced++;
}

__attribute__((noinline)) static int receive(int depth, int from)
{
	int unused = depth * 3, got = unused;
	if (depth)
		return receive(depth - 1, from) + 1;
	MPI_Recv(&got, 1, MPI_INT, from, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return got;
}

int main(int argc, char **argv)
{
	int rank, value = 1, total = 0;
	MPI_Op op;
	alarm(300);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Op_create(sum, 1, &op);
	MPI_Allreduce(&value, &total, 1, MPI_INT, op, MPI_COMM_WORLD);
	printf("%d\n", (int)getpid());
	fflush(stdout);
	if (rank)
		total += receive(3, 0);
	else {
		while (reduced < 1000000) {
			MPI_Op_free(&op);
			MPI_Op_create(sum, 1, &op);
			MPI_Reduce_local(&value, &total, 1, MPI_INT, op);
			usleep(20000);
		}
	}
	MPI_Finalize();
	return total;
}
