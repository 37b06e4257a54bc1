/* What the tests of hbdb check need of a program, by its argument. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void compute(double seconds)
{
	struct timespec begin, now;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((double)(now.tv_sec - begin.tv_sec) + (double)(now.tv_nsec - begin.tv_nsec) * 1e-9 < seconds);
}

static void receive_first(int rank)
{
	int v = 0;
	if (rank < 2) {
		MPI_Recv(&v, 1, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Send(&v, 1, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD);
	}
}

/* Rank 1 waits for a message for as long as rank 0 computes: long enough to be suspected, and until the test has looked. */
static void slow(int rank, int polls)
{
	int v = 0, flag = 0;
	if (rank == 0) {
		compute(4);
		while (access("looked", F_OK))
			compute(0.01);
		MPI_Send(&v, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
	} else if (rank == 1) {
		while (polls && !flag)
			MPI_Iprobe(0, 7, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
		MPI_Recv(&v, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
}

static void poll_for_ever(int rank)
{
	for (int flag = 0; rank == 1 && !flag;)
		MPI_Iprobe(0, 7, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

static void leak(int rank)
{
	MPI_Comm *comm = malloc(sizeof *comm);
	int v = rank;
	MPI_Comm_dup(MPI_COMM_WORLD, comm);
	MPI_Bcast(&v, 1, MPI_INT, 0, *comm);
	free(comm);
}

/* What a poll that says no takes of the processor while one short receive is pending. */
static void ask(int rank)
{
	int v = 0, flag, n = 2000;
	MPI_Request request;
	if (rank == 0) {
		MPI_Irecv(&v, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, &request);
		clock_t begin = clock();
		for (int i = 0; i < n; i++)
			MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
		printf("a poll takes %.0f ns\n", (double)(clock() - begin) * 1e9 / CLOCKS_PER_SEC / n);
		fflush(stdout);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	else if (rank == 1)
		MPI_Send(&v, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
}

/* Small messages to this process itself, from memory of the heap. */
static void many(int rank, long n)
{
	int *v = calloc(64, sizeof *v);
	MPI_Request request[2];
	MPI_Status status[2];
	for (long i = 0; i < n; i++) {
		MPI_Irecv(v, 32, MPI_INT, rank, 7, MPI_COMM_WORLD, &request[0]);
		MPI_Isend(v + 32, 32, MPI_INT, rank, 7, MPI_COMM_WORLD, &request[1]);
		MPI_Waitall(2, request, status);
	}
	free(v);
}

/* An erroneous call, and then no end until somebody makes the file. */
static void wrong_until(int rank, const char *file)
{
	int *nowhere = NULL;
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	if (rank == 0)
		MPI_Send(nowhere, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
	while (access(file, F_OK))
		usleep(10000);
}

/* Many accumulates like one another, and a put of another process into the memory of one of them. */
static void pile(int rank, int size)
{
	static int window[1000];
	int one = 1;
	MPI_Win win;
	MPI_Win_create(window, sizeof window, sizeof *window, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	for (int round = 0; round < 20; round++) {
		MPI_Win_fence(0, win);
		for (int i = 0; i < 1000; i++)
			MPI_Accumulate(&one, 1, MPI_INT, (rank + 1 + i % 2) % size, (i * 7 + 3) % 1000, 1, MPI_INT,
				MPI_SUM, win);
		if (round == 19 && rank == 0)
			MPI_Put(&one, 1, MPI_INT, 1, 123, 1, MPI_INT, win);
	}
	MPI_Win_fence(0, win);
	MPI_Win_free(&win);
}

static double gets_take(MPI_Win win, int *to, int step)
{
	clock_t begin = clock();
	MPI_Win_lock_all(0, win);
	for (int i = 0; i < 500; i++)
		MPI_Get(to + i * step, 16, MPI_INT, 1, i, 16, MPI_INT, win);
	MPI_Win_unlock_all(win);
	return (double)(clock() - begin) / CLOCKS_PER_SEC;
}

/* What gets into one buffer take of the processor, beside gets into buffers of their own. */
static void get_often(int rank)
{
	static int window[1000], to[500 * 16];
	MPI_Win win;
	MPI_Win_create(window, sizeof window, sizeof *window, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	if (rank == 0) {
		double apart = gets_take(win, to, 16), same = gets_take(win, to, 0);
		printf("gets: %.6f %.6f\n", apart, same);
		fflush(stdout);
	}
	MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
	int rank, size;
	const char *what = argc > 1 ? argv[1] : "";
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	printf("here is rank %d\n", rank);
	fflush(stdout);
	if (!strcmp(what, "hang"))
		receive_first(rank);
	else if (!strcmp(what, "slow"))
		slow(rank, 0);
	else if (!strcmp(what, "asking"))
		slow(rank, 1);
	else if (!strcmp(what, "poll"))
		poll_for_ever(rank);
	else if (!strcmp(what, "ask"))
		ask(rank);
	else if (!strncmp(what, "many", 4))
		many(rank, atol(what + 4));
	else if (!strcmp(what, "wrong"))
		wrong_until(rank, "go");
	else if (!strcmp(what, "pile"))
		pile(rank, size);
	else if (!strcmp(what, "gets"))
		get_often(rank);
	else if (!strcmp(what, "leak"))
		leak(rank);
	else if (!strcmp(what, "crash") && rank == 1)
		abort();
	MPI_Finalize();
	return !strcmp(what, "fail") ? 7 : 0;
}
