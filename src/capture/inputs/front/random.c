/* Random bytes. /dev/urandom and its like are devices: streams.c. */
#include <dlfcn.h>
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

/* ---- OpenSSL: its generator asks the processor for the time, too, so what comes out of it is what is kept ---- */

typedef int next_bytes(void *p, int bytes);
typedef int next_bytes_of(void *library, void *p, size_t bytes, unsigned strength);
SEEN next_bytes RAND_bytes, RAND_priv_bytes;
SEEN next_bytes_of RAND_bytes_ex, RAND_priv_bytes_ex;

/* A module that was loaded by itself may have brought the library: then it is behind nobody. */
static void *of_crypto(const char *name)
{
	static const char *const libraries[] = {"libcrypto.so.3", "libcrypto.so.1.1"};
	void *found = hb__next_find(name);
	for (unsigned i = 0; !found && i < sizeof libraries / sizeof *libraries; i++) {
		void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
		found = library ? dlsym(library, name) : NULL;
	}
	return found;
}

/* In a replay the generator is asked where the recording has nothing. */
#define CRYPTO(name, type, parameters, arguments)                                             \
	int name parameters                                                                   \
	{                                                                                     \
		static struct hb__source source = {"inputs:" #name, 0};                       \
		static type *next;                                                            \
		struct hb__answer a;                                                          \
		enum hb_inputs what = hb__enter(CALLER);                                      \
		if (what == HB_INPUTS_GIVE && has_next(&source, (size_t)bytes, CALLER, &a)) { \
			memcpy(p, a.p, a.bytes);                                              \
			hb__door->leave();                                                    \
			return (int)a.result;                                                 \
		}                                                                             \
		if (!next)                                                                    \
			next = of_crypto(#name);                                              \
		int result = next ? next arguments : 0;                                       \
		if (what == HB_INPUTS_KEEP)                                                   \
			hb__keep(&source, result, 0, p, result > 0 ? (size_t)bytes : 0);      \
		if (what != HB_INPUTS_PASS)                                                   \
			hb__door->leave();                                                    \
		return result;                                                                \
	}

static bool has_next(struct hb__source *source, size_t bytes, const void *pc, struct hb__answer *a)
{
	if (!hb__give(source, HB__RANDOM, pc, a))
		return false;
	if (a->bytes == bytes || a->result <= 0)
		return true;
	hb__differs(HB__RANDOM, pc,
		"the program asks %s for %zu bytes, and got %zu in the recorded run; they are random again",
		hb__called(source), bytes, a->bytes);
	return false;
}

CRYPTO(RAND_bytes, next_bytes, (void *p, int bytes), (p, bytes))
CRYPTO(RAND_priv_bytes, next_bytes, (void *p, int bytes), (p, bytes))
CRYPTO(RAND_bytes_ex, next_bytes_of, (void *library, void *p, size_t bytes, unsigned strength),
	(library, p, bytes, strength))
CRYPTO(RAND_priv_bytes_ex, next_bytes_of, (void *library, void *p, size_t bytes, unsigned strength),
	(library, p, bytes, strength))
