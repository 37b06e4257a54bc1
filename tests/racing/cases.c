/* Small programs by name, each with receives that race or look as if they did. Prints what each receive got.
 * The process whose rank is in LATE sleeps before it sends: a recording and its replays differ in that.
 *
 * usage: cases stencil|chain|ask|behind|half|killed|threads|failing|sometimes */
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size, count;

static void got(const MPI_Status *st) { printf("%d %d from %d tag %d\n", rank, count++, st->MPI_SOURCE, st->MPI_TAG); }

static void late(void)
{
	const char *who = getenv("LATE");
	if (who && atoi(who) == rank)
		usleep(300000);
}

static void send_to(int to, int tag) { MPI_Send(&rank, 1, MPI_INT, to, tag, MPI_COMM_WORLD); }

static void receive(int from, int tag)
{
	int m;
	MPI_Status st;
	MPI_Recv(&m, 1, MPI_INT, from, tag, MPI_COMM_WORLD, &st);
	got(&st);
}

/* Neighbours exchange by given sources, some with any tag: nothing races. */
static void stencil(void)
{
	int left = (rank + size - 1) % size, right = (rank + 1) % size, in[2], out[2] = {rank, rank};
	for (int step = 0; step < 10; step++) {
		MPI_Request r[4];
		MPI_Status st[4];
		MPI_Irecv(&in[0], 1, MPI_INT, left, MPI_ANY_TAG, MPI_COMM_WORLD, &r[0]);
		MPI_Irecv(&in[1], 1, MPI_INT, right, step, MPI_COMM_WORLD, &r[1]);
		MPI_Isend(&out[0], 1, MPI_INT, right, 100 + step, MPI_COMM_WORLD, &r[2]);
		MPI_Isend(&out[1], 1, MPI_INT, left, step, MPI_COMM_WORLD, &r[3]);
		MPI_Waitall(4, r, st);
		got(&st[0]);
		got(&st[1]);
	}
}

/* A token goes round: each wildcard receive can only get the next one. */
static void chain(void)
{
	for (int round = 0; round < 5; round++) {
		if (rank > 0)
			receive(MPI_ANY_SOURCE, MPI_ANY_TAG);
		send_to((rank + 1) % size, round);
		if (rank == 0)
			receive(MPI_ANY_SOURCE, MPI_ANY_TAG);
	}
}

/* Who is asked answers: of two wildcards posted at once the first can only get the first answer. */
static void ask(void)
{
	if (rank) {
		receive(0, 1);
		send_to(0, 2);
		return;
	}
	for (int to = 1; to < size; to++) {
		send_to(to, 1);
		receive(MPI_ANY_SOURCE, 2);
	}
}

/* An earlier receive waits for a message that a later one only lets come. In the recorded run (LATE=3) the last message
 * comes last; in a replay (LATE=1) it comes first: the first receive is held for its own message, so that the second one has
 * to be held, too, though without a replay the first would shield it. */
static void behind(void)
{
	int m[2];
	MPI_Status st;
	MPI_Request v, r;
	if (rank == 0) {
		MPI_Irecv(&m[0], 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &v);
		MPI_Irecv(&m[1], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &r);
		MPI_Wait(&r, &st);
		got(&st);
		send_to(2, 0);
		MPI_Wait(&v, &st);
		got(&st);
		receive(MPI_ANY_SOURCE, MPI_ANY_TAG);
	} else if (rank < 4) {
		late();
		if (rank == 2)
			receive(0, 0);
		send_to(0, rank == 1 ? 2 : 1);
	}
}

/* The send half of a call lets a message come that its receive half can get: LATE=2 makes it get the one, LATE=1 the other. */
static void half(void)
{
	int m;
	MPI_Status st;
	if (rank == 0) {
		MPI_Sendrecv(&rank, 1, MPI_INT, 1, 0, &m, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &st);
		got(&st);
		receive(MPI_ANY_SOURCE, MPI_ANY_TAG);
	} else if (rank == 1) {
		receive(0, 0);
		late();
		send_to(0, 1);
	} else if (rank == 2) {
		late();
		send_to(0, 2);
	}
}

