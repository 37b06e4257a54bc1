/* Arrays that grow. */
#include "base/grow.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#define LARGE ((size_t)8 << 20) /* bytes */

/* The system moves large blocks without copying them, so growing costs no second copy. */
bool hb_grow(void **at, size_t *room, size_t need, size_t size)
{
	if (need <= *room)
		return true;
	size_t more = *room ? *room + *room / 2 : 16;
	if (more < need)
		more = need;
	if (more > PTRDIFF_MAX / size)
		return false;
	void *p = realloc(*at, more * size);
	if (!p)
		return false;
	*at = p;
	*room = more;
#ifdef MADV_HUGEPAGE
	/* fewer faults and fewer misses of address translation; where refused, nothing is lost */
	if (more * size >= LARGE)
		madvise((void *)(((uintptr_t)p + 4095) & ~(uintptr_t)4095), more * size - 4096, MADV_HUGEPAGE);
#endif
	return true;
}
