/* A program that sees to it that messages come otherwise when it is replayed: memory that the processes of one machine share says who
 * may go on, beside MPI. What hbdb enforces is then the same not by chance. */
#ifndef CONTRARY_H
#define CONTRARY_H

#include <sched.h>

#include "expect.h"

static volatile int *contrary_flags; /* all 0 at first */
static MPI_Win contrary_win;

/* Collective over MPI_COMM_WORLD. */
MAYBE void contrary_begin(int nflags)
{
	int unit, *base;
	MPI_Aint bytes;
	MPI_Win_allocate_shared(
		rank ? 0 : nflags * (MPI_Aint)sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &base, &contrary_win);
	MPI_Win_shared_query(contrary_win, 0, &bytes, &unit, &base);
	contrary_flags = base;
	if (!rank)
		memset(base, 0, (size_t)nflags * sizeof(int));
	MPI_Barrier(WORLD);
}

MAYBE void contrary_end(void)
{
	MPI_Barrier(WORLD);
	MPI_Win_free(&contrary_win);
}

MAYBE bool replayed(void)
{
	const char *mode = getenv("HBDB_MODE");
	return mode && !strcmp(mode, "replay");
}

MAYBE void raise_flag(int i) { __atomic_store_n((int *)contrary_flags + i, 1, __ATOMIC_RELEASE); }

MAYBE void await_flag(int i)
{
	while (!__atomic_load_n((int *)contrary_flags + i, __ATOMIC_ACQUIRE))
		sched_yield();
}

#endif
