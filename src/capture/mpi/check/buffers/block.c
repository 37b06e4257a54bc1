/* Is the memory of a buffer there, and enough of it: blocks of malloc by libhbdb-heap.so (capture/heap/), other memory by what the
 * kernel has mapped. Told is only what is certain. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/mpi/check/buffers/buffers.h"
#include "capture/heap/heap.h"
#include "capture/core/memory/memory.h"

static uintptr_t constants_low, constants_high; /* the program's own memory that nobody may write to */

static int own_constants(struct dl_phdr_info *info, size_t size, void *user)
{
	(void)size;
	(void)user;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		if (p->p_type != PT_LOAD || p->p_flags & (PF_W | PF_X))
			continue;
		constants_low = info->dlpi_addr + p->p_vaddr; /* the last one: behind the code */
		constants_high = constants_low + p->p_memsz;
	}
	return 1; /* the program itself comes first */
}

static bool blocks_known;

const char *hb__blocks_begin(void)
{
	dl_iterate_phdr(own_constants, NULL);
	const char *why = hb_heap_unknown ? hb_heap_unknown() : "libhbdb-heap.so is not loaded";
	blocks_known = !why;
	return why;
}

/* ---- what is mapped ---- */

/* Memory of an accelerator may be nothing to this processor. The libraries that say whose an address is are asked in memory/; who
 * uses another one has its device open. That such a library is loaded says nothing: hwloc loads that of OpenCL everywhere. */
static bool has_accelerator(void)
{
	static const char *const names[] = {"nvidia", "dri/", "kfd", "neuron", "accel", "habanalabs", "hl", "dxg"};
	DIR *d = opendir("/proc/self/fd");
	bool found = !d;
	struct dirent *e;
	while (!found && (e = readdir(d)) != NULL) {
		char to[64] = "";
		ssize_t n = readlinkat(dirfd(d), e->d_name, to, sizeof to - 1);
		for (unsigned i = 0; n > 5 && !strncmp(to, "/dev/", 5) && i < sizeof names / sizeof *names; i++)
			found |= !strncmp(to + 5, names[i], strlen(names[i]));
	}
	if (d)
		closedir(d);
	return found;
}

static bool nothing_at(uintptr_t at)
{
	static uintptr_t page;
	unsigned char resident;
	if (hb__readable((const void *)at, 1))
		return false;
	if (!page)
		page = (uintptr_t)sysconf(_SC_PAGESIZE);
	int before = errno;
	bool nothing = mincore((void *)(at & ~(page - 1)), 1, &resident) != 0 && errno == ENOMEM;
	nothing = nothing && !hb__device_queries && !has_accelerator();
	errno = before;
	return nothing;
}

struct mapping {
	uintptr_t low, high;
	bool heap, plain; /* plain: private memory without a file that can be written */
};

static void one_line(const char *line, uintptr_t at, struct mapping *ret)
{
	unsigned long low, high, offset;
	char rights[8], device[16], inode[24], name[32] = "";
	if (sscanf(line, "%lx-%lx %7s %lx %15s %23s %31s", &low, &high, rights, &offset, device, inode, name) >= 6 &&
		at >= low && at < high)
		*ret = (struct mapping){
			low, high, !strcmp(name, "[heap]"), !strcmp(rights, "rw-p") && !strcmp(inode, "0") && !*name};
}

/* high 0: nothing is mapped there. */
static struct mapping mapping_at(uintptr_t at)
{
	struct mapping found = {0};
	char text[4096];
	size_t n = 0;
	ssize_t got;
	int before = errno, fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		found.high = 1; /* not known: something */
	while (fd >= 0 && (got = read(fd, text + n, sizeof text - 1 - n)) > 0) {
		char *line = text, *end;
		n += (size_t)got;
		text[n] = 0;
		for (; (end = strchr(line, '\n')) != NULL; line = end + 1) {
			*end = 0;
			one_line(line, at, &found);
		}
		n -= (size_t)(line - text);
		memmove(text, line, n);
		if (n == sizeof text - 1) /* a line longer than any path */
			n = 0;
	}
	if (fd >= 0)
		close(fd);
	errno = before;
	return found;
}

#define ARENA ((uintptr_t)64 << 20) /* the C library maps memory of threads in pieces of this size, at its multiples */

/* What was freed is malloc's or nobody's, unless the C library gave it back to the kernel and something else was mapped there. */
static bool still_free(uintptr_t at)
{
	struct mapping m = mapping_at(at);
	if (!m.high)
		return true;
	return m.heap || (m.plain && m.low == (at & ~(ARENA - 1)));
}

/* ---- what is told ---- */

