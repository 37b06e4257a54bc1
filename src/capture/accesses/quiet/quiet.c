/* In the place of ThreadSanitizer's library for PROG.hbdb-watched that runs by itself: what the compiler has put in front of each access does
 * nothing, and atomic operations are done. In a traced run libhbdb-accesses.so stands before it. */
#define SEEN_READ(p, n) ((void)(p))
#define SEEN_WRITE(p, n) ((void)(p))
#define SEEN_RANGE(p, n, access) ((void)(p), (void)(n))
#define SEEN_ATOMIC(p, n) ((void)(p))
#define SEEN_ATOMIC_READ(p, n) ((void)(p))
#define SEEN_ATOMIC_WRITE(p, n) ((void)(p))
#define SEEN_CODE() ((void)0)
#include "capture/accesses/watch/entries.h"
