/* A thread polls for requests while the main thread computes and communicates elsewhere. */
#include <pthread.h>

#include "expect_coll.h"

#define EACH 15

static MPI_Comm service, answers;
static char log_of[8192];

static void *serve(void *arg)
{
	MPI_Status st;
	int v;
	long no = 0;
	size_t used = 0;

	(void)arg;
	expect_open(1);
	for (int stops = 0; stops < size;) {
		if (!Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, service, &st)) {
			no++;
			usleep(50);
			continue;
		}
		Recv(&v, 1, MPI_INT, st.MPI_SOURCE, st.MPI_TAG, service, &st);
		if (st.MPI_TAG == 99) {
			stops++;
			continue;
		}
		v = v * 2;
		Send(&v, 1, MPI_INT, st.MPI_SOURCE, 50 + st.MPI_TAG, answers);
		used += (size_t)snprintf(log_of + used, sizeof log_of - used, " %d/%ld", st.MPI_SOURCE, no);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	MPI_Status st;
	int sum = 0;

	if (Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE) != MPI_THREAD_MULTIPLE)
		return 1;
	Comm_dup(WORLD, &service);
	Comm_dup(WORLD, &answers);
	pthread_create(&thread, NULL, serve, NULL);
	/* the server takes whatever comes on its communicator, so answers come on another one */
	for (int i = 0; i < EACH; i++) {
		int v = rank + i, total;
		Allreduce(&v, &total, 1, MPI_INT, MPI_SUM, answers);
		sum += total;
		linger(100);
		Send(&v, 1, MPI_INT, (rank + 1) % size, i, service);
		Recv(&total, 1, MPI_INT, (rank + 1) % size, 50 + i, answers, &st);
		CHECK(total == 2 * v);
	}
	for (int i = 0; i < size; i++)
		Send(&sum, 1, MPI_INT, i, 99, service);
	pthread_join(thread, NULL);
	CHECK(sum == EACH * size * (size - 1) / 2 + size * EACH * (EACH - 1) / 2);
	out("served%s", log_of);
	Comm_free(&service);
	Comm_free(&answers);
	Finalize();
	return 0;
}
