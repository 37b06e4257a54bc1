/* What a buffer holds, in 64 bits. The program may have given its memory back meanwhile: only what is mapped is read. */
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/mpi/check/buffers/buffers.h"
#include "capture/core/memory/memory.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#define WHOLE 65536 /* pieces up to this size are digested whole */
#define ENDS 16384  /* of longer ones so much at each end ... */
#define SAMPLES 32  /* ... and so many places between */
#define SAMPLE 1024
#define PAGES 512 /* that are asked for at once */
/* Where a share of the time does not allow that: pieces up to SMALL are digested whole, of longer ones FEW_ENDS at each end and FEW
 * places between, other ones each time, so that what changes in every round of a loop is found sooner or later. */
#define SMALL 4096
#define FEW_ENDS 1024
#define FEW 8
#define FEW_BYTES 256

/* ---- is it there ---- */

/* What malloc gives back by itself is not seen by memory/, and that a program frees what is being sent is what is looked for
 * here. So the kernel is asked, but for memory that stays: the program's own data, the heap below the break, and the stack
 * of the first thread above this call. */
static struct {
	uintptr_t data_low, data_high, heap_low, stack_high;
} stays;

extern void *__libc_stack_end;
extern void *__curbrk
	__attribute__((weak)); /* libc's own note of the break, kept by who stands in front of sbrk, too */

/* sbrk(0) is a system call where a library stands in front of it (UCX does under MPICH). */
static uintptr_t heap_high(void)
{
	void *const *noted = &__curbrk;
	return noted ? (uintptr_t)__atomic_load_n(noted, __ATOMIC_RELAXED) : (uintptr_t)sbrk(0);
}

static int own_data(struct dl_phdr_info *info, size_t size, void *user)
{
	(void)size;
	(void)user;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		if (p->p_type != PT_LOAD || !(p->p_flags & PF_W))
			continue;
		stays.data_low = info->dlpi_addr + p->p_vaddr;
		stays.data_high = stays.data_low + p->p_memsz;
	}
	return 1; /* the program itself comes first */
}

static uintptr_t heap_begin(void)
{
	char line[512];
	uintptr_t low = (uintptr_t)sbrk(0);
	FILE *f = fopen("/proc/self/maps", "re");
	while (f && fgets(line, sizeof line, f)) {
		unsigned long from, to;
		if (strstr(line, "[heap]") && sscanf(line, "%lx-%lx", &from, &to) == 2 && from < low)
			low = from;
	}
	if (f)
		fclose(f);
	return low;
}

void hb__memory_that_stays(void)
{
	dl_iterate_phdr(own_data, NULL);
	stays.heap_low = heap_begin();
	stays.stack_high = (uintptr_t)__libc_stack_end;
}

bool hb__memory_of_program(const void *p, size_t bytes)
{
	uintptr_t low = (uintptr_t)p, high = low + bytes;
	return (low >= stays.data_low && high <= stays.data_high) ||
	       (low >= stays.heap_low && high <= (uintptr_t)sbrk(0));
}

static __thread int first_thread __attribute__((tls_model("initial-exec"))); /* 1: this one is it, -1: not */

#define STACK ((uintptr_t)64 << 20) /* nothing else is mapped so near to its end; a coroutine runs on another stack */

static bool on_stack(uintptr_t low, uintptr_t high)
{
	uintptr_t now = (uintptr_t)__builtin_frame_address(0);
	if (low < now || high > stays.stack_high || stays.stack_high - now > STACK)
		return false;
	if (unlikely(!first_thread))
		first_thread = gettid() == getpid() ? 1 : -1;
	return first_thread > 0;
}

bool hb__memory_stays(uintptr_t low, uintptr_t high)
{
	return (low >= stays.data_low && high <= stays.data_high) || on_stack(low, high);
}

/* Pages that were there a moment ago, in the same call: asking the kernel is what costs most here. */
static __thread uintptr_t known_low, known_high __attribute__((tls_model("initial-exec")));

void hb__mapped_forget(void) { known_low = known_high = 0; }

static bool mapped(uintptr_t low, uintptr_t high)
{
	static uintptr_t page;
	unsigned char resident[PAGES];
	if (low >= known_low && high <= known_high)
		return true;
	if (hb__memory_stays(low, high) || (low >= stays.heap_low && high <= heap_high()))
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

bool hb__still_readable(const void *p, size_t bytes)
{
	uintptr_t low = (uintptr_t)p;
	return mapped(low, low + bytes) && hb__readable(p, bytes);
}

/* ---- digests ---- */

static bool digest(uintptr_t low, uintptr_t high, bool lives, uint64_t *h)
{
	if (!(lives || mapped(low, high)) || !hb__readable((const void *)low, high - low))
		return false;
	*h = XXH3_64bits_withSeed((const void *)low, high - low, *h);
	return true;
}

static bool few(uintptr_t low, uintptr_t high, uint32_t turn, bool lives, uint64_t *h)
{
	uintptr_t from = low + FEW_ENDS, step = (high - low - 2 * FEW_ENDS - FEW_BYTES) / FEW;
	if (!lives && high - low <= (PAGES - 1) * 4096 && !mapped(low, high)) /* all at once */
		return false;
	bool ok = digest(low, from, lives, h) && digest(high - FEW_ENDS, high, lives, h);
	for (unsigned k = 0; ok && k < FEW; k++) {
		uintptr_t at = from + k * step + turn * 0x9e3779b9u % (step + 1);
		ok = digest(at, at + FEW_BYTES, lives, h);
	}
	return ok;
}

bool hb__region_digest(const struct hb__region *r, uint32_t turn, bool lives, uint64_t *ret_digest)
{
	uint64_t h = 0;
	for (uint32_t i = 0; i < r->n; i++) {
		uintptr_t low = r->piece[i].low, high = r->piece[i].high, step = (high - low) / SAMPLES;
		bool ok = true;
		if (high - low <= (turn ? SMALL : WHOLE)) {
			ok = digest(low, high, lives, &h);
		} else if (turn) {
			ok = few(low, high, turn, lives, &h);
		} else {
			ok = digest(low, low + ENDS, lives, &h) && digest(high - ENDS, high, lives, &h);
			for (unsigned k = 1; ok && k < SAMPLES; k++)
				ok = digest(low + k * step, low + k * step + SAMPLE, lives, &h);
		}
		if (!ok)
			return false;
	}
	*ret_digest = h;
	return true;
}

bool hb__region_unwatched(const struct hb__region *r, uint64_t *ret_digest)
{
	uint64_t h = 0;
	for (uint32_t i = 0; i < r->n; i++) {
		uintptr_t at = r->piece[i].low, low, high;
		while (hb__guard_gap(&at, r->piece[i].high, &low, &high))
			if (!digest(low, high, false, &h))
				return false;
	}
	*ret_digest = h;
	return true;
}
