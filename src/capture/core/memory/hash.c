/* XXH3 of more than a few bytes, which is loops over blocks: unrolled, the sums stay in registers, and a byte costs half of what it
 * costs in a loop of four turns that keeps them in memory. */
#pragma GCC optimize("O3")
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "capture/core/memory/memory.h"

struct hb__wide hb__hash_wide(const void *p, size_t bytes)
{
	XXH128_hash_t h = XXH3_128bits_withSeed(p, bytes, bytes);
	return (struct hb__wide){h.low64, h.high64};
}

uint64_t hb__hash(const void *p, size_t bytes, uint64_t seed) { return XXH3_64bits_withSeed(p, bytes, seed); }
