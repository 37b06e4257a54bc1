/* A bit of everything that a query may ask for: wildcards that race, a late sender, requests, a choice among them, a
 * probe, polls, collectives with somebody late, and messages that nobody takes. */
#include "../unseen.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 5, LATE = 50, RING, CHOICE, PROBED, SYNC, NEVER, POLLED, LARGE = 60000 };

static char buffer[LARGE];

static void farm(int rank, int size)
{
	if (rank)
		for (int i = 0; i < ROUNDS; i++)
			MPI_Send(buffer, 10 * rank + i, MPI_CHAR, 0, i, MPI_COMM_WORLD);
	else
		for (int i = 0; i < ROUNDS * (size - 1); i++)
			MPI_Recv(buffer, LARGE, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
				MPI_STATUS_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD);
}

static void late(int rank)
{
	if (rank == 1) {
		usleep(200000);
		MPI_Send(buffer, LARGE, MPI_CHAR, 0, LATE, MPI_COMM_WORLD);
	} else if (!rank)
		MPI_Recv(buffer, LARGE, MPI_CHAR, 1, LATE, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* waits */
}

static void ring(MPI_Comm comm, int rank, int size)
{
	static char in[100];
	MPI_Request request[2];
	MPI_Irecv(in, 100, MPI_CHAR, (rank + size - 1) % size, RING, comm, &request[0]);
	MPI_Isend(buffer, 20 + rank, MPI_CHAR, (rank + 1) % size, RING, comm, &request[1]);
	MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
}

/* Rank 0 and each of the others: a choice, a probe, a synchronous send, polls. */
static void several(int rank, int size)
{
	MPI_Request request[8];
	MPI_Status status;
	static int in[8];
	int index, there = 0, n = size - 1 < 8 ? size - 1 : 8;
	if (rank && rank <= n) {
		MPI_Send(&rank, 1, MPI_INT, 0, CHOICE, MPI_COMM_WORLD);
		MPI_Send(&rank, 1, MPI_INT, 0, PROBED, MPI_COMM_WORLD);
		MPI_Ssend(&rank, 1, MPI_INT, 0, SYNC, MPI_COMM_WORLD);
	}
	if (rank == 1) {
		usleep(5000);
		MPI_Send(&rank, 1, MPI_INT, 0, POLLED, MPI_COMM_WORLD);
	}
	if (rank)
		return;
	for (int i = 0; i < n; i++)
		MPI_Irecv(&in[i], 1, MPI_INT, i + 1, CHOICE, MPI_COMM_WORLD, &request[i]);
	for (int i = 0; i < n; i++)
		MPI_Waitany(n, request, &index, &status);
	for (int i = 0; i < n; i++) {
		MPI_Probe(MPI_ANY_SOURCE, PROBED, MPI_COMM_WORLD, &status);
		MPI_Recv(in, 1, MPI_INT, status.MPI_SOURCE, PROBED, MPI_COMM_WORLD, &status);
	}
	for (int i = 0; i < n; i++)
		MPI_Recv(in, 1, MPI_INT, i + 1, SYNC, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	while (!there)
		MPI_Iprobe(1, POLLED, MPI_COMM_WORLD, &there, &status);
	MPI_Recv(in, 1, MPI_INT, 1, POLLED, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void never(int rank)
{
	MPI_Request request;
	int in = 0;
	if (rank == 1)
		MPI_Send(&rank, 1, MPI_INT, 0, NEVER, MPI_COMM_WORLD); /* nobody receives it */
	if (rank)
		return;
	MPI_Irecv(&in, 1, MPI_INT, 1, NEVER + 100, MPI_COMM_WORLD, &request); /* nobody sends it */
	MPI_Cancel(&request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	take_unseen(1, NEVER);
}

static void collectives(int rank, int size)
{
	MPI_Comm half;
	int value = rank, sum;
	if (rank == size - 1)
		usleep(20000);
	MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* all wait for the last rank */
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
	MPI_Barrier(half);
	MPI_Bcast(&sum, 1, MPI_INT, 0, half);
	MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Comm copy;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_dup(MPI_COMM_WORLD, &copy);
	memset(buffer, rank, sizeof buffer);
	farm(rank, size);
	late(rank);
	ring(copy, rank, size);
	several(rank, size);
	never(rank);
	collectives(rank, size);
	if (argc > 1 && !strcmp(argv[1], "hang") && !rank)
		MPI_Recv(&size, 1, MPI_INT, 1, NEVER + 200, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Comm_free(&copy);
	MPI_Finalize();
	return EXIT_SUCCESS;
}
