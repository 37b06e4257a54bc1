/* Streams of the C library over sockets and pipes. They read and write by calls inside of the C library, in front of which nobody can stand;
 * but each stream has a table of functions, and of those that read and write descriptors there is one table for all. Its two entries are
 * exchanged for ours, wherever the C library shows under their names what stands there; where it does not, such streams are not seen. */
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "capture/sockets/front/front.h"

/* The C library's, behind those of its header that check the room of their arguments. */
int __vsnprintf_chk(char *to, size_t most, int flag, size_t room, const char *format, va_list args);
int __vasprintf_chk(char **ret, int flag, const char *format, va_list args);

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

/* All of it, or what could be written before an error. */
static ssize_t write_all(int fd, const char *p, ssize_t n, const void *pc)
{
	ssize_t done = 0, got = 0;
	hb__from = pc;
	while (done < n && (got = write(fd, p + done, (size_t)(n - done))) >= 0)
		done += got;
	hb__from = NULL;
	return done;
}

/* As the C library's. */
static ssize_t write_stream(FILE *f, const void *p, ssize_t n)
{
	if (!leads_somewhere(f->_fileno))
		return next_write(f, p, n);
	ssize_t done = write_all(f->_fileno, p, n, hb__door->above());
	if (done < n)
		f->_flags |= 0x20; /* ferror */
	return done;
}

/* To a descriptor without a stream, which the C library writes to without such a table since version 2.37. */
static int print(int fd, const char *format, va_list args, int checks, const void *pc)
{
	char room[1024], *text = room;
	va_list again;
	va_copy(again, args);
	int n = __vsnprintf_chk(text, sizeof room, checks, sizeof room, format, args);
	if (n >= (int)sizeof room && (n = __vasprintf_chk(&text, checks, format, again)) < 0)
		text = room;
	va_end(again);
	bool all = n >= 0 && write_all(fd, text, n, pc) == n;
	if (text != room) {
		int e = errno;
		free(text);
		errno = e;
	}
	return all ? n : -1;
}

SEEN int __vdprintf_chk(int fd, int flag, const char *format, va_list args);
SEEN int __dprintf_chk(int fd, int flag, const char *format, ...);

int __vdprintf_chk(int fd, int flag, const char *format, va_list args)
{
	return leads_somewhere(fd) ? print(fd, format, args, flag, CALLER)
				   : NEXT(__vdprintf_chk)(fd, flag, format, args);
}

SEEN int vdprintf(int fd, const char *format, va_list args)
{
	return leads_somewhere(fd) ? print(fd, format, args, 0, CALLER) : NEXT(vdprintf)(fd, format, args);
}

int __dprintf_chk(int fd, int flag, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	int n = leads_somewhere(fd) ? print(fd, format, args, flag, CALLER)
				    : NEXT(__vdprintf_chk)(fd, flag, format, args);
	va_end(args);
	return n;
}

SEEN int dprintf(int fd, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	int n = leads_somewhere(fd) ? print(fd, format, args, 0, CALLER) : NEXT(vdprintf)(fd, format, args);
	va_end(args);
	return n;
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
