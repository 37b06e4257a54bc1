/* Loaded into a process, makes it look as if it ran on another machine whose clock is half a second behind. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *now)
{
	static int (*real)(clockid_t, struct timespec *);
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
	int status = real(clock, now);
	if (!status && clock == CLOCK_REALTIME) {
		now->tv_nsec -= 500000000;
		if (now->tv_nsec < 0) {
			now->tv_nsec += 1000000000;
			now->tv_sec--;
		}
	}
	return status;
}

int gethostname(char *name, size_t size)
{
	snprintf(name, size, "other-host");
	return 0;
}
