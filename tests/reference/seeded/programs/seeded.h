/* What the programs with seeded mistakes share: `PROGRAM [MISTAKE [SIZE]]`; without a mistake, or with -, they are right. */
#ifndef HBDB_SEEDED_H
#define HBDB_SEEDED_H

#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hbdb/compare.h>

static const char *seeded = "-";
static int rank, size;

/* Whether this mistake is to be made. */
static inline bool mistake(const char *name) { return strcmp(seeded, name) == 0; }

static inline int start(int *argc, char ***argv, int usual_size)
{
	MPI_Init(argc, argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (*argc > 1)
		seeded = (*argv)[1];
	return *argc > 2 ? atoi((*argv)[2]) : usual_size;
}

/* What of n things is of one of several parts. */
struct part {
	int first, count;
};
static inline struct part part_of(int n, int parts, int which)
{
	int first = (int)((long)n * which / parts);
	return (struct part){first, (int)((long)n * (which + 1) / parts) - first};
}

/* Zeros; ends the program without memory. */
static inline void *zeros(size_t count, size_t bytes)
{
	void *made = calloc(count ? count : 1, bytes);
	if (!made) {
		fprintf(stderr, "no memory for %zu elements\n", count);
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	return made;
}

static inline double sum_of_all(double x)
{
	double sum;
	MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	return sum;
}

/* The same line for every number of processes, up to rounding. */
static inline void finish(double norm)
{
	if (rank == 0)
		printf("norm %.9e\n", norm);
	MPI_Finalize();
}

#endif
