/* What the programs share: a mistake that one makes on purpose, by its name on the command line. */
#ifndef JOB_H
#define JOB_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;
static const char *mistake = "";

static int makes(const char *name) { return !strcmp(mistake, name); }

static void begin(int *argc, char ***argv)
{
	MPI_Init(argc, argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (*argc > 1)
		mistake = (*argv)[1];
}

static void crash(void)
{
	volatile int *nowhere = NULL;
	*nowhere = 1;
}

static inline void wait_for_ever(void)
{
	int nothing;
	MPI_Recv(&nothing, 1, MPI_INT, rank, 999, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

#endif
