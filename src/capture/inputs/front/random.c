/* Random bytes. /dev/urandom and its like are devices: streams.c. */
#include <errno.h>
#include <string.h>

#include "capture/inputs/front/front.h"

/* Keeps `bytes` that came, or puts those that are recorded in their place; result: what the call returned. */
static int64_t bytes_of(
	enum hb_inputs what, struct hb__source *source, int64_t result, void *p, size_t bytes, const void *pc)
{
	int e = errno;
	struct hb__answer a;
	if (what == HB_INPUTS_KEEP) {
		hb__keep(source, result, e, p, bytes);
	} else if (hb__give(source, HB__RANDOM, pc, &a)) {
		if (a.bytes != bytes)
			hb__differs(HB__RANDOM, pc,
				"the program asks %s for %zu bytes, and got %zu in the recorded run; the others are random again",
				hb__called(source), bytes, a.bytes);
		else
			result = a.result;
		if (a.bytes)
			memcpy(p, a.p, a.bytes < bytes ? a.bytes : bytes);
		e = a.error ? a.error : e;
	}
	hb__door->leave();
	errno = e;
	return result;
}

SEEN ssize_t getrandom(void *p, size_t bytes, unsigned flags)
{
	static struct hb__source source = {"inputs:getrandom", 0};
	enum hb_inputs what = hb__enter(CALLER);
	ssize_t n = NEXT(getrandom)(p, bytes, flags);
	return what == HB_INPUTS_PASS ? n : (ssize_t)bytes_of(what, &source, n, p, n > 0 ? (size_t)n : 0, CALLER);
}

SEEN int getentropy(void *p, size_t bytes)
{
	static struct hb__source source = {"inputs:getentropy", 0};
	enum hb_inputs what = hb__enter(CALLER);
	int e = NEXT(getentropy)(p, bytes);
	return what == HB_INPUTS_PASS ? e : (int)bytes_of(what, &source, e, p, e ? 0 : bytes, CALLER);
}

SEEN void arc4random_buf(void *p, size_t bytes)
{
	static struct hb__source source = {"inputs:arc4random_buf", 0};
	enum hb_inputs what = hb__enter(CALLER);
	NEXT(arc4random_buf)(p, bytes);
	if (what != HB_INPUTS_PASS)
		bytes_of(what, &source, 0, p, bytes, CALLER);
}

SEEN uint32_t arc4random(void)
{
	static struct hb__source source = {"inputs:arc4random", 0};
	enum hb_inputs what = hb__enter(CALLER);
	uint32_t v = NEXT(arc4random)();
	if (what != HB_INPUTS_PASS)
		bytes_of(what, &source, 0, &v, sizeof v, CALLER);
	return v;
}

SEEN uint32_t arc4random_uniform(uint32_t bound)
{
	static struct hb__source source = {"inputs:arc4random_uniform", 0};
	enum hb_inputs what = hb__enter(CALLER);
	uint32_t v = NEXT(arc4random_uniform)(bound);
	if (what != HB_INPUTS_PASS)
		bytes_of(what, &source, 0, &v, sizeof v, CALLER);
	return v;
}

/* std::random_device::operator(): it may ask the processor itself, so it is the last function that can be stood in front of. */
SEEN unsigned hb_random_device(void *device) __asm__("_ZNSt13random_device9_M_getvalEv");

unsigned hb_random_device(void *device)
{
	static struct hb__source source = {"inputs:std::random_device", 0};
	static unsigned (*next)(void *);
	enum hb_inputs what = hb__enter(CALLER);
	if (!next)
		next = hb__next_find("_ZNSt13random_device9_M_getvalEv");
	unsigned v = next(device);
	if (what != HB_INPUTS_PASS)
		bytes_of(what, &source, 0, &v, sizeof v, CALLER);
	return v;
}
