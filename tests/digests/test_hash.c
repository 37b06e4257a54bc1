/* The digest of long contents: the same by wide registers and by narrow ones, and none of the program's registers in use afterwards. */
#define XXH_INLINE_ALL
#include <cpuid.h>
#include <xxhash.h>

#include "capture/core/memory/memory.h"
#include "check.h"

#define AVX_IN_USE 4u /* upper halves of the registers, xgetbv */

/* Whether the processor tells which registers are in use, and counts the upper halves of 16 of them among those. */
static bool tells_use(void)
{
	unsigned a, b, c, d;
	return __get_cpuid_count(0xd, 1, &a, &b, &c, &d) && (a & 4) && __builtin_cpu_supports("avx2");
}

static bool upper_in_use(void)
{
	unsigned low, high;
	__asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(1));
	return low & AVX_IN_USE;
}

/* Arithmetic of the program with the lower halves would take three times as long from then on. */
static void leaves_registers(const unsigned char *bytes)
{
	if (!tells_use()) {
		printf("not looked at: registers in use, which this processor does not tell\n");
		return;
	}
	__asm__ volatile("vpcmpeqd %%ymm0, %%ymm0, %%ymm0" ::: "xmm0");
	bool seen = upper_in_use();
	__asm__ volatile("vzeroupper" ::: "xmm0");
	check(seen && !upper_in_use(), "the processor tells of upper halves in use");
	for (size_t n = 256; n <= 65536; n *= 4) {
		volatile uint64_t sum = hb__hash(bytes, n, 7);
		check(!upper_in_use(), "after 64 bits of %zu bytes none is in use (%d)", n, sum != 0);
		sum = hb__hash_wide(bytes, n).low;
		check(!upper_in_use(), "after 128 bits of %zu bytes none is in use (%d)", n, sum != 0);
	}
}

int main(void)
{
	static const size_t sizes[] = {0, 1, 16, 240, 511, 512, 513, 1023, 1024, 1025, 4096, 65535, 65536};
	static unsigned char bytes[65536 + 1];
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (unsigned char)(i * 131 + (i >> 8));
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		size_t n = sizes[i];
		XXH128_hash_t must = XXH3_128bits_withSeed(bytes + 1, n, n);
		struct hb__wide is = hb__hash_wide(bytes + 1, n);
		check(is.low == must.low64 && is.high == must.high64, "128 bits of %zu bytes", n);
		check(hb__hash(bytes + 1, n, 42) == XXH3_64bits_withSeed(bytes + 1, n, 42), "64 bits of %zu bytes", n);
	}
	leaves_registers(bytes);
	return check_end();
}
