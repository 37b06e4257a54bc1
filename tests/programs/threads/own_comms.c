/* MPI_THREAD_MULTIPLE: each thread has its communicator and a wildcard server loop there. */
#include <pthread.h>

#include "expect_coll.h"

#define THREADS 3
#define EACH 20

static MPI_Comm comms[THREADS];
static char order[THREADS][8192];

static void *work(void *arg)
{
	int t = (int)(long)arg, v;
	MPI_Comm c = comms[t];
	MPI_Status st;
	size_t used = 0;

	expect_open(t + 1);
	for (int i = 0; i < EACH * (rank == 0 ? size - 1 : 1); i++) {
		if (rank == 0) {
			Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, c, &st);
			CHECK(v == st.MPI_SOURCE * 100 + st.MPI_TAG);
			used += (size_t)snprintf(order[t] + used, sizeof order[t] - used, " %d", v);
		} else {
			v = rank * 100 + i;
			linger(200);
			Send(&v, 1, MPI_INT, 0, i, c);
		}
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];

	if (Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE) != MPI_THREAD_MULTIPLE) {
		fprintf(stderr, "no MPI_THREAD_MULTIPLE\n");
		return 1;
	}
	for (int t = 0; t < THREADS; t++)
		Comm_dup(WORLD, &comms[t]);
	for (long t = 0; t < THREADS; t++)
		pthread_create(&threads[t], NULL, work, (void *)t);
	for (int t = 0; t < THREADS; t++) {
		pthread_join(threads[t], NULL);
		if (rank == 0)
			out("thread %d:%s", t, order[t]);
	}
	for (int t = 0; t < THREADS; t++)
		Comm_free(&comms[t]);
	Finalize();
	return 0;
}
