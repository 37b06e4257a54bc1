/* many N: so many threads, each of which takes a mutex once; at most 100 at a time. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned long hash;

static void *once(void *p)
{
	pthread_mutex_lock(&mutex);
	hash = hash * 31 + (unsigned long)(size_t)p;
	pthread_mutex_unlock(&mutex);
	return p;
}

int main(int argc, char **argv)
{
	int level, n = argc > 1 ? atoi(argv[1]) : 1000;
	pthread_attr_t small;
	pthread_t thread[100];
	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	for (int i = 0; i < n; i += 100) {
		int k = n - i < 100 ? n - i : 100;
		for (int j = 0; j < k; j++)
			if (pthread_create(&thread[j], &small, once, (void *)(size_t)(i + j)))
				return 1;
		for (int j = 0; j < k; j++)
			pthread_join(thread[j], NULL);
	}
	printf("%lx\n", hash);
	MPI_Finalize();
	return 0;
}
