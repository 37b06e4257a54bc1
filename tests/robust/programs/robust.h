/* What the programs of tests/robust share: a traffic whose calls can be foretold. */
#ifndef ROBUST_H
#define ROBUST_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;
static long events; /* calls that hbdb must have stored as events */
static long sum;    /* what the traffic has brought so far */

/* One call that is an event. */
#define EVENT(call) ((call), events++)

static inline void start(int *argc, char ***argv)
{
	EVENT(MPI_Init(argc, argv));
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
}

/* A round: ring, wildcard receive from the left, every eighth time a sum over all. */
static inline void round_of(int i)
{
	int left = (rank + size - 1) % size, right = (rank + 1) % size, out = rank + i, in = 0, all = 0;
	MPI_Status st;
	MPI_Request req;
	EVENT(MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, i & 1023, MPI_COMM_WORLD, &req));
	EVENT(MPI_Send(&out, 1, MPI_INT, right, i & 1023, MPI_COMM_WORLD));
	EVENT(MPI_Wait(&req, &st));
	sum += in + (st.MPI_SOURCE == left);
	if (i % 8 == 7) {
		EVENT(MPI_Allreduce(&in, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
		sum += all;
	}
}

static inline void rounds(int from, int n)
{
	for (int i = from; i < from + n; i++)
		round_of(i);
}

/* The count stands at once where it can be read, whatever becomes of the process. */
static inline void tell(const char *what)
{
	printf("%d: %s sum %ld\n", rank, what, sum);
	fflush(stdout);
	const char *prefix = getenv("ROBUST_EVENTS");
	if (!prefix)
		return;
	char name[4096], temporary[4096];
	snprintf(name, sizeof name, "%s.%d", prefix, rank);
	snprintf(temporary, sizeof temporary, "%s.%d.new", prefix, rank);
	FILE *f = fopen(temporary, "w");
	if (!f)
		return;
	fprintf(f, "%ld\n", events);
	fclose(f);
	rename(temporary, name); /* whoever reads it reads a number */
}

static inline int finish(const char *what)
{
	events++; /* MPI_Finalize, which may be the last thing that happens */
	tell(what);
	MPI_Finalize();
	return 0;
}

#endif
