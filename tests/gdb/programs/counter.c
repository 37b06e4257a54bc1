/* Three threads that count as fast as they can, where others see it: counter FILE. */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile uint64_t *counts;

static int twice(int n) { return 2 * n; }

static void *count(void *number)
{
	volatile int turns = twice(21);
	while (turns)
		counts[(intptr_t)number]++;
	return NULL;
}

int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600) : -1;
	pthread_t thread;
	if (fd < 0 || ftruncate(fd, 4096))
		return 1;
	counts = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	for (intptr_t i = 1; i < 3; i++)
		pthread_create(&thread, NULL, count, (void *)i);
	count(NULL);
	return 0;
}
