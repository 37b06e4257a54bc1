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
#define NEXT(name) NEXT_OF(name, #name)
#define NEXT_OF(function, name)                                  \
	static __typeof__(&(function)) next;                     \
	if (unlikely(!__atomic_load_n(&next, __ATOMIC_RELAXED))) \
	__atomic_store_n(&next, (__typeof__(next))dlsym(RTLD_NEXT, name), __ATOMIC_RELAXED)

static void forget(const void *p, size_t bytes) { hb__pages_forget((uintptr_t)p, bytes); }

static void mapped(const void *p, size_t bytes)
{
	if (p != MAP_FAILED)
		forget(p, bytes);
}

/* Both names: which of them a header makes of mmap depends on the width of file offsets that the caller asked for. */
HB__EXPORT void *hb__map64(void *p, size_t bytes, int rights, int flags, int fd, off64_t from) __asm__("mmap64");
HB__EXPORT void *hb__map32(void *p, size_t bytes, int rights, int flags, int fd, long from) __asm__("mmap");

static void *by_kernel(void *p, size_t bytes, int rights, int flags, int fd, off64_t from)
{
#ifdef SYS_mmap2 /* 32 bits: it counts pages */
	return (void *)syscall(SYS_mmap2, p, bytes, rights, flags, fd, (unsigned long)(from >> 12));
#else
	return (void *)syscall(SYS_mmap, p, bytes, rights, flags, fd, from);
#endif
}

#define MAP(function, name)                                                                                       \
	NEXT_OF(function, name);                                                                                  \
	if (flags & MAP_FIXED)                                                                                    \
		forget(p, bytes);                                                                                 \
	void *at = next ? next(p, bytes, rights, flags, fd, from) : by_kernel(p, bytes, rights, flags, fd, from); \
	mapped(at, bytes);                                                                                        \
	return at;

void *hb__map32(void *p, size_t bytes, int rights, int flags, int fd, long from) { MAP(hb__map32, "mmap") }

void *hb__map64(void *p, size_t bytes, int rights, int flags, int fd, off64_t from){MAP(hb__map64, "mmap64")}

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
