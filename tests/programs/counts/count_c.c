/* Prints how often it calls each function of MPI: hbdb must have counted the same, each once. Failed polls too. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static long polls, probes;
static int rank, size;

static void print(const char *name, long n)
{
	if (n)
		printf("%d: %s %ld\n", rank, name, n);
}

static void messages(void)
{
	int v, flag = 0, done, which[2];
	MPI_Request r[2];
	int next = (rank + 1) % size, prev = (rank + size - 1) % size;
	for (int i = 0; i < 5; i++) {
		MPI_Irecv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &r[0]);
		MPI_Isend(&rank, 1, MPI_INT, next, 1, MPI_COMM_WORLD, &r[1]);
		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	}
	MPI_Irecv(&v, 1, MPI_INT, prev, 2, MPI_COMM_WORLD, &r[0]);
	MPI_Send(&rank, 1, MPI_INT, next, 2, MPI_COMM_WORLD);
	while (!flag) {
		MPI_Test(&r[0], &flag, MPI_STATUS_IGNORE);
		polls++;
	}
	MPI_Send(&rank, 1, MPI_INT, next, 3, MPI_COMM_WORLD);
	for (flag = 0; !flag; probes++)
		MPI_Iprobe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
	MPI_Recv(&v, 1, MPI_INT, prev, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	r[0] = r[1] = MPI_REQUEST_NULL;
	MPI_Waitsome(2, r, &done, which, MPI_STATUSES_IGNORE);
}

static void collectives(void)
{
	int v = rank, sum;
	MPI_Comm twin;
	MPI_Comm_dup(MPI_COMM_WORLD, &twin);
	for (int i = 0; i < 7; i++)
		MPI_Allreduce(&v, &sum, 1, MPI_INT, MPI_SUM, twin);
	MPI_Bcast(&v, 1, MPI_INT, 0, twin);
	MPI_Barrier(twin);
	MPI_Comm_free(&twin);
}

int main(int argc, char **argv)
{
	double t = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	messages();
	collectives();
	for (int i = 0; i < 4; i++)
		t += MPI_Wtime();
	PMPI_Barrier(MPI_COMM_WORLD); /* by its other name it is the same call */
	MPI_Finalize();
	print("MPI_Init", 1);
	print("MPI_Comm_rank", 1);
	print("MPI_Comm_size", 1);
	print("MPI_Irecv", 6);
	print("MPI_Isend", 5);
	print("MPI_Waitall", 5);
	print("MPI_Send", 2);
	print("MPI_Test", polls);
	print("MPI_Iprobe", probes);
	print("MPI_Recv", 1);
	print("MPI_Waitsome", 1);
	print("MPI_Comm_dup", 1);
	print("MPI_Allreduce", 7);
	print("MPI_Bcast", 1);
	print("MPI_Barrier", 2);
	print("MPI_Comm_free", 1);
	print("MPI_Wtime", 4);
	print("MPI_Finalize", 1);
	return t > 0 ? 0 : 1;
}
