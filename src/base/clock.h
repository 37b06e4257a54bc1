/* Seconds on a clock that nobody sets, from an arbitrary moment on: for how long something took, or has lasted. */
#ifndef HBDB_BASE_CLOCK_H
#define HBDB_BASE_CLOCK_H

#include <time.h>

static inline double hb_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

#endif
