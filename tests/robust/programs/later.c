/* Collectives that are over after their call, those between two groups, and those of neighbours, with contents that are the same in
 * every run, or not: what the mode names starts from random bytes at process 0.
 * usage: later same|ibcast|iallreduce|ialltoallw|igatherv|persistent|between|grid|graph */
#include <fcntl.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;
static const char *mode;

/* Four numbers, of which nobody knows the first when the mode says so. */
static const double *input(const char *what)
{
	static double x[8];
	uint32_t seed = 7;
	int fd = -1;
	if (rank == 0 && !strcmp(mode, what) && ((fd = open("/dev/urandom", O_RDONLY)) < 0 || read(fd, &seed, 4) != 4))
		abort();
	if (fd >= 0)
		close(fd);
	for (int i = 0; i < 8; i++)
		x[i] = rank + i;
	x[0] = seed;
	return x;
}

static void over(MPI_Request *r)
{
	int flag = 0;
	if (rank)
		MPI_Wait(r, MPI_STATUS_IGNORE);
	while (!rank && !flag)
		MPI_Test(r, &flag, MPI_STATUS_IGNORE);
}

/* 8 contents that go in, and 7 that come out, at two processes. */
static void nonblocking(void)
{
	double x[8], y[8], a[16], b[16];
	MPI_Request r[2];
	memset(a, 0, sizeof a);
	memset(b, 0, sizeof b);
	memcpy(x, input("ibcast"), sizeof x);
	MPI_Ibcast(x, 4, MPI_DOUBLE, 0, MPI_COMM_WORLD, &r[0]);
	over(&r[0]);
	memcpy(x, input("iallreduce"), sizeof x);
	MPI_Iallreduce(x, y, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r[0]);
	MPI_Ibarrier(MPI_COMM_WORLD, &r[1]);
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	memcpy(a, input("ialltoallw"), 8 * sizeof *a);
	int n[2] = {3, 4}, at[2] = {0, 4}, bytes[2] = {0, 32}, from[2], out[2];
	MPI_Datatype types[2] = {MPI_DOUBLE, MPI_DOUBLE};
	for (int i = 0; i < 2; i++)
		from[i] = n[rank], out[i] = n[i];
	MPI_Ialltoallw(a, out, bytes, types, b, from, bytes, types, MPI_COMM_WORLD, &r[0]);
	for (int i = 0; i < 2; i++)
		out[i] = -1, types[i] = MPI_DATATYPE_NULL; /* what it was told is not looked up again */
	MPI_Wait(&r[0], MPI_STATUS_IGNORE);
	memcpy(x, input("igatherv"), sizeof x);
	MPI_Igatherv(x, n[rank], MPI_DOUBLE, b, n, at, MPI_DOUBLE, 1, MPI_COMM_WORLD, &r[0]);
	MPI_Wait(&r[0], MPI_STATUS_IGNORE);
}

/* Three times: each looks at what goes in and what comes out, at both. */
static void persistent(void)
{
#if MPI_VERSION >= 4
	double x[8], y[8];
	MPI_Request r;
	MPI_Allreduce_init(x, y, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
	for (int i = 0; i < 3; i++) {
		memcpy(x, input(i == 1 ? "persistent" : ""), sizeof x);
		MPI_Start(&r);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
	}
	MPI_Request_free(&r);
#endif
}

/* 8 contents. */
static void between(void)
{
	double x[8], y[8];
	MPI_Comm half, pair;
	MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &half);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, !rank, 5, &pair);
	memcpy(x, input("between"), sizeof x);
	MPI_Bcast(x, 4, MPI_DOUBLE, rank ? 0 : MPI_ROOT, pair);
	MPI_Allreduce(x, y, 4, MPI_DOUBLE, MPI_SUM, pair);
	MPI_Reduce(x, y, 4, MPI_DOUBLE, MPI_SUM, rank ? MPI_ROOT : 0, pair);
	MPI_Comm_free(&pair);
	MPI_Comm_free(&half);
}

/* In a row the first and the last have a neighbour that is nobody: its block is nobody's. 8 contents in the grid, 8 in the graph. */
static void neighbors(void)
{
	double x[8], y[8];
	int dims[1] = {size}, periods[1] = {0}, other = !rank, one = 1, n[1] = {2};
	MPI_Aint at[1] = {16};
	MPI_Datatype types[1] = {MPI_DOUBLE};
	MPI_Comm row, graph;
	MPI_Request r;
	for (int i = 0; i < 8; i++)
		y[i] = (double)getpid() + i;
	MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &row);
	memcpy(x, input("grid"), sizeof x);
	if (!rank)
		x[4] = x[0], x[0] = getpid(); /* sent to nobody */
	MPI_Neighbor_alltoall(x, 4, MPI_DOUBLE, y, 4, MPI_DOUBLE, row);
	MPI_Ineighbor_allgather(x + 4, 4, MPI_DOUBLE, y, 4, MPI_DOUBLE, row, &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	MPI_Comm_free(&row);
	MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &other, &one, 1, &other, &one, MPI_INFO_NULL, 0, &graph);
	memcpy(x, input("graph"), sizeof x);
	MPI_Ineighbor_alltoall(x, 4, MPI_DOUBLE, y, 4, MPI_DOUBLE, graph, &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	x[0] = y[0] = getpid(); /* not sent, and not received into */
	MPI_Neighbor_alltoallw(x, n, at, types, y, n, at, types, graph);
	MPI_Comm_free(&graph);
}

int main(int argc, char **argv)
{
	mode = argc > 1 ? argv[1] : "same";
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (size != 2)
		MPI_Abort(MPI_COMM_WORLD, 3);
	nonblocking();
	persistent();
	between();
	neighbors();
	MPI_Finalize();
	return 0;
}
