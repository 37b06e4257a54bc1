/* Rank 0 has N requests for anything; the others send in their own time. Each program completes them in its way. */
#include "expect.h"

#define N 12

static int value[N];
static MPI_Request r[N];
MAYBE MPI_Status st, sts[N];

/* Senders share N messages: rank 1 sends what the others leave. */
static void work(void)
{
	int mine = N / (size - 1) + (rank == 1 ? N % (size - 1) : 0);
	for (int i = 0; i < mine; i++) {
		int v = rank * 100 + i;
		linger(400);
		Send(&v, 1, MPI_INT, 0, i, WORLD);
	}
}

static void post(void)
{
	for (int i = 0; i < N; i++)
		Irecv(&value[i], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &r[i]);
}

MAYBE void got(int i, MPI_Status *s)
{
	CHECK(value[i] == s->MPI_SOURCE * 100 + s->MPI_TAG && r[i] == MPI_REQUEST_NULL);
	out("request %d: %d from %d", i, s->MPI_TAG, s->MPI_SOURCE);
}

static void collect(void);

int main(int argc, char **argv)
{
	Init(&argc, &argv);
	if (rank == 0) {
		post();
		collect();
	} else {
		work();
	}
	Finalize();
	return 0;
}
