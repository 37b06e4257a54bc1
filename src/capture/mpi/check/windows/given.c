/* Memory that the program gave to MPI_Win_create: it must be there until MPI_Win_free. Told is only what is certain: MPI_Free_mem of
 * it, blocks of malloc that were freed, pages that are not mapped any more, and variables of a function that has returned. */
#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/mpi/check/windows/windows.h"
#include "capture/core/memory/memory.h"
#include "capture/mpi/family/family.h"

#define FRAMES \
	1048576 /* so far below the stack pointer nothing but the stack lies: the kernel keeps 128 MB free there */
#define STACK 8388608

extern void *__libc_stack_end;

static void gone(struct hb__call *c, const struct hb__window *w, const char *how)
{
	hb__remark(
		c, EPOCH, .error = HB_MISUSE_MEMORY, .win = w->number, .target = -1, .made = w->made_site, .text = how);
}

/* It lies in the part of the main thread's stack that is not in use; not on a stack that the program made for itself. */
static bool returned(const struct hb__call *c, const struct hb__window *w)
{
	const char *sp = c->cfa, *end = __libc_stack_end;
	if (!sp || getpid() != (pid_t)syscall(SYS_gettid) || sp >= end || end - sp > STACK)
		return false;
	return w->base < sp && w->base + w->size <= sp && sp - w->base < FRAMES;
}

static bool unmapped(const struct hb__window *w)
{
	unsigned char page;
	uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)w->base & ~(size - 1);
	int saved = errno;
	bool is = !hb__device_queries && mincore((void *)at, 1, &page) != 0 && errno == ENOMEM;
	errno = saved;
	return is;
}

void hb__given_freed(struct hb__call *c)
{
	const char *at = (const char *)c->a[0];
	for (struct hb__window *w = hb__windows; w; w = w->next)
		if (w->handle && w->given && w->base == at && at && w->size > 0 && !w->gone) {
			w->gone = true;
			gone(c, w, "the memory of a window is freed, and MPI_Win_free has not been called");
		}
}

void hb__given_end(struct hb__call *c, struct hb__window *w)
{
	if (!w->given || !w->base || w->size <= 0 || w->gone)
		return;
	uint32_t made, ended;
	if (hb__block_ended(w->block, &made, &ended))
		hb__remark(c, EPOCH, .error = HB_MISUSE_MEMORY, .win = w->number, .target = -1, .made = w->made_site,
			.by = ended, .text = "the memory of the window was freed before the window");
	else if (unmapped(w))
		gone(c, w,
			"the memory of the window is not there any more: it was given back before the window was freed");
	else if (returned(c, w))
		gone(c, w, "the memory of the window was a variable of a function that has returned");
}
