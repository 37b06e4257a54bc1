/* Random traffic: every process knows from the seed who sends what to whom in each round, and receives as many in a way of
 * its choice: blocking or not, with wildcards or without, after a probe or by polling. It prints what it got, a line for
 * each receive; two runs differ. Messages of a later round may come early, so what is to come is a balance by source and tag.
 * Some messages go in the send half of a Sendrecv with wildcards. A source is asked for only while its balance is above zero: then nothing hangs, whatever the wildcards took.
 *
 * usage: traffic SEED ROUNDS [WAYS]   WAYS: letters of `kinds` */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAGS = 3, MOST = 64, MANY = 512 };

static int rank, size, round_number;
static uint64_t own; /* random numbers of this process alone */
static const char *kinds = "rastxzq nkwyo fed pic";

static int balance[MOST][TAGS], left;
static int held[4]; /* a message not sent yet: 1, destination, tag, number */
static int message[MANY][2];
static MPI_Request request[MANY];
static MPI_Status status[MANY];

static int below(uint64_t *s, int n)
{
	uint64_t x = *s;
	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	*s = x;
	return (int)(x * 0x2545f4914f6cdd1du % (uint64_t)n);
}

static void got(char way, const int *m, const MPI_Status *st)
{
	printf("%d %d %c from %d tag %d round %d number %d\n", rank, round_number, way, st->MPI_SOURCE, st->MPI_TAG,
		m[0], m[1]);
	balance[st->MPI_SOURCE][st->MPI_TAG]--;
	left--;
}

/* A source and tag that have to come. */
static void choose(int *source, int *tag)
{
	int n = below(&own, size * TAGS);
	while (balance[n / TAGS][n % TAGS] <= 0)
		n = (n + 1) % (size * TAGS);
	*source = n / TAGS;
	*tag = n % TAGS;
}

static int coming(int tag)
{
	int n = 0;
	for (int source = 0; source < size; source++)
		n += balance[source][tag];
	return n;
}

/* ---- one message ---- */

static void receive_one(char way)
{
	int m[2], source, tag, in = 0;
	MPI_Status st;
	MPI_Request r;
	choose(&source, &tag);
	if (way == 'r')
		source = MPI_ANY_SOURCE, tag = MPI_ANY_TAG;
	if (way == 'a' || (way == 't' && coming(tag) <= 0))
		source = MPI_ANY_SOURCE, tag = MPI_ANY_TAG;
	if (way == 't' || way == 'z' || way == 'q')
		source = MPI_ANY_SOURCE;
	if (way == 'x' || way == 'z' || way == 'q')
		tag = MPI_ANY_TAG;
	if (way == 'z') {
		MPI_Sendrecv(&in, 1, MPI_INT, MPI_PROC_NULL, 0, m, 2, MPI_INT, source, tag, MPI_COMM_WORLD, &st);
	} else if (way == 'q') {
		MPI_Recv_init(m, 2, MPI_INT, source, tag, MPI_COMM_WORLD, &r);
		for (int twice = left > 1; twice >= 0; twice--) {
			MPI_Start(&r);
			MPI_Wait(&r, &st);
			if (twice)
				got(way, m, &st);
		}
		MPI_Request_free(&r);
	} else {
		MPI_Recv(m, 2, MPI_INT, source, tag, MPI_COMM_WORLD, &st);
	}
	got(way, m, &st);
}

static void receive_probed(char way)
{
	int m[2], yes = 0;
	MPI_Status st;
	MPI_Message handle;
	if (way == 'p')
		MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &st);
	while (way == 'i' && !yes)
		MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &yes, &st);
	if (way == 'c') {
		MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &handle, &st);
		MPI_Mrecv(m, 2, MPI_INT, &handle, &st);
	} else {
		MPI_Recv(m, 2, MPI_INT, st.MPI_SOURCE, st.MPI_TAG, MPI_COMM_WORLD, &st);
	}
	got(way, m, &st);
}

/* ---- several by requests ---- */

static void post(int n, int source, int tag)
{
	MPI_Irecv(message[n], 2, MPI_INT, source, tag, MPI_COMM_WORLD, &request[n]);
}

