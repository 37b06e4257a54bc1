/* Preloaded: counts the allocations of the thread that asks, so that those of
 * a launcher's helper threads do not count. */
#include <errno.h>
#include <stddef.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static __thread unsigned long count __attribute__((tls_model("initial-exec")));

unsigned long bench_allocations(void);
unsigned long bench_allocations(void) { return count; }

void *malloc(size_t n)
{
	count++;
	return __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	count++;
	return __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
	count++;
	return __libc_realloc(p, n);
}

void *aligned_alloc(size_t alignment, size_t n)
{
	count++;
	return __libc_memalign(alignment, n);
}

int posix_memalign(void **ret_p, size_t alignment, size_t n)
{
	void *p = aligned_alloc(alignment, n);
	if (!p)
		return ENOMEM;
	*ret_p = p;
	return 0;
}
