/* Stands between the program and the library, and opens the pages of opaque.h inside of calls alone. */
#include <mpi.h>
#include <sys/mman.h>

#include "opaque.h"

static char *memory;
static size_t size;

char *opaque_memory(size_t bytes)
{
	size = bytes;
	memory = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return memory;
}

void opaque_open(void) { mprotect(memory, size, PROT_READ | PROT_WRITE); }
void opaque_close(void) { mprotect(memory, size, PROT_NONE); }

#define OPENED(call)            \
	do {                    \
		opaque_open();  \
		int e = call;   \
		opaque_close(); \
		return e;       \
	} while (0)

int MPI_Send(const void *b, int n, MPI_Datatype t, int d, int tag, MPI_Comm c)
{
	OPENED(PMPI_Send(b, n, t, d, tag, c));
}
int MPI_Recv(void *b, int n, MPI_Datatype t, int s, int tag, MPI_Comm c, MPI_Status *st)
{
	OPENED(PMPI_Recv(b, n, t, s, tag, c, st));
}
int MPI_Sendrecv(const void *b, int n, MPI_Datatype t, int d, int tag, void *rb, int rn, MPI_Datatype rt, int s,
	int rtag, MPI_Comm c, MPI_Status *st)
{
	OPENED(PMPI_Sendrecv(b, n, t, d, tag, rb, rn, rt, s, rtag, c, st));
}
int MPI_Isend(const void *b, int n, MPI_Datatype t, int d, int tag, MPI_Comm c, MPI_Request *r)
{
	OPENED(PMPI_Isend(b, n, t, d, tag, c, r));
}
int MPI_Wait(MPI_Request *r, MPI_Status *st) { OPENED(PMPI_Wait(r, st)); }
int MPI_Bcast(void *b, int n, MPI_Datatype t, int root, MPI_Comm c) { OPENED(PMPI_Bcast(b, n, t, root, c)); }
int MPI_Allreduce(const void *b, void *to, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c)
{
	OPENED(PMPI_Allreduce(b, to, n, t, op, c));
}
int MPI_Alltoall(const void *b, int n, MPI_Datatype t, void *to, int rn, MPI_Datatype rt, MPI_Comm c)
{
	OPENED(PMPI_Alltoall(b, n, t, to, rn, rt, c));
}
int MPI_Gatherv(const void *b, int n, MPI_Datatype t, void *to, const int *rn, const int *at, MPI_Datatype rt, int root,
	MPI_Comm c)
{
	OPENED(PMPI_Gatherv(b, n, t, to, rn, at, rt, root, c));
}