static void complete(char way, int n)
{
	if (way == 'n') {
		for (int i = n - 1; i >= 0; i--)
			MPI_Wait(&request[i], &status[i]);
	} else if (way == 'k') {
		for (int i = 0; i < n; i++)
			for (int yes = 0; !yes;)
				MPI_Test(&request[i], &yes, &status[i]);
	} else if (way == 'y') {
		for (int i = 0, which; i < n; i++) {
			MPI_Waitany(n, request, &which, &status[0]);
			got(way, message[which], &status[0]);
		}
		return;
	} else if (way == 'o') {
		for (int i = 0, some, which[MANY]; i < n; i += some) {
			MPI_Waitsome(n, request, &some, which, status);
			for (int k = 0; k < some; k++)
				got(way, message[which[k]], &status[k]);
		}
		return;
	} else {
		MPI_Waitall(n, request, status);
	}
	for (int i = 0; i < n; i++)
		got(way, message[i], &status[i]);
}

static void receive_all(char way)
{
	int n = left < MANY ? left : MANY;
	for (int i = 0; i < n; i++)
		post(i, MPI_ANY_SOURCE, MPI_ANY_TAG);
	complete(way, n);
}

/* One wildcard, then a source that has one message more than it is asked for: the wildcard may have taken it. The other way
 * round: first the source, then wildcards. */
static void receive_mixed(char way)
{
	int source, tag, n = 0;
	choose(&source, &tag);
	int b = balance[source][tag];
	if (way != 'e')
		for (int i = 0; i < (b + 1) / 2; i++)
			post(n++, source, tag);
	int any = way == 'e' ? 1 : way == 'f' ? coming(tag) - n : left - n;
	for (int i = 0; i < any && n < MANY; i++)
		post(n++, MPI_ANY_SOURCE, way == 'd' ? MPI_ANY_TAG : tag);
	if (way == 'e')
		for (int i = 1; i < b; i++)
			post(n++, source, tag);
	complete("nw"[below(&own, 2)], n);
}

static void send_held(void)
{
	int m[2];
	MPI_Status st;
	if (held[0] && left > 0) {
		MPI_Sendrecv((int[]){round_number, held[3]}, 2, MPI_INT, held[1], held[2], m, 2, MPI_INT,
			MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &st);
		got('h', m, &st);
	} else if (held[0]) {
		MPI_Send((int[]){round_number, held[3]}, 2, MPI_INT, held[1], held[2], MPI_COMM_WORLD);
	}
	held[0] = 0;
}

static void receive(void)
{
	send_held();
	while (left > 0) {
		char way = kinds[below(&own, (int)strlen(kinds))];
		if (strchr("rastxzq", way))
			receive_one(way);
		else if (strchr("nkwyo", way))
			receive_all(way);
		else if (strchr("fed", way))
			receive_mixed(way);
		else if (strchr("pic", way))
			receive_probed(way);
	}
}

/* The messages of a round are the same in all processes; this one sends its own. */
static int send_round(uint64_t *seed, int (*m)[2], MPI_Request *r)
{
	int n = 0;
	for (int from = 0; from < size; from++)
		for (int to = 0; to < size; to++)
			for (int k = from == to ? 0 : below(seed, 4); k > 0; k--) {
				int tag = below(seed, TAGS);
				if (to == rank)
					balance[from][tag]++, left++;
				if (from != rank)
					continue;
				if (!held[0] && below(&own, 4) == 0) {
					memcpy(held, (int[]){1, to, tag, 1000 + n}, sizeof held);
					continue;
				}
				m[n][0] = round_number;
				m[n][1] = n;
				MPI_Isend(m[n], 2, MPI_INT, to, tag, MPI_COMM_WORLD, &r[n]);
				n++;
			}
	return n;
}

int main(int argc, char **argv)
{
	static int m[MANY][2];
	static MPI_Request sends[MANY];
	setvbuf(stdout, NULL, _IOLBF, 0); /* lines stay whole */
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	uint64_t seed = (uint64_t)(argc > 1 ? atoi(argv[1]) : 1) * 0x9e3779b97f4a7c15u + 1;
	int rounds = argc > 2 ? atoi(argv[2]) : 5;
	if (argc > 3)
		kinds = argv[3];
	own = seed ^ (uint64_t)(rank + 1) * 0xbf58476d1ce4e5b9u;
	for (round_number = 0; round_number < rounds; round_number++) {
		int n = send_round(&seed, m, sends), what = below(&seed, 3), word = 0;
		receive();
		MPI_Waitall(n, sends, status);
		if (what == 0)
			MPI_Barrier(MPI_COMM_WORLD);
		else if (what == 1)
			MPI_Bcast(&word, 1, MPI_INT, 0, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