/* A process dies in the middle. */
static void killed(void)
{
	if (rank == 0) {
		for (int i = 0; i < 5 * (size - 1); i++)
			receive(MPI_ANY_SOURCE, MPI_ANY_TAG);
		fflush(stdout);
		send_to(1, 9);
		receive(1, 9);
	} else {
		for (int i = 0; i < 5; i++)
			send_to(0, i);
		if (rank == 1) {
			receive(0, 9);
			usleep(100000);
			raise(SIGKILL);
		}
		receive(0, 9);
	}
}

/* Two threads of rank 0 receive from anybody, each with its own tag; everybody sends 10 of each. */
static void *half_of_them(void *tag)
{
	int m;
	for (int i = 0; i < 10 * (size - 1); i++)
		MPI_Recv(&m, 1, MPI_INT, MPI_ANY_SOURCE, *(int *)tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return NULL;
}

static void threads(void)
{
	int tag[] = {1, 2};
	pthread_t other;
	if (!rank && !pthread_create(&other, NULL, half_of_them, &tag[1])) {
		half_of_them(&tag[0]);
		pthread_join(other, NULL);
	}
	for (int i = 0; rank && i < 10; i++)
		for (int k = 0; k < 2; k++)
			send_to(0, tag[k]);
}

/* Receives that cannot race, and one that fails. */
static void failing(void)
{
	int m[2] = {0};
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	if (rank == 1)
		MPI_Send(m, 2, MPI_INT, 0, 3, MPI_COMM_WORLD);
	if (!rank)
		MPI_Recv(m, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (int i = 0; i < 5; i++)
		if (rank == 1)
			send_to(0, 4);
		else if (!rank)
			receive(MPI_ANY_SOURCE, 4);
}

/* Rank 0 gets from rank 1 with a wildcard, always; in every other round, chosen as by dice, rank 2 could have been first, but memory that the
 * processes share keeps it waiting. Which rounds race has no pattern, what was received has one. Prints nothing. */
static void sometimes(void)
{
	enum { ROUNDS = 12000 };
	int *came, unit;
	MPI_Aint bytes;
	MPI_Win win;
	MPI_Win_allocate_shared(rank ? 0 : sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &came, &win);
	MPI_Win_shared_query(win, 0, &bytes, &unit, &came);
	if (!rank)
		*came = 0;
	MPI_Barrier(MPI_COMM_WORLD);
	uint32_t dice = 1;
	for (int k = 1; k <= ROUNDS; k++) {
		dice = dice * 1664525 + 1013904223;
		bool both = dice >> 31;
		int m = 0;
		if (rank == 0) {
			if (both)
				MPI_Send(&m, 1, MPI_INT, 2, 2,
					MPI_COMM_WORLD); /* orders what rank 2 sends behind the rounds before */
			MPI_Recv(&m, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			__atomic_store_n(came, k, __ATOMIC_RELEASE);
			if (both)
				MPI_Recv(&m, 1, MPI_INT, 2, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		} else {
			if (rank == 2 && both)
				MPI_Recv(&m, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			while (rank == 2 && both && __atomic_load_n(came, __ATOMIC_ACQUIRE) < k)
				sched_yield();
			while (rank == 1 && __atomic_load_n(came, __ATOMIC_ACQUIRE) < k - 1)
				sched_yield();
			if (rank == 1 || both)
				MPI_Send(&m, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
		}
	}
	MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {{"stencil", stencil}, {"chain", chain}, {"ask", ask}, {"behind", behind}, {"half", half},
		{"killed", killed}, {"threads", threads}, {"failing", failing}, {"sometimes", sometimes}};
	int level;
	setvbuf(stdout, NULL, _IOLBF, 0);
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (size_t i = 0; i < sizeof cases / sizeof *cases && argc > 1; i++)
		if (!strcmp(argv[1], cases[i].name))
			cases[i].run();
	MPI_Finalize();
	return 0;
}
