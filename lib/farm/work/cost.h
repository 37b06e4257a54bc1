/* What a task costs, and whether it is worth its way. To pass a task on and to take its result back costs the parent and the child some tenths
 * of a microsecond each where messages are full, and wakes a process where they are not. A farm computes a task that takes less sooner
 * than it passes it, so node 0 keeps such tasks: work leaves it only where that makes the whole faster. The mean is that of the last thousand or
 * some, in which a single long task counts for what it is: after it all is handed out until its share is small again.
 *
 * The clock is MPI_Wtime, which a replay repeats: what is decided by it is decided the same again. */
#ifndef FARM_COST_H
#define FARM_COST_H

#include <mpi.h>

#include "../state.h"

enum { COST_FIRST = 16, COST_EVERY = 16, COST_TASKS = 1024 };
#define COST_LONG 10e-6          /* of such tasks the time of each is taken */
#define COST_PASSED 1e-6         /* seconds */
#define COST_PASSED_BYTE 0.25e-9 /* a byte is copied by the parent and by the child, there and back */

struct cost {
	double tasks, seconds, bytes; /* sums of the tasks of late */
	double typical; /* seconds, within a factor of about two: that of most, so without times in which others had the processor */
};

static inline void cost_add(struct cost *cost, double seconds, double bytes)
{
	double each = seconds > 1e-9 ? seconds : 1e-9;
	if (cost->tasks >= COST_TASKS) {
		cost->tasks /= 2;
		cost->seconds /= 2;
		cost->bytes /= 2;
	}
	cost->typical *= each > 2 * cost->typical ? 2 : each < cost->typical / 2 ? 0.5 : 1;
	if (cost->typical <= 0)
		cost->typical = each;
	cost->tasks++;
	cost->seconds += seconds;
	cost->bytes += bytes;
}

/* Of a task, on the average. */
static inline double cost_bytes(const struct cost *cost) { return cost->tasks > 0 ? cost->bytes / cost->tasks : 0; }

/* Whether to pass a task costs more than to compute it. From "no" to "yes" it must be less by half. */
static inline int cost_is_small(const struct cost *cost, int was_small)
{
	double passed = cost->tasks * COST_PASSED + cost->bytes * COST_PASSED_BYTE;
	return cost->tasks >= COST_FIRST && cost->seconds < (was_small ? passed : passed / 2);
}

#endif
