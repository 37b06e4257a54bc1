/* Messages whose pattern is known and whose order is not: rounds in which each process sends to some others and
 * receives what is to come by wildcards, by name, posted or not, as its state says. What it
 * receives goes into its state, and that into what it sends and how it goes on, so
 * that any difference between two runs shows in the last line of every process.
 * usage: rounds SEED ROUNDS */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PEERS 64
#define BATCH 4
#define SENDS 4096

static int rank, size, pending[PEERS], sends;
static uint64_t state, seed;
static uint64_t slots[SENDS];
static MPI_Request under_way[SENDS];
static MPI_Comm comm;

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

/* Differs from run to run. */
static void linger(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if ((now.tv_nsec >> 6) % 3 == 0)
		usleep((useconds_t)(now.tv_nsec >> 8) % 400);
}

static int how_many(int round, int from, int to)
{
	uint64_t h = mix(mix(mix(seed, (uint64_t)round), (uint64_t)from), (uint64_t)to);
	return h % 8 < 3 ? 1 : h % 8 == 3 ? 2 : 0;
}

static void send_to(int to)
{
	if (sends == SENDS) {
		MPI_Waitall(sends, under_way, MPI_STATUSES_IGNORE);
		sends = 0;
	}
	slots[sends] = state;
	MPI_Isend(&slots[sends], 1, MPI_UINT64_T, to, (int)(state % 3), comm, &under_way[sends]);
	sends++;
}

static void received(const MPI_Status *st, uint64_t value)
{
	pending[st->MPI_SOURCE]--;
	state = mix(mix(mix(state, (uint64_t)st->MPI_SOURCE), (uint64_t)st->MPI_TAG), value);
}

static int expected(void)
{
	int n = 0;
	for (int i = 0; i < size; i++)
		n += pending[i] > 0 ? pending[i] : 0;
	return n;
}

/* One that is sure to come. */
static int somebody(void)
{
	int at = (int)(state % (uint64_t)size);
	while (pending[at] <= 0)
		at = (at + 1) % size;
	return at;
}

static void receive_posted(int n)
{
	uint64_t value[BATCH + 1];
	MPI_Request r[BATCH + 1];
	MPI_Status st[BATCH + 1];
	int posts = 0, named = n > 1 && state % 5 == 0;
	if (named) /* before the others, or they might take its message */
		MPI_Irecv(&value[posts], 1, MPI_UINT64_T, somebody(), MPI_ANY_TAG, comm, &r[posts]), posts++;
	for (int i = named; i < n; i++, posts++)
		MPI_Irecv(&value[posts], 1, MPI_UINT64_T, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &r[posts]);
	linger();
	if (state % 2) {
		MPI_Waitall(posts, r, st);
	} else {
		for (int i = posts - 1; i >= 0; i--)
			MPI_Wait(&r[i], &st[i]);
	}
	for (int i = 0; i < posts; i++)
		received(&st[i], value[i]);
}

static void receive_one(void)
{
	uint64_t value;
	MPI_Status st;
	MPI_Message m;
	switch (state % 6) {
	case 0:
		MPI_Recv(&value, 1, MPI_UINT64_T, somebody(), MPI_ANY_TAG, comm, &st);
		break;
	case 1:
		MPI_Mprobe(somebody(), MPI_ANY_TAG, comm, &m, &st);
		MPI_Mrecv(&value, 1, MPI_UINT64_T, &m, &st);
		break;
	case 2:
		MPI_Sendrecv(
			&state, 1, MPI_UINT64_T, rank, 5, &value, 1, MPI_UINT64_T, rank, 5, comm, MPI_STATUS_IGNORE);
		/* fall through */
	default:
		MPI_Recv(&value, 1, MPI_UINT64_T, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &st);
	}
	received(&st, value);
}

/* Now and then all meet: some of these wait for all processes, some do not. */
static void together(int round)
{
	uint64_t h = mix(seed, (uint64_t)round) >> 7, mine = state, most = 0;
	if (h % 7 == 0)
		MPI_Barrier(MPI_COMM_WORLD);
	if (h % 7 == 1)
		MPI_Allreduce(&mine, &most, 1, MPI_UINT64_T, MPI_MAX, comm);
	if (h % 7 == 2)
		MPI_Allreduce(&mine, &most, 0, MPI_UINT64_T, MPI_MAX, comm);
	if (h % 7 == 3)
		MPI_Bcast(&mine, 1, MPI_UINT64_T, round % size, comm), most = mine;
	state = mix(state, most);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	int rounds = argc > 2 ? atoi(argv[2]) : 20;
	state = mix(seed, (uint64_t)rank);
	for (int round = 0; round < rounds; round++) {
		linger();
		together(round);
		for (int i = 0; i < size; i++) {
			int to = (rank + i) % size;
			for (int k = how_many(round, rank, to); to != rank && k > 0; k--)
				send_to(to);
			for (int k = how_many(round, to, rank); to != rank && k > 0; k--)
				pending[to]++;
		}
		for (int n; (n = expected()) > 0;)
			if (state % 3 == 0 && n > 1)
				receive_posted(n > BATCH ? BATCH : n);
			else
				receive_one();
	}
	MPI_Waitall(sends, under_way, MPI_STATUSES_IGNORE);
	printf("%d: %016llx\n", rank, (unsigned long long)state);
	MPI_Finalize();
	return 0;
}
