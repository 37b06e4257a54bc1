/* Streams of the C library over sockets and pipes. They read and write by calls inside of the C library, in front of which nobody can stand;
 * but each stream has a table of functions, and of those that read and write descriptors there is one table for all. Its two entries are
 * exchanged for ours, wherever the C library shows under their names what stands there; where it does not, such streams are not seen. */
#include <stdint.h>
#include <sys/mman.h>

#include "capture/sockets/front/front.h"

#define ENTRIES 24 /* of such a table, at most */

static ssize_t (*next_read)(FILE *, void *, ssize_t);
static ssize_t (*next_write)(FILE *, const void *, ssize_t);

static bool leads_somewhere(int fd)
{
	if (!hb__door || fd < 0 || fd >= HB_DESCRIPTORS_MOST)
		return false;
	enum hb_leads kind = hb_leads_kind(__atomic_load_n(&hb__table[fd], __ATOMIC_ACQUIRE));
	return kind != HB_LEADS_NOWHERE;
}

ssize_t hb__stdio_read(int fd, void *p, size_t bytes)
{
	hb__from = hb__door ? hb__door->above() : NULL;
	ssize_t got = read(fd, p, bytes);
	hb__from = NULL;
	return got;
}

static ssize_t read_stream(FILE *f, void *p, ssize_t n)
{
	return leads_somewhere(f->_fileno) ? hb__stdio_read(f->_fileno, p, (size_t)n) : next_read(f, p, n);
}

/* As the C library's: all of it, or what could be written before an error. */
static ssize_t write_stream(FILE *f, const void *p, ssize_t n)
{
	ssize_t done = 0;
	if (!leads_somewhere(f->_fileno))
		return next_write(f, p, n);
	hb__from = hb__door->above();
	while (done < n) {
		ssize_t got = write(f->_fileno, (const char *)p + done, (size_t)(n - done));
		if (got < 0) {
			f->_flags |= 0x20; /* ferror */
			break;
		}
		done += got;
	}
	hb__from = NULL;
	return done;
}

static void exchange(void **table, void *old, void *new)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	for (int i = 0; table && old && i < ENTRIES; i++) {
		if (table[i] != old)
			continue;
		char *from = (char *)((uintptr_t)&table[i] & ~(uintptr_t)(page - 1));
		if (mprotect(from, page, PROT_READ | PROT_WRITE))
			return;
		__atomic_store_n(&table[i], new, __ATOMIC_RELEASE);
		mprotect(from, page, PROT_READ);
		return;
	}
}

void hb__stdio_begin(void)
{
	static const char *const tables[] = {"_IO_file_jumps", "_IO_wfile_jumps"};
	*(void **)&next_read = dlsym(RTLD_NEXT, "_IO_file_read");
	*(void **)&next_write = dlsym(RTLD_NEXT, "_IO_file_write");
	ssize_t (*own_read)(FILE *, void *, ssize_t) = read_stream;
	ssize_t (*own_write)(FILE *, const void *, ssize_t) = write_stream;
	for (unsigned i = 0; i < 2 && next_read && next_write; i++) {
		void **table = dlsym(RTLD_NEXT, tables[i]);
		exchange(table, *(void **)&next_read, *(void **)&own_read);
		exchange(table, *(void **)&next_write, *(void **)&own_write);
	}
}
