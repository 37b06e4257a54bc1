/* Chunks of the loops of OpenMP that its library gives out: the iterations of one are told together, before the first one is done. */
#ifndef HBDB_CAPTURE_ACCESSES_CHUNK_H
#define HBDB_CAPTURE_ACCESSES_CHUNK_H

#include "capture/accesses/front/front.h"

#pragma GCC visibility push(hidden)

struct hb__omp_loop {
	uint64_t of; /* the parallel construct that this thread began a loop in, and that loop's step */
	long step;
};
extern long hb__omp_step; /* of the loop that began with its region */
extern __thread struct hb__omp_loop hb__omp_loop __attribute__((tls_model("initial-exec")));

static inline void hb__loop_step(long step) { hb__omp_loop = (struct hb__omp_loop){hb__parallel, step}; }

void hb__chunk_told(long from, long to);
static inline bool hb__chunk(bool more, long from, long to)
{
	if (unlikely(hb__iterations && more))
		hb__chunk_told(from, to);
	return more;
}

#pragma GCC visibility pop

#endif
