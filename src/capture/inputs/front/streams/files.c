/* Files that are opened for reading. Each is kept by its name, size, time and digest; a replay compares them, and reads what is there, or
 * the copy that was packed into the recording where the file is another one now. */
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "capture/inputs/front/streams/descriptors.h"

#define WHOLE_MOST (16 << 20) /* bytes: of a larger file not all is read for its digest, unless it is packed */
#define PART (1 << 16)
#define PARTS 64

static struct hb__source of_open = {"inputs:open", 0};
enum { RESULT, ERROR, PATH, SIZE, DIGEST, TIME, PACKED };

/* ---- what a file holds ---- */

static bool digest_part(XXH3_state_t *state, int fd, off_t from, size_t bytes, int copy)
{
	static __thread uint8_t *buffer __attribute__((tls_model("initial-exec")));
	if (!buffer)
		buffer = hb__door->pages(PART);
	while (buffer && bytes) {
		ssize_t n = NEXT(pread)(fd, buffer, bytes < PART ? bytes : PART, from);
		if (n <= 0 || (copy >= 0 && NEXT(write)(copy, buffer, (size_t)n) != n))
			return false;
		XXH3_64bits_update(state, buffer, (size_t)n);
		from += n;
		bytes -= (size_t)n;
	}
	return buffer;
}

/* Of the whole file, which is copied then where `copy` is a descriptor; or of parts of a large one: evenly, and its end. */
static bool digest_of(int fd, off_t size, bool whole, int copy, uint64_t *ret)
{
	XXH3_state_t *state = XXH3_createState();
	bool good = state && XXH3_64bits_reset_withSeed(state, (uint64_t)size) == XXH_OK;
	if (good && (whole || size <= WHOLE_MOST))
		good = digest_part(state, fd, 0, (size_t)size, copy);
	for (int i = 0; good && !whole && size > WHOLE_MOST && i < PARTS; i++)
		good = digest_part(state, fd, (size - PART) / (PARTS - 1) * i, PART, -1);
	if (good)
		*ret = XXH3_64bits_digest(state);
	XXH3_freeState(state);
	return good;
}

/* What the system says of itself and of processes: it is read as a stream, and whether it is there is given as well. */
static bool of_system(const char *path) { return !strncmp(path, "/proc/", 6) || !strncmp(path, "/sys/", 5); }

/* ---- recording ---- */

static const char *packs(void)
{
	static const char *folder;
	static bool asked;
	if (!asked)
		folder = NEXT(getenv)("HBDB_PACK") ? hb__door->folder() : NULL;
	asked = true;
	return folder;
}

