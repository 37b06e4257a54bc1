/* In front of malloc and its kin: each does what the next definition does, and writes down what begins and ends. */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/heap/heap.h"

#define SEEN __attribute__((visibility("default")))
#define CALLER __builtin_return_address(0)

static struct {
	void *(*malloc)(size_t);
	void *(*calloc)(size_t, size_t);
	void *(*realloc)(void *, size_t);
	void *(*memalign)(size_t, size_t);
	void *(*aligned_alloc)(size_t, size_t);
	int (*posix_memalign)(void **, size_t, size_t);
	void *(*valloc)(size_t);
	void *(*pvalloc)(size_t);
	void (*free)(void *);
	size_t (*malloc_usable_size)(void *);
} next;
static bool ready;

/* ---- until the next definitions are known: looking for them may need memory itself ---- */

static struct {
	_Alignas(16) char at[65536];
	size_t used;
} early;

static void *early_new(size_t bytes, size_t alignment)
{
	size_t from = (early.used + 16 + alignment - 1) & ~(alignment - 1);
	if (bytes > sizeof early.at || from + bytes > sizeof early.at)
		return NULL;
	early.used = from + bytes;
	memcpy(early.at + from - sizeof bytes, &bytes, sizeof bytes); /* nothing is used twice: it is zero */
	return early.at + from;
}

static bool is_early(const void *p)
{
	return (uintptr_t)p >= (uintptr_t)early.at && (uintptr_t)p < (uintptr_t)early.at + sizeof early.at;
}

static size_t early_size(const void *p)
{
	size_t bytes;
	memcpy(&bytes, (const char *)p - sizeof bytes, sizeof bytes);
	return bytes;
}

/* ---- blocks of our own: what a call is checked for may be where the program has just freed a block, of which is still to be told ---- */

#define OURS 8

struct range {
	uintptr_t from, to;
};

static struct range ours[OURS], around;
static size_t nours;

/* Those that the program calls for itself, and this one. */
static bool is_others(const char *name)
{
	static const char *const others[] = {"libhbdb-heap", "libhbdb-self", "libhbdb-farm"};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (!strncmp(name, others[i], strlen(others[i])))
			return true;
	return false;
}

/* dl_iterate_phdr(3) */
static int add_ours(struct dl_phdr_info *info, size_t size, void *user)
{
	const char *slash = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;
	struct range r = {UINTPTR_MAX, 0};
	(void)size, (void)user;
	if (!slash || strncmp(slash + 1, "libhbdb-", 8) != 0 || is_others(slash + 1))
		return 0;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
		if (info->dlpi_phdr[i].p_type != PT_LOAD)
			continue;
		r.from = from < r.from ? from : r.from;
		r.to = from + info->dlpi_phdr[i].p_memsz > r.to ? from + info->dlpi_phdr[i].p_memsz : r.to;
	}
	around.from = !nours || r.from < around.from ? r.from : around.from;
	around.to = r.to > around.to ? r.to : around.to;
	ours[nours++] = r;
	return nours == OURS;
}

static bool is_ours(const void *caller)
{
	uintptr_t at = (uintptr_t)caller;
	if (__builtin_expect(at < around.from || at >= around.to, true))
		return false;
	for (size_t i = 0; i < nours; i++)
		if (at >= ours[i].from && at < ours[i].to)
			return true;
	return false;
}

/* The first call is made before there is a second thread. */
static bool find(void)
{
	static bool finding;
	if (finding)
		return false;
	finding = true;
#define FIND(name) next.name = (__typeof__(next.name))dlsym(RTLD_NEXT, #name)
	FIND(malloc);
	FIND(calloc);
	FIND(realloc);
	FIND(memalign);
	FIND(aligned_alloc);
	FIND(posix_memalign);
	FIND(valloc);
	FIND(pvalloc);
	FIND(free);
	FIND(malloc_usable_size);
#undef FIND
	dl_iterate_phdr(add_ours, NULL);
	finding = false;
	ready = next.malloc && next.calloc && next.realloc && next.free;
	return ready;
}

#define READY (__builtin_expect(ready, true) || find())

/* ---- who else wants to know ---- */

static void (*tell_ends)(void *p);
static void (*tell_begun)(void *p, size_t empty, size_t bytes, const void *made);

void hb_heap_tell(void (*ends)(void *p), void (*begun)(void *p, size_t empty, size_t bytes, const void *made))
{
	__atomic_store_n(&tell_begun, begun, __ATOMIC_RELEASE);
	__atomic_store_n(&tell_ends, ends, __ATOMIC_RELEASE);
}

static void told_ends(void *p)
{
	void (*tell)(void *) = __atomic_load_n(&tell_ends, __ATOMIC_ACQUIRE);
	if (__builtin_expect(tell != NULL, false))
		tell(p);
}

/* ---- the functions ---- */

/* empty: so many bytes of it hold something. */
static void *begun_with(void *p, size_t empty, size_t bytes, const void *caller)
{
	if (__builtin_expect(p != NULL, true) && !is_ours(caller)) {
		hb__heap_begins(p, bytes, caller);
		void (*tell)(void *, size_t, size_t, const void *) = __atomic_load_n(&tell_begun, __ATOMIC_ACQUIRE);
		if (__builtin_expect(tell != NULL, false))
			tell(p, empty < bytes ? empty : bytes, bytes, caller);
	}
	return p;
}

