/* The worker of a farm written by hand, and the tags of its messages. */
#ifndef BENCH_WORKER_H
#define BENCH_WORKER_H

#include <mpi.h>

#include "../programs/bench.h"

enum { TAG_TASK = 1, TAG_RESULT = 2, TAG_STOP = 3 };

/* Until rank 0 says stop. */
static inline void serve(uint64_t (*work)(uint64_t task, long rounds), long rounds)
{
	for (;;) {
		uint64_t task, result;
		MPI_Status status;
		MPI_Recv(&task, 1, MPI_UINT64_T, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
		if (status.MPI_TAG == TAG_STOP)
			return;
		result = work(task, rounds);
		MPI_Send(&result, 1, MPI_UINT64_T, 0, TAG_RESULT, MPI_COMM_WORLD);
	}
}

#endif