/* Copies the file into the recording, named by what it holds. */
static bool pack(int fd, off_t size, uint64_t *ret_digest)
{
	char path[PATH_MAX], temporary[PATH_MAX];
	int n = snprintf(path, sizeof path, "%s/files", packs());
	if (n < 0 || (size_t)n + 100 > sizeof path)
		return false;
	mkdir(path, 0777);
	snprintf(temporary, sizeof temporary, "%.*s/.%d.%d", n, path, (int)NEXT(getpid)(), (int)NEXT(gettid)());
	int copy = NEXT(open)(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	bool good = copy >= 0 && digest_of(fd, size, true, copy, ret_digest);
	if (copy >= 0)
		NEXT(close)(copy);
	snprintf(path + n, sizeof path - (size_t)n, "/%016" PRIx64, *ret_digest);
	if (good && !rename(temporary, path))
		return true;
	unlink(temporary);
	hb__door->say("a file that the program reads could not be packed into the recording: %s", strerror(errno));
	return false;
}

static void keep(const char *path, int flags, int fd)
{
	struct stat st;
	uint64_t digest = 0;
	int e = errno;
	bool packed = false,
	     file = fd >= 0 && !NEXT(fstat)(fd, &st) && S_ISREG(st.st_mode) && (flags & O_ACCMODE) != O_WRONLY;
	if (fd >= 0 && !file && !of_system(path))
		return;
	file = file && hb__leads(fd) == HB__TO_FILE;
	if (file && packs())
		packed = pack(fd, st.st_size, &digest);
	if (file && !packed)
		file = digest_of(fd, st.st_size, false, -1, &digest);
	if (!hb__door->call(&of_open, 7))
		return;
	hb__door->number(RESULT, fd < 0 ? -1 : 0);
	if (fd < 0)
		hb__door->number(ERROR, e);
	hb__door->piece(PATH, path, strlen(path));
	if (file) {
		hb__door->number(SIZE, st.st_size);
		hb__door->number(DIGEST, (int64_t)digest);
		hb__door->number(TIME, (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec);
		hb__door->number(PACKED, packed);
	}
	hb__door->end();
	errno = e;
}

/* ---- replay ---- */

struct file {
	const char *path;
	size_t length;
	int64_t size, digest, time;
	int error;
	bool opened, has, packed, used;
	struct file *next;
};

struct files {
	bool read;
	struct file *first, **last;
	uint8_t *at, *end;
};
static __thread struct files *files __attribute__((tls_model("initial-exec")));

static struct file *new_file(void)
{
	if ((size_t)(files->end - files->at) < sizeof(struct file)) {
		files->at = hb__door->pages(65536);
		files->end = files->at ? files->at + 65536 : NULL;
	}
	if (!files->at)
		return NULL;
	struct file *f = (void *)files->at;
	files->at += sizeof *f;
	return f;
}

static void learn(struct file *f, struct hb__item *item)
{
	struct hb__piece p;
	while (hb__door->item_piece(item, &p)) {
		if (p.what == PATH) {
			f->path = (const char *)p.p;
			f->length = p.bytes;
			continue;
		}
		int64_t v = hb__door->piece_number(&p);
		f->opened = p.what == RESULT ? v == 0 : f->opened;
		f->error = p.what == ERROR ? (int)v : f->error;
		f->has = f->has || p.what == DIGEST;
		f->size = p.what == SIZE ? v : f->size;
		f->digest = p.what == DIGEST ? v : f->digest;
		f->time = p.what == TIME ? v : f->time;
		f->packed = p.what == PACKED ? v : f->packed;
	}
}

/* Files are found by their names: in which order they are opened does not matter to what is in them. */
static struct file *recorded(const char *path)
{
	struct hb__item item;
	size_t n = strlen(path);
	if (!files)
		files = hb__door->pages(sizeof *files);
	if (!files)
		return NULL;
	if (!files->read)
		files->last = &files->first;
	for (files->read = true; hb__door->next(of_open.name, &item);) {
		struct file *f = new_file();
		if (!f)
			return NULL;
		learn(f, &item);
		*files->last = f;
		files->last = &f->next;
	}
	while (files->first && files->first->used)
		files->first = files->first->next;
	for (struct file *f = files->first; f; f = f->next)
		if (!f->used && f->length == n && !memcmp(f->path, path, n)) {
			f->used = true;
			return f;
		}
	return NULL;
}

static bool is_same(const struct file *f, int fd, struct stat *st)
{
	uint64_t digest;
	return !NEXT(fstat)(fd, st) && st->st_size == f->size && digest_of(fd, st->st_size, f->packed, -1, &digest) &&
	       (int64_t)digest == f->digest;
}

/* A descriptor of the copy; -1: there is none, or the program is to write into the file. */
static int packed(const struct file *f, int flags)
{
	static const char *folder;
	char path[PATH_MAX];
	if (!folder)
		folder = NEXT(getenv)("HBDB_FILES") ? NEXT(getenv)("HBDB_FILES") : "";
	if (!f->packed || !*folder || (flags & O_ACCMODE) != O_RDONLY)
		return -1;
	snprintf(path, sizeof path, "%s/%016" PRIx64, folder, (uint64_t)f->digest);
	return NEXT(open)(path, flags & ~(O_CREAT | O_TRUNC | O_EXCL));
}

/* The copy gets the number that the program was about to get. */
static int in_its_place(int fd, int copy, int flags)
{
	if (fd < 0)
		return copy;
	NEXT(dup3)(copy, fd, flags & O_CLOEXEC);
	NEXT(close)(copy);
	return fd;
}

/* A file of the system that was there: of a process of the recorded run that is not there now, or of another machine. What was read from it
 * is given wherever the descriptor leads. */
static int stand_in(int flags) { return NEXT(open)("/dev/null", flags & (O_ACCMODE | O_CLOEXEC | O_NONBLOCK)); }

static int give(const void *pc, const char *path, int flags, int fd)
{
	struct stat st;
	int e = errno;
	struct file *f = recorded(path);
	if (!f && fd >= 0 && hb__leads(fd) != HB__TO_FILE) {
		/* a recording of an earlier version has none of these that were there */
	} else if (!f) {
		hb__differs(HB__FILES, pc, "the program opens %s here, and did not in the recorded run", path);
	} else if (f->opened && !f->has && of_system(path)) {
		fd = fd < 0 ? stand_in(flags) : fd;
	} else if (!f->opened && fd >= 0) {
		hb__differs(HB__FILES, pc,
			"%s is there now, and was not in the recorded run (%s); it is answered as then", path,
			strerror(f->error));
		NEXT(close)(fd);
		fd = -1;
		e = f->error;
	} else if (f->opened && f->has && (fd < 0 || !is_same(f, fd, &st))) {
		int copy = packed(f, flags);
		if (copy >= 0)
			fd = in_its_place(fd, copy, flags);
		else if (fd < 0)
			hb__differs(HB__FILES, pc,
				"%s is not there: %s; it had %" PRId64
				" bytes (hbdb record --pack puts such files into the recording)",
				path, strerror(e), f->size);
		else
			hb__differs(HB__FILES, pc,
				"%s is another file than in the recorded run: %" PRId64 " bytes, and it had %" PRId64
				"; the program reads what is there now (hbdb record --pack puts such files into the recording)",
				path, (int64_t)st.st_size, f->size);
	}
	hb__door->given();
	errno = e;
	return fd;
}

int hb__file_opened(enum hb_inputs what, const void *pc, const char *path, int flags, int fd)
{
	if ((flags & O_ACCMODE) == O_WRONLY || flags & (O_TRUNC | O_DIRECTORY | O_PATH))
		return fd;
	/* what is no file has contents of its own */
	if (fd >= 0 && hb__leads(fd) != HB__TO_FILE && !of_system(path))
		return fd;
	if (what == HB_INPUTS_KEEP)
		keep(path, flags, fd);
	else
		fd = give(pc, path, flags, fd);
	if (fd >= 0)
		hb__leads_set(fd, hb__leads(fd));
	return fd;
}

/* ---- open and its kin ---- */

static int opened(const void *pc, int at, const char *path, int flags, int fd)
{
	hb__leads_set(fd, HB__UNKNOWN_YET);
	enum hb_inputs what = hb__enter(pc);
	if (what == HB_INPUTS_PASS)
		return fd;
	if (at == AT_FDCWD || *path == '/')
		fd = hb__file_opened(what, pc, path, flags, fd);
	hb__door->leave();
	return fd;
}

static mode_t mode_of(int flags, va_list args) { return flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0; }

#define OPEN(name)                                                                           \
	SEEN int name(const char *path, int flags, ...)                                      \
	{                                                                                    \
		va_list args;                                                                \
		va_start(args, flags);                                                       \
		mode_t mode = mode_of(flags, args);                                          \
		va_end(args);                                                                \
		return opened(CALLER, AT_FDCWD, path, flags, NEXT(name)(path, flags, mode)); \
	}
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                       \
	SEEN int name(int at, const char *path, int flags, ...)                            \
	{                                                                                  \
		va_list args;                                                              \
		va_start(args, flags);                                                     \
		mode_t mode = mode_of(flags, args);                                        \
		va_end(args);                                                              \
		return opened(CALLER, at, path, flags, NEXT(name)(at, path, flags, mode)); \
	}
OPENAT(openat)
OPENAT(openat64)

SEEN int __open_2(const char *path, int flags);
SEEN int __open64_2(const char *path, int flags);
SEEN int __openat_2(int at, const char *path, int flags);
SEEN int __openat64_2(int at, const char *path, int flags);

int __open_2(const char *path, int flags) { return opened(CALLER, AT_FDCWD, path, flags, NEXT(open)(path, flags)); }
int __open64_2(const char *path, int flags) { return opened(CALLER, AT_FDCWD, path, flags, NEXT(open64)(path, flags)); }
int __openat_2(int at, const char *path, int flags)
{
	return opened(CALLER, at, path, flags, NEXT(openat)(at, path, flags));
}
int __openat64_2(int at, const char *path, int flags)
{
	return opened(CALLER, at, path, flags, NEXT(openat64)(at, path, flags));
}
