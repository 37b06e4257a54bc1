/* A buffer of 40 bytes of which 80 are sent, and one that was freed, with whatever malloc there is. With -DOTHER this is such a malloc,
 * in the place of the C library's: a heap of its own, of which nobody can know what is freed. */
#include <stddef.h>

#ifdef OTHER
#include <errno.h>
#include <pthread.h>
#include <string.h>

#define ROOM ((size_t)256 << 20)
#define CLASSES 40

static _Alignas(64) char room[ROOM];
static size_t used;
static void *unused[CLASSES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static unsigned class_of(size_t bytes)
{
	unsigned k = 5;
	while ((size_t)1 << k < bytes)
		k++;
	return k;
}

/* The class stands in front. */
void *malloc(size_t bytes)
{
	unsigned k = class_of(bytes + 16);
	pthread_mutex_lock(&lock);
	char *p = unused[k];
	if (p) {
		unused[k] = *(void **)p;
	} else if (used + ((size_t)1 << k) <= ROOM) {
		p = room + used + 16;
		used += (size_t)1 << k;
		*(size_t *)(p - 16) = k;
	}
	pthread_mutex_unlock(&lock);
	if (!p)
		errno = ENOMEM;
	return p;
}

void free(void *p)
{
	if (!p)
		return;
	size_t k = *(size_t *)((char *)p - 16);
	if (k >= CLASSES) /* of memalign: never used again */
		return;
	pthread_mutex_lock(&lock);
	*(void **)p = unused[k];
	unused[k] = p;
	pthread_mutex_unlock(&lock);
}

void *calloc(size_t n, size_t bytes)
{
	void *p = malloc(n * bytes);
	return p ? memset(p, 0, n * bytes) : NULL;
}

void *realloc(void *p, size_t bytes)
{
	void *to = malloc(bytes);
	size_t k = p ? *(size_t *)((char *)p - 16) : 0;
	size_t old = k < CLASSES ? ((size_t)1 << k) - 16 : k;
	if (p && to)
		memcpy(to, p, old < bytes ? old : bytes);
	if (to)
		free(p);
	return to;
}

void *memalign(size_t alignment, size_t bytes)
{
	char *p = malloc(bytes + alignment + 16);
	if (!p)
		return NULL;
	p += 16 + alignment - (size_t)(p + 16) % alignment;
	*(size_t *)(p - 16) = bytes < CLASSES ? CLASSES : bytes;
	return p;
}

void *aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }

int posix_memalign(void **ret, size_t alignment, size_t bytes)
{
	*ret = memalign(alignment, bytes);
	return *ret ? 0 : ENOMEM;
}
#endif

#ifndef LIBRARY
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int *volatile small = calloc(10, sizeof *small), *volatile gone = calloc(20, sizeof *gone), got[20];
	free(gone);
	if (rank == 0) {
		MPI_Send(small, 20, MPI_INT, 1, 0, MPI_COMM_WORLD);
		MPI_Send(gone, 20, MPI_INT, 1, 0, MPI_COMM_WORLD);
	} else if (rank == 1) {
		MPI_Recv(got, 20, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Recv(got, 20, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	free(small);
	MPI_Finalize();
	return 0;
}
#endif
