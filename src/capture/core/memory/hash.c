/* XXH3 of more than a few bytes, which is loops over blocks: unrolled, the sums stay in registers, and a byte costs half of what it
 * costs in a loop of four turns that keeps them in memory. */
#pragma GCC optimize("O3")
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "capture/core/memory/memory.h"

#define SHORT 512u /* bytes up to which the width of the registers makes no difference */

#if defined(__x86_64__)
static bool has_avx2(void)
{
	static signed char known; /* threads that ask at the same time find the same */
	signed char has = __atomic_load_n(&known, __ATOMIC_RELAXED);
	if (unlikely(!has)) {
		__builtin_cpu_init();
		has = __builtin_cpu_supports("avx2") ? 1 : -1;
		__atomic_store_n(&known, has, __ATOMIC_RELAXED);
	}
	return has > 0;
}
#else
static bool has_avx2(void) { return false; }
#define hb__hash_wide_avx2 hb__hash_wide
#define hb__hash_avx2 hb__hash
#endif

struct hb__wide hb__hash_wide(const void *p, size_t bytes)
{
	if (bytes > SHORT && has_avx2())
		return hb__hash_wide_avx2(p, bytes);
	XXH128_hash_t h = XXH3_128bits_withSeed(p, bytes, bytes);
	return (struct hb__wide){h.low64, h.high64};
}

uint64_t hb__hash(const void *p, size_t bytes, uint64_t seed)
{
	return bytes > SHORT && has_avx2() ? hb__hash_avx2(p, bytes, seed) : XXH3_64bits_withSeed(p, bytes, seed);
}
