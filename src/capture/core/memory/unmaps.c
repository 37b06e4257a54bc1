/* In front of the functions of libc that take pages away or change what may be done with them: the table of pages that can be read
 * follows. Each does what it was asked for, and answers what it was answered. */
#include <dlfcn.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/core/memory/memory.h"

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#endif

/* The next definition; the kernel itself where there is none (a call before libraries are there). */
#define NEXT(name)                                               \
	static __typeof__(&(name)) next;                         \
	if (unlikely(!__atomic_load_n(&next, __ATOMIC_RELAXED))) \
	__atomic_store_n(&next, (__typeof__(next))dlsym(RTLD_NEXT, #name), __ATOMIC_RELAXED)

static void forget(const void *p, size_t bytes) { hb__pages_forget((uintptr_t)p, bytes); }

static void mapped(const void *p, size_t bytes)
{
	if (p != MAP_FAILED)
		forget(p, bytes);
}

/* Both names: which of them a header makes of mmap depends on the width of file offsets that the caller asked for. */
typedef void *map_function(void *p, size_t bytes, int rights, int flags, int fd, off64_t from);
HB__EXPORT map_function hb__map32 __asm__("mmap"), hb__map64 __asm__("mmap64");
_Static_assert(sizeof(long) == 8, "both are one function where a long has 64 bits");

static void *map(map_function *next, void *p, size_t bytes, int rights, int flags, int fd, off64_t from)
{
	if (flags & MAP_FIXED)
		forget(p, bytes);
	void *at = next ? next(p, bytes, rights, flags, fd, from)
			: (void *)syscall(SYS_mmap, p, bytes, rights, flags, fd, from);
	mapped(at, bytes);
	return at;
}

void *hb__map32(void *p, size_t bytes, int rights, int flags, int fd, off64_t from)
{
	NEXT(mmap);
	return map(next, p, bytes, rights, flags, fd, from);
}

void *hb__map64(void *p, size_t bytes, int rights, int flags, int fd, off64_t from)
{
	NEXT(mmap64);
	return map(next, p, bytes, rights, flags, fd, from);
}

HB__EXPORT int munmap(void *p, size_t bytes)
{
	NEXT(munmap);
	forget(p, bytes);
	int e = next ? next(p, bytes) : (int)syscall(SYS_munmap, p, bytes);
	forget(p, bytes);
	return e;
}

HB__EXPORT int mprotect(void *p, size_t bytes, int rights)
{
	NEXT(mprotect);
	bool reads = rights & PROT_READ;
	if (!reads)
		forget(p, bytes);
	int e = next ? next(p, bytes, rights) : (int)syscall(SYS_mprotect, p, bytes, rights);
	if (!reads)
		forget(p, bytes);
	return e;
}

HB__EXPORT int pkey_mprotect(void *p, size_t bytes, int rights, int key)
{
	NEXT(pkey_mprotect);
	if (key > 0)
		hb__pages_have_keys();
	forget(p, bytes);
	int e = next ? next(p, bytes, rights, key) : (int)syscall(SYS_pkey_mprotect, p, bytes, rights, key);
	forget(p, bytes);
	return e;
}

HB__EXPORT void *mremap(void *p, size_t before, size_t bytes, int flags, ...)
{
	NEXT(mremap);
	void *to = NULL;
	if (flags & MREMAP_FIXED) {
		va_list args;
		va_start(args, flags);
		to = va_arg(args, void *);
		va_end(args);
		forget(to, bytes);
	}
	forget(p, before);
	void *at = next ? next(p, before, bytes, flags, to) : (void *)syscall(SYS_mremap, p, before, bytes, flags, to);
	forget(p, before);
	mapped(at, bytes);
	return at;
}

HB__EXPORT int madvise(void *p, size_t bytes, int advice)
{
	NEXT(madvise);
	if (advice == MADV_GUARD_INSTALL)
		forget(p, bytes);
	int e = next ? next(p, bytes, advice) : (int)syscall(SYS_madvise, p, bytes, advice);
	if (advice == MADV_GUARD_INSTALL)
		forget(p, bytes);
	return e;
}

HB__EXPORT int shmdt(const void *p)
{
	NEXT(shmdt);
	hb__pages_forget_all();
	int e = next ? next(p) : (int)syscall(SYS_shmdt, p);
	hb__pages_forget_all();
	return e;
}

HB__EXPORT void *shmat(int id, const void *p, int flags)
{
	NEXT(shmat);
	if (flags & SHM_REMAP)
		hb__pages_forget_all();
	void *at = next ? next(id, p, flags) : (void *)syscall(SYS_shmat, id, p, flags);
	if (flags & SHM_REMAP)
		hb__pages_forget_all();
	return at;
}
