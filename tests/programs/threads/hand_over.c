/* MPI_THREAD_SERIALIZED: one thread posts, another completes; the requests are the same ones. */
#include <pthread.h>

#include "expect.h"

#define N 8

static int v[N];
static MPI_Request r[N];
static MPI_Status sts[N];
static char text[256];

/* Its lane refers to postings of lane 0: that is how hbdb prints them here. */
static void *complete(void *arg)
{
	int index;
	(void)arg;
	expect_open(1);
	for (int i = 0; i < N; i++) {
		MPI_Waitany(N, r, &index, &sts[0]);
		CHECK(v[index] == sts[0].MPI_SOURCE * 10 + sts[0].MPI_TAG);
		answer("index=%d #0.%d", index, index);
		answer_status(&sts[0]);
		expect("MPI_Waitany(count=%d)%s", N, ending(0));
		size_t used = strlen(text);
		snprintf(text + used, sizeof text - used, " %d:%d", index, v[index]);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED) < MPI_THREAD_SERIALIZED)
		return 1;
	if (rank == 0) {
		for (int i = 0; i < N; i++)
			Irecv(&v[i], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &r[i]);
		pthread_create(&thread, NULL, complete, NULL);
		pthread_join(thread, NULL);
		out("completed%s", text);
	} else {
		for (int i = rank - 1; i < N; i += size - 1) {
			int w = rank * 10 + i;
			linger(300);
			Send(&w, 1, MPI_INT, 0, i, WORLD);
		}
	}
	Finalize();
	return 0;
}
