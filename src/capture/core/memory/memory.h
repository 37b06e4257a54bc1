/* May a buffer of the program be read, and how.
 *
 * The buffers of a call belong to MPI: it may be able to read what this processor cannot (memory of a GPU), and the program may
 * have given their memory back by mistake. A plain load of ours that faults would end a program that is right. So:
 *
 *  - hb__readable says whether plain loads are safe. Pages that were good before are known from a table: no system call. Of a
 *    page that is not in it the kernel is asked, by a call that reads it and fails with EFAULT. What leaves the table is seen at
 *    the functions that take pages away or change their protection (munmap, mprotect, mmap, mremap, madvise, shmdt, ...), which
 *    this library stands in front of as it does of MPI (unmaps.c).
 *  - Where a GPU's library is loaded its own pointer query is asked first, each time (devices.c): memory that is managed by it
 *    looks mapped, yet a load may fault or move it, and addresses change their nature without a call that we see.
 *
 * A handler of SIGSEGV around our loads was the other way. It stands in the way of handlers of the program, of its languages
 * and of gdb, and helps nothing in threads that block all signals, where the kernel ends the process.
 *
 * What is not seen: pages that libc's malloc gives back by itself, and system calls made without libc. A program that sends such
 * memory is wrong and faults in MPI, too. Where that must not be trusted (it is exactly what is looked for), hb__copy reads by
 * the kernel alone. */
#ifndef HBDB_CAPTURE_MEMORY_MEMORY_H
#define HBDB_CAPTURE_MEMORY_MEMORY_H

#include "capture/core/core.h"

#pragma GCC visibility push(hidden)

/* ---- readable.c ---- */
#define HB__PAGE_BITS 12 /* larger pages are several of these */
#define HB__PAGES_KNOWN 16384u
extern uintptr_t hb__page_known[HB__PAGES_KNOWN]; /* 1 + number of a page that can be read; 0: none */
extern uint64_t hb__page_changes;                 /* grows before and after every change of the program's mappings */

static inline unsigned hb__page_place(uintptr_t page) { return (unsigned)page % HB__PAGES_KNOWN; }
static inline bool hb__page_is_known(uintptr_t page)
{
	return __atomic_load_n(&hb__page_known[hb__page_place(page)], __ATOMIC_RELAXED) == page + 1;
}

/* Anything but "one page, and known": asks whom it has to. */
bool hb__readable_ask(const void *p, size_t bytes);

/* Plain loads of these bytes do not fault, and are not memory of a device. Nothing is read of 0 bytes. */
static inline bool hb__readable(const void *p, size_t bytes)
{
	uintptr_t first = (uintptr_t)p >> HB__PAGE_BITS, last = ((uintptr_t)p + bytes - 1) >> HB__PAGE_BITS;
	/* where devices have to be asked no page is known so */
	return likely(first == last && hb__page_is_known(first)) || hb__readable_ask(p, bytes);
}

/* Copies by the kernel: no load of this thread touches the bytes, so that neither a fault nor a breakpoint register of the processor
 * notices. False: they cannot be read, or only by a device's library. A system call each time. */
bool hb__copy(void *to, const void *from, size_t bytes);

/* These pages may be gone, or are no longer to be read. A change comes between two of these calls. */
void hb__pages_forget(uintptr_t low, uintptr_t bytes);
void hb__pages_forget_all(void);
/* The program protects pages by keys, per thread: plain loads are no longer used at all. */
void hb__pages_have_keys(void);

/* ---- hash.c ---- */
struct hb__wide {
	uint64_t low, high;
};
struct hb__wide hb__hash_wide(const void *p, size_t bytes);    /* no two contents have the same, by chance */
uint64_t hb__hash(const void *p, size_t bytes, uint64_t seed); /* XXH3, of what may be long */

/* ---- hash-avx2.c: the same, only where the processor has AVX2; hash.c asks it ---- */
struct hb__wide hb__hash_wide_avx2(const void *p, size_t bytes);
uint64_t hb__hash_avx2(const void *p, size_t bytes, uint64_t seed);

/* ---- devices.c ---- */
/* The library of a GPU is loaded that says whose memory an address is. */
extern bool hb__device_queries;
void hb__devices_look(void); /* has one been loaded meanwhile? */
bool hb__device_memory(const void *p);

#pragma GCC visibility pop

#endif
