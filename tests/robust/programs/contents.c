/* Collectives and messages whose contents are the same in every run, or not.
 * usage: contents same|random|time|text|pending|holes */
#include <fcntl.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int rank, size;
static const char *mode;

static int is(const char *m) { return !strcmp(mode, m); }

static void fresh(void *p, size_t n)
{
	int fd = open("/dev/urandom", O_RDONLY);
	if (fd < 0 || read(fd, p, n) != (ssize_t)n)
		abort();
	close(fd);
}

/* Every blocking collective once, from x: 25 contents for each process of two, at least. */
static void collectives(double *x)
{
	double y[8], *a = calloc(8, (size_t)size * 8), *b = calloc(8, (size_t)size * 8);
	int n[16], at[16], bytes[16];
	MPI_Datatype types[16];
	MPI_Request r;
	for (int i = 0; i < size; i++)
		n[i] = 3, at[i] = 4 * i, bytes[i] = 32 * i, types[i] = MPI_DOUBLE;
	MPI_Allreduce(x, y, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	MPI_Allreduce(MPI_IN_PLACE, y, 4, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	MPI_Gather(x, 4, MPI_DOUBLE, a, 4, MPI_DOUBLE, 1, MPI_COMM_WORLD);
	MPI_Gatherv(x, 3, MPI_DOUBLE, a, n, at, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	MPI_Allgather(x, 4, MPI_DOUBLE, a, 4, MPI_DOUBLE, MPI_COMM_WORLD);
	MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, a, 4, MPI_DOUBLE, MPI_COMM_WORLD);
	MPI_Allgatherv(x, 3, MPI_DOUBLE, a, n, at, MPI_DOUBLE, MPI_COMM_WORLD);
	MPI_Alltoall(a, 4, MPI_DOUBLE, b, 4, MPI_DOUBLE, MPI_COMM_WORLD);
	MPI_Alltoallv(a, n, at, MPI_DOUBLE, b, n, at, MPI_DOUBLE, MPI_COMM_WORLD);
	MPI_Alltoallw(a, n, bytes, types, b, n, bytes, types, MPI_COMM_WORLD);
	MPI_Scatter(a, 4, MPI_DOUBLE, y, 4, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	MPI_Scatterv(a, n, at, MPI_DOUBLE, y, 3, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	MPI_Reduce_scatter_block(a, y, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	MPI_Reduce_scatter(a, y, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	MPI_Scan(x, y, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	MPI_Exscan(x, y, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	MPI_Reduce(x, y, 4, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	MPI_Ibcast(x, 4, MPI_DOUBLE, 0, MPI_COMM_WORLD, &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD);
	free(a);
	free(b);
}

static void messages(void)
{
	char text[64];
	int ring[4] = {1, 2, 3, 4};
	MPI_Request r;
	if (is("text")) {
		fresh(text, sizeof text);
		text[20] = 1;
		memcpy(text, "a name", 7);
		MPI_Sendrecv_replace(text, 64, MPI_CHAR, !rank, 1, !rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else if (is("pending")) {
		int got[4], other[4];
		MPI_Isend(ring, 4, MPI_INT, !rank, 2, MPI_COMM_WORLD, &r);
		fresh(other, sizeof other);
		for (int i = 0; i < 4; i++)
			ring[i] = other[i] | (int)0x80808080u; /* wrong: it is pending. Bytes that no text has */
		MPI_Recv(got, 4, MPI_INT, !rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		MPI_Bcast(ring, 4, MPI_INT, 0, MPI_COMM_WORLD);
	} else if (is("holes")) {
		MPI_Datatype column;
		MPI_Type_vector(2, 1, 2, MPI_INT, &column);
		MPI_Type_commit(&column);
		if (rank)
			MPI_Send(ring, 1, column, 0, 3, MPI_COMM_WORLD);
		else
			MPI_Recv(ring, 1, column, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Type_free(&column);
	}
}

int main(int argc, char **argv)
{
	int64_t seed = 42;
	double x[4];
	mode = argc > 1 ? argv[1] : "same";
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (is("random") && rank == 0)
		fresh(&seed, sizeof seed);
	if (is("time") && rank == 0)
		seed = time(NULL);
	MPI_Bcast(&seed, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
	for (int i = 0; i < 4; i++)
		x[i] = (double)(seed % 100000) + rank + i;
	collectives(x);
	messages();
	MPI_Finalize();
	return 0;
}
