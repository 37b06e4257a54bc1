/* Threads of a program without MPI, recorded because it tells of an event, or not at all. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <hbdb/event.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long hash;

static void *mix(void *p)
{
	for (int i = 0; i < 300; i++) {
		struct timespec t;
		clock_gettime(CLOCK_MONOTONIC, &t);
		if (t.tv_nsec / 13 % 3 == 0)
			nanosleep(&(struct timespec){0, t.tv_nsec / 11 % 60000}, NULL);
		pthread_mutex_lock(&lock);
		hash = hash * 31 + *(int *)p;
		pthread_mutex_unlock(&lock);
	}
	return p;
}

int main(int argc, char **argv)
{
	pthread_t thread[4];
	int number[4];
	if (argc > 1 && !strcmp(argv[1], "tells"))
		hb_event("begin");
	for (int i = 0; i < 4; i++) {
		number[i] = i;
		pthread_create(&thread[i], NULL, mix, &number[i]);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	printf("%lx\n", hash);
	return 0;
}
