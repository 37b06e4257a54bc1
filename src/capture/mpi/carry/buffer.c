/* Buffered sends. The program attaches just the memory that its messages need; with a prefix
 * each of them needs more, so another buffer is attached in its place. */
#include <stdlib.h>
#include <sys/mman.h>

#include "capture/mpi/carry/carry.h"

/* The process may have one, and each communicator one of its own. */
struct attached {
	struct attached *next;
	void *ours, *program;
	int64_t ours_bytes, program_bytes;
};
static struct attached *attached;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The address and the size are the last two parameters. */
static uintptr_t *buffer_of(struct hb__call *c) { return &c->a[c->fn->nargs - 2]; }

int hb__carry_attach(struct hb__call *c)
{
	uintptr_t *a = buffer_of(c);
	void *buf = (void *)a[0];
	int64_t bytes = c->fn->wide ? (int64_t)a[1] : (int)a[1], limit = c->fn->wide ? INT64_MAX : INT32_MAX;
	if (!buf || hb__buffer_automatic(a[0]) || bytes <= 0)
		return hb__invoke_next(c);
	/* At least this much the program has reckoned for each message. */
	int64_t most = bytes / MPI_BSEND_OVERHEAD + 1, more = most * (int64_t)(hb__prefix_bytes + 64);
	int64_t ours_bytes = bytes > limit - more ? limit : bytes + more;
	struct attached *one = malloc(sizeof *one);
	void *ours = one ? hb__pages((size_t)ours_bytes) : NULL;
	if (!ours) {
		free(one);
		return hb__invoke_next(c);
	}
	a[0] = (uintptr_t)ours;
	a[1] = (uintptr_t)ours_bytes;
	int code = hb__invoke_next(c);
	a[0] = (uintptr_t)buf;
	a[1] = (uintptr_t)bytes;
	if (code != MPI_SUCCESS) {
		munmap(ours, (size_t)ours_bytes);
		free(one);
		return code;
	}
	*one = (struct attached){.ours = ours, .ours_bytes = ours_bytes, .program = buf, .program_bytes = bytes};
	pthread_mutex_lock(&lock);
	one->next = attached;
	attached = one;
	pthread_mutex_unlock(&lock);
	return code;
}

static struct attached *take(const void *ours)
{
	pthread_mutex_lock(&lock);
	struct attached **at = &attached, *found;
	while (*at && (*at)->ours != ours)
		at = &(*at)->next;
	found = *at;
	if (found)
		*at = found->next;
	pthread_mutex_unlock(&lock);
	return found;
}

int hb__carry_detach(struct hb__call *c)
{
	const uintptr_t *a = buffer_of(c);
	int code = hb__invoke_next(c);
	struct attached *one = code == MPI_SUCCESS ? take(*(void **)a[0]) : NULL;
	if (one) {
		*(void **)a[0] = one->program;
		if (c->fn->param[c->fn->nargs - 1].kind == HB_P_CNTPTR)
			*(MPI_Count *)a[1] = one->program_bytes;
		else
			*(int *)a[1] = (int)one->program_bytes;
		munmap(one->ours, (size_t)one->ours_bytes);
		free(one);
	}
	return code;
}
