/* Which pages can be read: a table of those that could be, and the kernel for the others. */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "capture/core/memory/memory.h"

uintptr_t hb__page_known[HB__PAGES_KNOWN];
uint64_t hb__page_changes = 1;
static bool keys;

/* In an entry of the table: the kernel knows the page, but a device is to be asked each time. */
#define ASK (~(UINTPTR_MAX >> 1))

static uintptr_t known_as(uintptr_t page)
{
	uintptr_t known = __atomic_load_n(&hb__page_known[hb__page_place(page)], __ATOMIC_RELAXED);
	return (known & ~ASK) == page + 1 ? known : 0;
}

/* Whether memcheck or a kin of it looks at each access (hbdb replay --under valgrind): the instructions by which its programs ask it, which
 * do nothing elsewhere. */
static bool valgrind_looks(void)
{
#if defined __x86_64__
	uint64_t ask[6] = {0x1001}, said = 0;
	__asm__ volatile("rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi; xchgq %%rbx, %%rbx"
			 : "+d"(said)
			 : "a"(ask)
			 : "cc", "memory");
	return said;
#else
	return false;
#endif
}

/* Nothing is changed, for this way of changing the mask of signals does not exist; but the kernel has read eight bytes by
 * then, with the rights of this thread. It needs neither a descriptor nor a right that sandboxes take away. */
static bool page_answers(uintptr_t page)
{
	uintptr_t at = page << HB__PAGE_BITS;
	int before = errno;
	bool good;
	if (unlikely(valgrind_looks())) { /* it would report this way as an error of the program */
		char byte;
		struct iovec here = {&byte, 1}, there = {(void *)at, 1};
		good = syscall(SYS_process_vm_readv, getpid(), &here, 1ul, &there, 1ul, 0ul) == 1;
	} else {
		good = syscall(SYS_rt_sigprocmask, -1, (const void *)at, NULL, 8) == -1 && errno == EINVAL;
	}
	errno = before;
	return good;
}

static void drop(uintptr_t *place, uintptr_t known)
{
	__atomic_compare_exchange_n(place, &known, 0, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

static bool page_good(uintptr_t page)
{
	if (known_as(page))
		return true;
	uint64_t seen = __atomic_load_n(&hb__page_changes, __ATOMIC_ACQUIRE);
	if (!page_answers(page))
		return false;
	uintptr_t *place = &hb__page_known[hb__page_place(page)], known = (page + 1) | (hb__device_queries ? ASK : 0);
	__atomic_store_n(place, known, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&hb__page_changes, __ATOMIC_SEQ_CST) != seen) /* it may be gone again: only this once */
		drop(place, known);
	return true;
}

bool hb__readable_ask(const void *p, size_t bytes)
{
	uintptr_t low = (uintptr_t)p, high = low + bytes - 1;
	if (!bytes)
		return true;
	if (!low || high < low || keys)
		return false;
	if (hb__device_queries && hb__device_memory(p))
		return false;
	for (uintptr_t page = low >> HB__PAGE_BITS; page <= high >> HB__PAGE_BITS; page++) {
		if (known_as(page))
			continue;
		if (!hb__device_queries) { /* a new page: one of a new library's, perhaps */
			hb__devices_look();
			if (hb__device_queries && hb__device_memory(p))
				return false;
		}
		if (!page_good(page))
			return false;
	}
	return true;
}

bool hb__copy(void *to, const void *from, size_t bytes)
{
	if (!bytes)
		return true;
	if (hb__device_queries && hb__device_memory(from))
		return false;
	int before = errno;
	struct iovec here = {to, bytes}, there = {(void *)(uintptr_t)from, bytes};
	ssize_t n = syscall(SYS_process_vm_readv, getpid(), &here, 1ul, &there, 1ul, 0ul);
	bool refused = n < 0 && (errno == EPERM || errno == ENOSYS); /* a sandbox */
	errno = before;
	if (!refused || !hb__readable(from, bytes))
		return n == (ssize_t)bytes;
	memcpy(to, from, bytes);
	return true;
}

/* By two: no part of it is ever 0. */
static void change(void) { __atomic_add_fetch(&hb__page_changes, 2, __ATOMIC_SEQ_CST); }

void hb__pages_forget(uintptr_t low, uintptr_t bytes)
{
	if (!bytes)
		return;
	change();
	uintptr_t first = low >> HB__PAGE_BITS, last = (low + bytes - 1) >> HB__PAGE_BITS;
	if (last - first < HB__PAGES_KNOWN) {
		for (uintptr_t page = first; page <= last; page++)
			if (known_as(page))
				drop(&hb__page_known[hb__page_place(page)], known_as(page));
		change(); /* whoever saw a page in the table meanwhile saw it before */
		return;
	}
	for (unsigned i = 0; i < HB__PAGES_KNOWN; i++) {
		uintptr_t known = __atomic_load_n(&hb__page_known[i], __ATOMIC_RELAXED);
		uintptr_t page = (known & ~ASK) - 1;
		if (known && page >= first && page <= last)
			drop(&hb__page_known[i], known);
	}
	change();
}

void hb__pages_forget_all(void) { hb__pages_forget(0, UINTPTR_MAX); }

void hb__pages_have_keys(void)
{
	keys = true;
	hb__pages_forget_all();
}
