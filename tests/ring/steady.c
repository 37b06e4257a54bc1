/* More messages than a small ring holds: exact and wildcard receives, completed in another order than posted, a persistent one, synchronous sends,
 * any tag, collectives, and two receives that are posted at the beginning and completed at the end. Keeps the order of messages within a channel hard.
 *
 * usage: steady ROUNDS [PAUSE] [DIES]    PAUSE: microseconds after each round; DIES: the round in which the last rank kills itself */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int rank, size, right, left, in[8], out[8], last;
static MPI_Comm dup_world;

/* Receives of two tags, of one rank and of any, completed from the last to the first. */
static void several(int round, int n)
{
	MPI_Request r[8];
	for (int k = 0; k < n; k++)
		MPI_Irecv(&in[k], 1, MPI_INT, k & 1 ? MPI_ANY_SOURCE : left, 3 + k % 2, MPI_COMM_WORLD, &r[k]);
	for (int k = 0; k < n; k++) {
		out[k] = round * 8 + k;
		MPI_Send(&out[k], 1, MPI_INT, right, 3 + k % 2, MPI_COMM_WORLD);
	}
	for (int k = n; k-- > 0;)
		MPI_Wait(&r[k], MPI_STATUS_IGNORE);
}

static void any_tag(int round)
{
	MPI_Request r;
	MPI_Isend(&round, 1, MPI_INT, right, 1000 + round % 50, dup_world, &r);
	MPI_Recv(&last, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, dup_world, MPI_STATUS_IGNORE);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
}

/* The first of these messages is for a receive that is asked for at the end only: others overtake it. */
static void overtake(int round)
{
	MPI_Request r;
	MPI_Send(&round, 1, MPI_INT, right, 55, dup_world);
	if (!round)
		return;
	MPI_Irecv(&last, 1, MPI_INT, left, 55, dup_world, &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static void one_round(int i, MPI_Request *persistent)
{
	static unsigned long seed = 1;
	int sum;
	seed = seed * 6364136223846793005ul + 1442695040888963407ul;
	several(i, (int)(seed >> 60) % 4 + 1);
	MPI_Start(persistent);
	MPI_Ssend(&i, 1, MPI_INT, right, 77, dup_world);
	MPI_Wait(persistent, MPI_STATUS_IGNORE);
	if (i % 3 == 0)
		any_tag(i);
	if (i % 9 == 0)
		overtake(i);
	if (i % 5 == 0)
		MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	if (i % 7 == 0)
		MPI_Bcast(&last, 1, MPI_INT, i % size, dup_world);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1000, pause = argc > 2 ? atoi(argv[2]) : 0;
	int dies = argc > 3 ? atoi(argv[3]) : -1, a, b, c;
	MPI_Request back, ahead, persistent;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_dup(MPI_COMM_WORLD, &dup_world);
	right = (rank + 1) % size;
	left = (rank + size - 1) % size;
	MPI_Recv_init(&a, 1, MPI_INT, left, 77, dup_world, &persistent);
	MPI_Irecv(&b, 1, MPI_INT, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &back);
	MPI_Irecv(&c, 1, MPI_INT, left, 55, dup_world, &ahead);
	for (int i = 0; i < rounds; i++) {
		if (i == dies && rank == size - 1)
			kill(getpid(), SIGKILL);
		one_round(i, &persistent);
		if (pause)
			usleep((unsigned)pause);
	}
	MPI_Send(&rank, 1, MPI_INT, right, 99, MPI_COMM_WORLD);
	MPI_Wait(&back, MPI_STATUS_IGNORE);
	MPI_Wait(&ahead, MPI_STATUS_IGNORE);
	MPI_Request_free(&persistent);
	MPI_Comm_free(&dup_world);
	MPI_Finalize();
	return 0;
}
