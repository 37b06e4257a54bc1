/* In front of C++'s operator new, so that a block is known by the line of the program that asked for it, and not by the library's. */
#include "capture/accesses/next.h"
#include "capture/accesses/watch/watch.h"

#define SEEN __attribute__((visibility("default")))
#define CALLER __builtin_extract_return_addr(__builtin_return_address(0))

#define NEW(name, params, args)                        \
	SEEN void *name params;                        \
	SEEN void *name params                         \
	{                                              \
		void *p = NEXT_FOR(name, CALLER) args; \
		if (p)                                 \
			hb__site_of(p, bytes, CALLER); \
		return p;                              \
	}
NEW(_Znwm, (size_t bytes), (bytes))
NEW(_Znam, (size_t bytes), (bytes))
NEW(_ZnwmRKSt9nothrow_t, (size_t bytes, const void *no), (bytes, no))
NEW(_ZnamRKSt9nothrow_t, (size_t bytes, const void *no), (bytes, no))
NEW(_ZnwmSt11align_val_t, (size_t bytes, size_t alignment), (bytes, alignment))
NEW(_ZnamSt11align_val_t, (size_t bytes, size_t alignment), (bytes, alignment))
