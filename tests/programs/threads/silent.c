/* Threads that never call MPI come and go; to the recording they do not exist. */
#include <pthread.h>

#include "expect.h"

#define EACH 10

static void *compute(void *arg)
{
	volatile double x = (double)(long)arg;
	for (int i = 0; i < 10000; i++)
		x = x * 1.0000001 + 1;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[4];
	MPI_Status st;
	int v;

	CHECK(Init_thread(&argc, &argv, MPI_THREAD_FUNNELED) >= MPI_THREAD_FUNNELED);
	for (int turn = 0; turn < EACH; turn++) {
		for (long t = 0; t < 4; t++)
			pthread_create(&threads[t], NULL, compute, (void *)t);
		if (rank == 0) {
			for (int i = 1; i < size; i++) {
				Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &st);
				out("%d from %d", st.MPI_TAG, v);
			}
		} else {
			linger(300);
			Send(&rank, 1, MPI_INT, 0, turn, WORLD);
		}
		for (int t = 0; t < 4; t++)
			pthread_join(threads[t], NULL);
	}
	Finalize();
	return 0;
}
