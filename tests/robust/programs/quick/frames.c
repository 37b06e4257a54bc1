/* Stands where the library does, and tells how often a call came to it past the recorder's handlers: then few frames of the
 * recorder lie between it and the program. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define FUNCTIONS(F)                                                                                                   \
	F(Send, (const void *b, int n, MPI_Datatype t, int d, int g, MPI_Comm c), (b, n, t, d, g, c))                  \
	F(Isend, (const void *b, int n, MPI_Datatype t, int d, int g, MPI_Comm c, MPI_Request *r),                     \
		(b, n, t, d, g, c, r))                                                                                 \
	F(Recv, (void *b, int n, MPI_Datatype t, int s, int g, MPI_Comm c, MPI_Status *st), (b, n, t, s, g, c, st))    \
	F(Irecv, (void *b, int n, MPI_Datatype t, int s, int g, MPI_Comm c, MPI_Request *r), (b, n, t, s, g, c, r))    \
	F(Sendrecv,                                                                                                    \
		(const void *b, int n, MPI_Datatype t, int d, int g, void *rb, int rn, MPI_Datatype rt, int s, int rg, \
			MPI_Comm c, MPI_Status *st),                                                                   \
		(b, n, t, d, g, rb, rn, rt, s, rg, c, st))                                                             \
	F(Probe, (int s, int g, MPI_Comm c, MPI_Status *st), (s, g, c, st))                                            \
	F(Iprobe, (int s, int g, MPI_Comm c, int *f, MPI_Status *st), (s, g, c, f, st))                                \
	F(Wait, (MPI_Request * r, MPI_Status * st), (r, st))                                                           \
	F(Waitall, (int n, MPI_Request *r, MPI_Status *st), (n, r, st))                                                \
	F(Test, (MPI_Request * r, int *f, MPI_Status *st), (r, f, st))                                                 \
	F(Waitany, (int n, MPI_Request *r, int *i, MPI_Status *st), (n, r, i, st))                                     \
	F(Waitsome, (int n, MPI_Request *r, int *o, int *i, MPI_Status *st), (n, r, o, i, st))                         \
	F(Testall, (int n, MPI_Request *r, int *f, MPI_Status *st), (n, r, f, st))                                     \
	F(Testany, (int n, MPI_Request *r, int *i, int *f, MPI_Status *st), (n, r, i, f, st))                          \
	F(Testsome, (int n, MPI_Request *r, int *o, int *i, MPI_Status *st), (n, r, o, i, st))                         \
	F(Barrier, (MPI_Comm c), (c))                                                                                  \
	F(Bcast, (void *b, int n, MPI_Datatype t, int root, MPI_Comm c), (b, n, t, root, c))                           \
	F(Allreduce, (const void *b, void *o, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c), (b, o, n, t, op, c))

enum {
#define F(name, parameters, arguments) AT_##name,
	FUNCTIONS(F)
#undef F
		FUNCTIONS_END
};
static long quick[FUNCTIONS_END], all[FUNCTIONS_END];

static void look(int function)
{
	void *frame[32];
	int n = backtrace(frame, 32), recorder = 0;
	for (int i = 0; i < n; i++) {
		Dl_info at;
		recorder += dladdr(frame[i], &at) && at.dli_fname && strstr(at.dli_fname, "libhbdb");
	}
	all[function]++;
	quick[function] += recorder <= 2;
}

#define F(name, parameters, arguments)        \
	int MPI_##name parameters             \
	{                                     \
		look(AT_##name);              \
		return PMPI_##name arguments; \
	}
FUNCTIONS(F)
#undef F

int MPI_Finalize(void)
{
#define F(name, parameters, arguments) printf("quick %s %ld of %ld\n", #name, quick[AT_##name], all[AT_##name]);
	FUNCTIONS(F)
#undef F
	fflush(stdout);
	return PMPI_Finalize();
}
