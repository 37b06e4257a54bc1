/* Versions of clocks: what a message carries. A line's clock changes only when it learns something, so all sends
 * between two changes share one version, counted by its references. The own component is not part of
 * it: that is the number of the sending event. */
#include "model/clock/clock.h"

#define CHUNK 256u /* versions */

void hb__versions_open(struct hb__versions *v, uint32_t width)
{
	*v = (struct hb__versions){.width = (width + 7u) & ~7u, .free = HB_NO};
}

void hb__versions_close(struct hb__versions *v)
{
	for (size_t i = 0; i < v->chunks.n; i++)
		free(v->chunks.at[i]);
	free(v->chunks.at);
	free(v->references.at);
}

uint32_t *hb__version(const struct hb__versions *v, uint32_t id)
{
	return v->chunks.at[id / CHUNK] + (size_t)(id % CHUNK) * v->width;
}

static bool more(struct hb__versions *v)
{
	uint32_t *chunk = NULL;
	if (posix_memalign((void **)&chunk, 64, (size_t)CHUNK * v->width * sizeof *chunk))
		return false;
	uint32_t first = (uint32_t)v->chunks.n * CHUNK;
	if (!VEC_PUSH(&v->chunks, chunk)) {
		free(chunk);
		return false;
	}
	for (uint32_t i = 0; i < CHUNK; i++)
		if (!VEC_PUSH(&v->references, 0))
			return false;
	for (uint32_t i = CHUNK; i-- > 0;) {
		v->references.at[first + i] = v->free;
		v->free = first + i;
	}
	return true;
}

uint32_t hb__version_new(struct hb__versions *v, const uint32_t *clock)
{
	if (v->free == HB_NO && !more(v))
		return HB_NO;
	uint32_t id = v->free;
	v->free = v->references.at[id];
	v->references.at[id] = 1;
	v->used++;
	memcpy(hb__version(v, id), clock, (size_t)v->width * sizeof *clock);
	return id;
}

void hb__version_drop(struct hb__versions *v, uint32_t id)
{
	if (id == HB_NO || --v->references.at[id])
		return;
	v->references.at[id] = v->free;
	v->free = id;
	v->used--;
}

/* ---- the maximum of two clocks, component by component ---- */

static void merge_plain(uint32_t *into, const uint32_t *from, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		into[i] = into[i] > from[i] ? into[i] : from[i];
}

#if defined(__x86_64__)
#include <immintrin.h>

/* n is a multiple of 8. */
__attribute__((target("avx2"))) static void merge_avx2(uint32_t *into, const uint32_t *from, uint32_t n)
{
	for (uint32_t i = 0; i < n; i += 8) {
		__m256i a = _mm256_loadu_si256((const __m256i *)(into + i));
		__m256i b = _mm256_loadu_si256((const __m256i *)(from + i));
		_mm256_storeu_si256((__m256i *)(into + i), _mm256_max_epu32(a, b));
	}
}

void hb__clock_merge(uint32_t *into, const uint32_t *from, uint32_t n)
{
	static int fast = -1;
	if (fast < 0)
		fast = __builtin_cpu_supports("avx2") != 0;
	if (fast)
		merge_avx2(into, from, n);
	else
		merge_plain(into, from, n);
}
#else
void hb__clock_merge(uint32_t *into, const uint32_t *from, uint32_t n) { merge_plain(into, from, n); }
#endif
