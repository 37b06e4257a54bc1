/* In front of C++'s operator new, so that a block is known by the line of the program that asked for it, and not by the library's. */
#include <dlfcn.h>

#include "capture/accesses/watch/watch.h"

#define SEEN __attribute__((visibility("default")))
#define CALLER __builtin_extract_return_addr(__builtin_return_address(0))

#define NEW(name, params, args)                                                                                      \
	SEEN void *name params;                                                                                      \
	SEEN void *name params                                                                                       \
	{                                                                                                            \
		static __typeof__(name) *next;                                                                       \
		__typeof__(name) *it = __atomic_load_n(&next, __ATOMIC_RELAXED);                                     \
		if (unlikely(!it))                                                                                   \
			__atomic_store_n(&next, it = (__typeof__(name) *)dlsym(RTLD_NEXT, #name), __ATOMIC_RELAXED); \
		void *p = it args;                                                                                   \
		if (p)                                                                                               \
			hb__site_of(p, bytes, CALLER);                                                               \
		return p;                                                                                            \
	}
NEW(_Znwm, (size_t bytes), (bytes))
NEW(_Znam, (size_t bytes), (bytes))
NEW(_ZnwmRKSt9nothrow_t, (size_t bytes, const void *no), (bytes, no))
NEW(_ZnamRKSt9nothrow_t, (size_t bytes, const void *no), (bytes, no))
NEW(_ZnwmSt11align_val_t, (size_t bytes, size_t alignment), (bytes, alignment))
NEW(_ZnamSt11align_val_t, (size_t bytes, size_t alignment), (bytes, alignment))
