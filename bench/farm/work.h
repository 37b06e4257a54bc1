/* What both farms do for a task, and how they tell. */
#ifndef FARM_BENCH_WORK_H
#define FARM_BENCH_WORK_H

#include "../programs/bench.h"

/* About two and a half nanoseconds a round. */
static inline uint64_t work(uint64_t task, long rounds)
{
	uint64_t x = task;
	for (long i = 0; i < rounds; i++)
		x = mix(x);
	return rounds ? x : mix(x);
}

#endif
