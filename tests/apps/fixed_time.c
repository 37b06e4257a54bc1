/* time() is an input of hpcc: it chooses process grids and the rank of single tests
 * by it. Preloaded, this gives every run of hpcc the same time, and others the true one. */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <time.h>

time_t time(time_t *t)
{
	struct timespec now = {.tv_sec = 1000000000};
	if (strncmp(program_invocation_short_name, "hpcc", 4) != 0)
		clock_gettime(CLOCK_REALTIME, &now);
	if (t)
		*t = now.tv_sec;
	return now.tv_sec;
}
