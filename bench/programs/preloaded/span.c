/* Preloaded into a program that prints no time of its own: the time from the
 * end of MPI_Init to the start of MPI_Finalize on rank 0, printed to stderr.
 * Both names of each function stand here because hbdb calls the next PMPI_
 * name, a program the MPI_ name. Opaque types only, so that one file serves
 * both MPI libraries. */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "bench.h"

static double started;

static int init(int *argc, char ***argv)
{
	int (*next)(int *, char ***) = (int (*)(int *, char ***))dlsym(RTLD_NEXT, "PMPI_Init");
	int status = next(argc, argv);
	started = now_ns();
	return status;
}

static int is_first(void)
{
	const char *rank = getenv("OMPI_COMM_WORLD_RANK");
	if (!rank)
		rank = getenv("PMI_RANK");
	return !rank || !strcmp(rank, "0");
}

static int finalize(void)
{
	int (*next)(void) = (int (*)(void))dlsym(RTLD_NEXT, "PMPI_Finalize");
	if (is_first()) {
		struct timespec t;
		double span = now_ns() - started;
		clock_gettime(CLOCK_REALTIME, &t);
		/* A line of its own, whatever the program left on the last one. */
		fprintf(stderr, "\nbench: span %.9g s\nbench: end %lld.%09ld s\n", span / 1e9, (long long)t.tv_sec,
			t.tv_nsec);
	}
	return next();
}

int MPI_Init(int *argc, char ***argv);
int PMPI_Init(int *argc, char ***argv);
int MPI_Finalize(void);
int PMPI_Finalize(void);
int MPI_Init(int *argc, char ***argv) { return init(argc, argv); }
int PMPI_Init(int *argc, char ***argv) { return init(argc, argv); }
int MPI_Finalize(void) { return finalize(); }
int PMPI_Finalize(void) { return finalize(); }
