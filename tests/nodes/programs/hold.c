/* hold FILE: adds up with an operation of its own, inside of which a process stays for ever whose node has FILE: no call of it differs, and none returns. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

static const char *file;

static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
	(void)type;
	while (!access(file, F_OK))
		pause();
	for (int i = 0; i < *n; i++)
		((int *)inout)[i] += ((int *)in)[i];
}

int main(int argc, char **argv)
{
	int one = 1, sum = 0;
	MPI_Op op;
	file = argc > 1 ? argv[1] : "/nowhere";
	MPI_Init(&argc, &argv);
	MPI_Op_create(add, 1, &op);
	for (int i = 0; i < 10; i++)
		MPI_Allreduce(&one, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
	MPI_Op_free(&op);
	MPI_Finalize();
	return 0;
}
