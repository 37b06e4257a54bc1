/* Sleeps for good, when it has told where something lies that takes all places of the processor to watch. */
#include <stdio.h>
#include <time.h>

static _Alignas(32) char watched[32];

int main(void)
{
	watched[0] = 1;
	printf("%p\n", (void *)watched);
	fflush(stdout);
	for (;;)
		nanosleep(&(struct timespec){.tv_sec = 3600}, NULL);
}
