/* Buffered sends. The program attaches just the memory that its messages need; with a prefix
 * each of them needs more, so another buffer is attached in its place. */
#include <sys/mman.h>

#include "capture/carry/carry.h"
#include "capture/wrap/step.h"

static struct {
	void *ours, *program;
	int64_t ours_bytes, program_bytes;
} attached;

int hb__on_buffer_attach(struct hb__call *c)
{
	void *buf = (void *)c->a[0];
	int64_t bytes = (int64_t)c->a[1], limit = c->fn->wide ? INT64_MAX : INT32_MAX;
	if (!hb__carrying || !buf || bytes <= 0)
		return hb__invoke_next(c);
	/* At least this much the program has reckoned for each message. */
	int64_t most = bytes / MPI_BSEND_OVERHEAD + 1, more = most * (int64_t)(hb__prefix_bytes + 64);
	int64_t ours_bytes = bytes > limit - more ? limit : bytes + more;
	void *ours = hb__pages((size_t)ours_bytes);
	if (!ours)
		return hb__invoke_next(c);
	c->a[0] = (uintptr_t)ours;
	c->a[1] = (uintptr_t)ours_bytes;
	int code = hb__invoke_next(c);
	c->a[0] = (uintptr_t)buf;
	c->a[1] = (uintptr_t)bytes;
	if (code != MPI_SUCCESS) {
		munmap(ours, (size_t)ours_bytes);
		return code;
	}
	attached.ours = ours;
	attached.ours_bytes = ours_bytes;
	attached.program = buf;
	attached.program_bytes = bytes;
	return code;
}

int hb__on_buffer_detach(struct hb__call *c)
{
	HB__NEED(c->a[0] && c->a[1]);
	hb__begin(c, false);
	int code = hb__invoke_next(c);
	if (hb__carrying && code == MPI_SUCCESS && attached.ours && *(void **)c->a[0] == attached.ours) {
		*(void **)c->a[0] = attached.program;
		if (c->fn->wide || c->fn->id == HB_FN_MPI_Buffer_detach_c)
			*(MPI_Count *)c->a[1] = attached.program_bytes;
		else
			*(int *)c->a[1] = (int)attached.program_bytes;
		munmap(attached.ours, (size_t)attached.ours_bytes);
		attached.ours = NULL;
	}
	hb__end(c, code);
	return code;
}
