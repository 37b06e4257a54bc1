/* A machine's clocks for the programs that it is preloaded into: SHIFT_NS ahead, and by SHIFT_PPM faster. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t id, struct timespec *ret)
{
	static long long first[2], ahead;
	static double faster = -1;
	int code = (int)syscall(SYS_clock_gettime, id, ret);
	if (faster < 0) {
		ahead = getenv("SHIFT_NS") ? atoll(getenv("SHIFT_NS")) : 0;
		faster = getenv("SHIFT_PPM") ? atof(getenv("SHIFT_PPM")) * 1e-6 : 0;
	}
	if (code || (id != CLOCK_REALTIME && id != CLOCK_MONOTONIC))
		return code;
	long long now = ret->tv_sec * 1000000000LL + ret->tv_nsec;
	first[id] = first[id] ? first[id] : now;
	now += (id == CLOCK_REALTIME ? ahead : 0) + (long long)(faster * (double)(now - first[id]));
	ret->tv_sec = now / 1000000000;
	ret->tv_nsec = now % 1000000000;
	return 0;
}