static void too_small(
	struct hb__call *c, const char *arg, uintptr_t low, uintptr_t high, bool writes, const struct hb_heap_block *b)
{
	if (hb__remark_wanted(HB_REMARK_BUFFER_SMALL, hb__check_site(c)))
		hb__remark(c, BUFFER_SMALL, .arg = arg, .writes = writes, .bytes = (int64_t)(high - low),
			.room = (int64_t)(b->start + b->size - low), .size = (int64_t)b->size,
			.made = hb__define_site(b->made));
}

static void freed(struct hb__call *c, const char *arg, uintptr_t low, const struct hb_heap_block *b)
{
	if (hb__remark_wanted(HB_REMARK_BUFFER_FREED, hb__check_site(c)) && still_free(low))
		hb__remark(c, BUFFER_FREED, .arg = arg, .size = (int64_t)b->size, .made = hb__define_site(b->made),
			.ended = hb__define_site(b->ended));
}

static void invalid(struct hb__call *c, const char *arg, uintptr_t low, const char *why)
{
	char value[24];
	snprintf(value, sizeof value, "0x%llx", (unsigned long long)low);
	if (hb__remark_wanted(HB_REMARK_ARG_BUFFER, hb__check_site(c)))
		hb__remark(c, ARG_BUFFER, .arg = arg, .value = value, .comm = -1, .text = why);
}

static struct hb__block block_in(const struct hb_heap_block *b)
{
	return (struct hb__block){b->start, b->start + b->size, b->life, b->turn, b->was};
}

/* *ret: of what was not told. Other memory than blocks and what stays may become a block's by ways that nobody sees. */
static inline bool look(
	struct hb__call *c, const char *arg, uintptr_t low, uintptr_t high, bool writes, struct hb__block *ret)
{
	static const uint64_t never_another;
	struct hb_heap_block b = {.state = HB_HEAP_UNKNOWN};
	if (low >= high)
		return false;
	if (likely(blocks_known))
		hb_heap_find((const void *)low, &b);
	*ret = (struct hb__block){0};
	if (b.state == HB_HEAP_LIVE && high - b.start > b.size)
		too_small(c, arg, low, high, writes, &b);
	else if (b.state == HB_HEAP_FREED)
		freed(c, arg, low, &b);
	else if (b.state == HB_HEAP_LIVE)
		return *ret = block_in(&b), false;
	else if (writes && low >= constants_low && low < constants_high)
		invalid(c, arg, low, "the call writes there, and constants of the program are there");
	else if (nothing_at(low))
		invalid(c, arg, low, "no memory of the process is there");
	else if (nothing_at(high - 1))
		invalid(c, arg, low, "the memory there ends before the last byte that the call uses");
	else {
		if (b.state == HB_HEAP_UNKNOWN && hb__memory_stays(low, high))
			ret->turn = &never_another;
		return false;
	}
	return true;
}

bool hb__memory_used(struct hb__call *c, const char *arg, uintptr_t low, uintptr_t high, bool writes)
{
	struct hb__block unused;
	return look(c, arg, low, high, writes, &unused);
}

bool hb__memory_of_piece(struct hb__call *c, const struct hb__region *r, struct hb__block *ret)
{
	return look(c, r->arg, r->piece[0].low, r->piece[0].high, r->writes, ret);
}

#define LOOKED_AT 64 /* pieces; of more the last one, too */

bool hb__memory_of_region(struct hb__call *c, const struct hb__region *r)
{
	for (uint32_t i = 0; i < r->n; i++)
		if (i < LOOKED_AT || i == r->n - 1)
			if (hb__memory_used(c, r->arg, r->piece[i].low, r->piece[i].high, r->writes))
				return true;
	return false;
}

/* ---- freed while it is in use ---- */

struct hb__block hb__block_of(uintptr_t at)
{
	struct hb_heap_block b;
	if (!blocks_known || hb_heap_find((const void *)at, &b) != HB_HEAP_LIVE)
		return (struct hb__block){0};
	return block_in(&b);
}

bool hb__block_ended(struct hb__block was, uint32_t *ret_made, uint32_t *ret_ended)
{
	struct hb_heap_block b;
	if (likely(was.start && was.turn && __atomic_load_n(was.turn, __ATOMIC_ACQUIRE) == was.was))
		return false;
	if (!was.start || !blocks_known || hb_heap_find((const void *)was.start, &b) == HB_HEAP_UNKNOWN ||
		b.start != was.start || (b.life == was.life && b.state == HB_HEAP_LIVE))
		return false;
	*ret_made = b.life == was.life ? hb__define_site(b.made) : 0;
	*ret_ended = b.life == was.life ? hb__define_site(b.ended) : 0;
	return true;
}
