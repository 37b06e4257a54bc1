/* The same XXH3 by the wide registers of newer processors: half of the time where the contents are in a cache (57 GB/s for 29).
 * meson.build has the options of this file. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "capture/core/memory/memory.h"

struct hb__wide hb__hash_wide_avx2(const void *p, size_t bytes)
{
	XXH128_hash_t h = XXH3_128bits_withSeed(p, bytes, bytes);
	return (struct hb__wide){h.low64, h.high64};
}

uint64_t hb__hash_avx2(const void *p, size_t bytes, uint64_t seed) { return XXH3_64bits_withSeed(p, bytes, seed); }