static void *begun(void *p, size_t bytes, const void *caller) { return begun_with(p, 0, bytes, caller); }

SEEN void *malloc(size_t bytes)
{
	if (!READY)
		return early_new(bytes, 16);
	return begun(next.malloc(bytes), bytes, CALLER);
}

SEEN void *calloc(size_t n, size_t bytes)
{
	if (!READY)
		return bytes && n > sizeof early.at / bytes ? NULL : early_new(n * bytes, 16);
	return begun_with(next.calloc(n, bytes), n * bytes, n * bytes, CALLER); /* what overflows is not given */
}

SEEN void free(void *p)
{
	if (!p || is_early(p) || !READY)
		return;
	if (!is_ours(CALLER)) {
		told_ends(p);
		hb__heap_ends(p, CALLER); /* before another thread can get it */
	}
	next.free(p);
}

static void *resize(void *p, size_t bytes, const void *caller)
{
	if (p && is_early(p)) {
		void *to = READY ? begun(next.malloc(bytes), bytes, caller) : early_new(bytes, 16);
		size_t old = early_size(p);
		return to ? memcpy(to, p, old < bytes ? old : bytes) : NULL;
	}
	if (!READY)
		return early_new(bytes, 16);
	if (is_ours(caller))
		return next.realloc(p, bytes);
	struct hb_heap_block old = {.size = 0};
	if (p && __atomic_load_n(&tell_ends, __ATOMIC_RELAXED))
		hb_heap_find(p, &old);
	if (p)
		told_ends(p);
	bool known = p && hb__heap_ends(p, caller);
	void *to = next.realloc(p, bytes);
	if (known && to == p)
		hb__heap_resized(p, bytes);
	else if (known && !to && bytes)
		hb__heap_stays(p);
	else
		begun_with(to, !p || old.state == HB_HEAP_LIVE ? old.size : bytes, bytes, caller);
	return to;
}

SEEN void *realloc(void *p, size_t bytes) { return resize(p, bytes, CALLER); }

SEEN void *reallocarray(void *p, size_t n, size_t bytes)
{
	size_t all;
	if (__builtin_mul_overflow(n, bytes, &all)) {
		errno = ENOMEM;
		return NULL;
	}
	return resize(p, all, CALLER);
}

static bool power_of_two(size_t n) { return n && !(n & (n - 1)); }

SEEN void *memalign(size_t alignment, size_t bytes)
{
	if (!READY || !next.memalign)
		return power_of_two(alignment) ? early_new(bytes, alignment < 16 ? 16 : alignment) : NULL;
	return begun(next.memalign(alignment, bytes), bytes, CALLER);
}

SEEN void *aligned_alloc(size_t alignment, size_t bytes)
{
	if (!READY || !next.aligned_alloc)
		return power_of_two(alignment) ? early_new(bytes, alignment < 16 ? 16 : alignment) : NULL;
	return begun(next.aligned_alloc(alignment, bytes), bytes, CALLER);
}

SEEN int posix_memalign(void **ret, size_t alignment, size_t bytes)
{
	if (!READY || !next.posix_memalign)
		return ENOMEM;
	int e = next.posix_memalign(ret, alignment, bytes);
	if (!e)
		begun(*ret, bytes, CALLER);
	return e;
}

SEEN void *valloc(size_t bytes) { return READY && next.valloc ? begun(next.valloc(bytes), bytes, CALLER) : NULL; }

/* Whole pages: all of them are the caller's. */
SEEN void *pvalloc(size_t bytes)
{
	return READY && next.pvalloc ? begun(next.pvalloc(bytes), (bytes + 4095) & ~(size_t)4095, CALLER) : NULL;
}

/* Who asks may use so many. */
SEEN size_t malloc_usable_size(void *p)
{
	if (!p)
		return 0;
	if (is_early(p))
		return early_size(p);
	size_t bytes = READY && next.malloc_usable_size ? next.malloc_usable_size(p) : 0;
	if (bytes)
		hb__heap_resized(p, bytes);
	return bytes;
}

/* ---- is what is behind us the C library's ---- */

static char reason[300];

static void judge(void)
{
	Dl_info info;
	struct hb_heap_block b;
	if (!READY || !dladdr((void *)next.malloc, &info) || !info.dli_fname) {
		snprintf(reason, sizeof reason, "malloc was not found");
		return;
	}
	const char *slash = strrchr(info.dli_fname, '/'), *name = slash ? slash + 1 : info.dli_fname;
	void *p = malloc(24);
	bool works = p && hb_heap_find((char *)p + 23, &b) == HB_HEAP_LIVE && b.start == (uintptr_t)p && b.size == 24;
	free(p);
	works = works && hb_heap_find((char *)p + 23, &b) == HB_HEAP_FREED;
	if (strncmp(name, "libc.so", 7) != 0 && strncmp(name, "libc-", 5) != 0)
		snprintf(reason, sizeof reason, "malloc is that of %s", name);
	else if (!works)
		snprintf(reason, sizeof reason,
			"the program has a malloc of its own, or there is no memory to watch it");
}

const char *hb_heap_unknown(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, judge);
	return *reason ? reason : hb__heap_full() ? "there is no memory to write down all blocks" : NULL;
}
