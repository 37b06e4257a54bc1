/* The functions behind those of OpenMP that the tracer stands in front of. */
#ifndef HBDB_CAPTURE_ACCESSES_NEXT_H
#define HBDB_CAPTURE_ACCESSES_NEXT_H

#include <dlfcn.h>

#include "capture/accesses/access.h"

#pragma GCC visibility push(hidden)

/* A program may have loaded its library of OpenMP for itself alone (modules of Python). */
void *hb__next_of(const char *name);

#define NEXT(name)                                                                                              \
	({                                                                                                      \
		static __typeof__(name) *next;                                                                  \
		__typeof__(name) *it = __atomic_load_n(&next, __ATOMIC_RELAXED);                                \
		if (unlikely(!it))                                                                              \
			__atomic_store_n(&next, it = (__typeof__(name) *)hb__next_of(#name), __ATOMIC_RELAXED); \
		it;                                                                                             \
	})

#pragma GCC visibility pop

#endif
