/* The functions behind those that the tracer stands in front of: of C++, of OpenMP, of ScaLAPACK. */
#ifndef HBDB_CAPTURE_ACCESSES_NEXT_H
#define HBDB_CAPTURE_ACCESSES_NEXT_H

#include "capture/accesses/access.h"

#pragma GCC visibility push(hidden)

/* The function of that name that `caller` (an address in the code that called ours) would have called without us. The dynamic linker says
 * so where the library is one of the whole program's. Where it was loaded for some of its libraries alone (a plugin's own C++, a module of
 * Python), it is looked for among what the caller itself is linked with, and then by the names that such libraries usually have. A library
 * that was found that way stays loaded. NULL: there is none, which a message on stderr says; whoever calls it then crashes, for
 * the call cannot be left out. */
void *hb__next_of(const char *name, const void *caller);

#define NEXT_FOR(name, caller)                                                                                 \
	({                                                                                                     \
		static __typeof__(name) *next;                                                                 \
		__typeof__(name) *it = __atomic_load_n(&next, __ATOMIC_RELAXED);                               \
		if (unlikely(!it))                                                                             \
			__atomic_store_n(                                                                      \
				&next, it = (__typeof__(name) *)hb__next_of(#name, caller), __ATOMIC_RELAXED); \
		it;                                                                                            \
	})
#define NEXT(name) NEXT_FOR(name, __builtin_extract_return_addr(__builtin_return_address(0)))

#pragma GCC visibility pop

#endif
