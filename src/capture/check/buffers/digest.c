/* What a buffer holds, in 64 bits. The program may have given its memory back meanwhile: only what is mapped is read. */
#include <sys/mman.h>
#include <unistd.h>

#include "capture/check/buffers/buffers.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#define WHOLE 65536 /* pieces up to this size are digested whole */
#define ENDS 16384  /* of longer ones so much at each end ... */
#define SAMPLES 32  /* ... and so many places between */
#define SAMPLE 1024
#define PAGES 512 /* that are asked for at once */

/* Pages that were there a moment ago, in the same call: asking the kernel is what costs most here. */
static __thread uintptr_t known_low, known_high __attribute__((tls_model("initial-exec")));

void hb__mapped_forget(void) { known_low = known_high = 0; }

static bool mapped(uintptr_t low, uintptr_t high)
{
	static uintptr_t page;
	unsigned char resident[PAGES];
	if (low >= known_low && high <= known_high)
		return true;
	if (!page)
		page = (uintptr_t)sysconf(_SC_PAGESIZE);
	for (uintptr_t at = low & ~(page - 1); at < high; at += PAGES * page) {
		uintptr_t end = high - at < PAGES * page ? high : at + PAGES * page;
		if (mincore((void *)at, end - at, resident))
			return false;
	}
	known_low = low & ~(page - 1);
	known_high = (high + page - 1) & ~(page - 1);
	return true;
}

static bool digest(uintptr_t low, uintptr_t high, uint64_t *h)
{
	if (!mapped(low, high))
		return false;
	*h = XXH3_64bits_withSeed((const void *)low, high - low, *h);
	return true;
}

bool hb__region_digest(const struct hb__region *r, uint64_t *ret_digest)
{
	uint64_t h = 0;
	for (uint32_t i = 0; i < r->n; i++) {
		uintptr_t low = r->piece[i].low, high = r->piece[i].high, step = (high - low) / SAMPLES;
		bool ok = true;
		if (high - low <= WHOLE) {
			ok = digest(low, high, &h);
		} else {
			ok = digest(low, low + ENDS, &h) && digest(high - ENDS, high, &h);
			for (unsigned k = 1; ok && k < SAMPLES; k++)
				ok = digest(low + k * step, low + k * step + SAMPLE, &h);
		}
		if (!ok)
			return false;
	}
	*ret_digest = h;
	return true;
}
