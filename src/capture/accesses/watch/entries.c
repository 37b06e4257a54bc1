/* What instrumented code calls. Where nothing is wanted: a load and a branch. */
#include "capture/accesses/watch/watch.h"

#define HERE __builtin_return_address(0)
#define SEEN(p, n, access, atomic)                                      \
	do {                                                            \
		if (unlikely(hb__watched))                              \
			hb__seen((void *)(p), n, access, atomic, HERE); \
	} while (0)
#define SEEN_READ(p, n) SEEN(p, n, HB_ACCESS_READ, false)
#define SEEN_WRITE(p, n) SEEN(p, n, HB_ACCESS_WRITE, false)
#define SEEN_RANGE(p, n, access) SEEN(p, n, access, false)
#define SEEN_ATOMIC_READ(p, n) SEEN(p, n, HB_ACCESS_READ, true)
#define SEEN_ATOMIC_WRITE(p, n) SEEN(p, n, HB_ACCESS_WRITE, true)
#define SEEN_ATOMIC(p, n)                \
	do {                             \
		SEEN_ATOMIC_READ(p, n);  \
		SEEN_ATOMIC_WRITE(p, n); \
	} while (0)
#define SEEN_CODE() (hb__watcher.present = true)
#include "capture/accesses/watch/entries.h"
