/* A file of the recording that grows. */
#include "capture/core/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static bool over; /* hb__file_no_more */

void hb__file_no_more(void) { over = true; }
bool hb__file_is_over(void) { return over; }

void hb__file_lock(struct hb__file_lock *lock)
{
	if (unlikely(over)) {
		pthread_mutex_lock(&lock->mutex);
		return;
	}
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_mutex_lock(&lock->mutex);
	lock->signals = before;
}

void hb__file_unlock(struct hb__file_lock *lock)
{
	sigset_t before = lock->signals;
	pthread_mutex_unlock(&lock->mutex);
	if (likely(!over))
		pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ---- where files are ---- */

static int held = -1; /* the folder, when it is held */
static dev_t held_device;
static ino_t held_inode;

void hb__file_hold_folder(const char *folder)
{
	struct rlimit most;
	struct stat st;
	if (held >= 0 || over)
		return;
	int fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int high = fd >= 0 && !getrlimit(RLIMIT_NOFILE, &most) && most.rlim_cur > 64
			   ? (int)(most.rlim_cur < 65536 ? most.rlim_cur : 65536) - 1
			   : 0;
	for (int low = high; fd >= 0 && held < 0 && low > high - 32; low--)
		held = fcntl(fd, F_DUPFD_CLOEXEC, low);
	if (held >= 0 && !fstat(held, &st)) {
		held_device = st.st_dev;
		held_inode = st.st_ino;
	}
	if (fd >= 0)
		close(fd);
}

/* By which descriptor *path is found; it loses its folder where that is held, and still the one that was. */
static int in_folder(const char **path)
{
	struct stat st;
	const char *slash = strrchr(*path, '/');
	if (likely(held < 0) || !slash || fstat(held, &st) || st.st_dev != held_device || st.st_ino != held_inode)
		return AT_FDCWD;
	*path = slash + 1;
	return held;
}

static int open_in(const char *path, int flags)
{
	int folder = in_folder(&path);
	return openat(folder, path, flags, 0666);
}

bool hb__file_is_there(const char *folder, const char *name)
{
	char path[4200];
	const char *at = path;
	snprintf(path, sizeof path, "%s/%s", folder, name);
	int held_folder = in_folder(&at);
	return !faccessat(held_folder, at, F_OK, 0);
}

/* ---- descriptors ---- */

/* What is done with a file, in one go. */
struct task {
	int (*does)(struct task *task); /* 0 or an errno */
	struct hb__file *file;
	off_t from;
	size_t bytes;
	void *mapped;
	int error;
};

static int in_child(void *user)
{
	struct task *task = user;
	close(0);
	task->error = task->does(task);
	return 0;
}

/* No descriptor is kept open: a program counts on getting the lowest free one, on having as many as its
 * limit says, and closes those that it does not know. When all are in use a child does it, in this memory, with a copy of the descriptors in
 * which it closes one; nobody else sees that. The caller stands meanwhile. */
static int perform(struct task *task)
{
	int e = task->does(task);
	if (likely(e != EMFILE))
		return e;
	const size_t stack = 65536;
	void *room = mmap(NULL, stack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (room == MAP_FAILED)
		return e;
	task->error = e;
	sigset_t all, before;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	pid_t child = clone(in_child, (char *)room + stack, CLONE_VM | CLONE_VFORK, task);
	/* not by its name in the C library, before which a layer may stand */
	while (child > 0 && syscall(SYS_wait4, child, NULL, __WCLONE, NULL) < 0 && errno == EINTR)
		;
	sigprocmask(SIG_SETMASK, &before, NULL);
	munmap(room, stack);
	return task->error;
}

static int open_again(const struct hb__file *file)
{
	if (unlikely(over)) {
		errno = EPERM;
		return -1;
	}
	int fd = open_in(file->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	struct stat st;
	if (fd >= 0 && (fstat(fd, &st) || st.st_dev != file->device || st.st_ino != file->inode)) {
		close(fd);
		errno = ESTALE; /* somebody put another file in its place */
		return -1;
	}
	return fd;
}

/* Growing past the limit would bring SIGXFSZ. */
static bool within_limit(off_t size)
{
	struct rlimit r;
	return getrlimit(RLIMIT_FSIZE, &r) || r.rlim_cur == RLIM_INFINITY || (rlim_t)size <= r.rlim_cur;
}

static int map(struct task *t)
{
	int fd = open_again(t->file);
	if (fd < 0)
		return errno;
	int e = posix_fallocate(fd, t->from, (off_t)t->bytes);
	if (!e) {
		t->mapped = mmap(NULL, t->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, t->from);
		e = t->mapped == MAP_FAILED ? errno : 0;
	}
	close(fd);
	return e;
}

int hb__file_map(struct hb__file *file, off_t from, size_t bytes, void **ret)
{
	struct task task = {.does = map, .file = file, .from = from, .bytes = bytes};
	int e = within_limit(from + (off_t)bytes) ? perform(&task) : EFBIG;
	*ret = task.mapped;
	return e;
}

/* A write makes pages in larger pieces than touching them does; then they are in the mapping, too. */
static int prepare(struct task *t)
{
	static char zeros[4096];
	struct iovec piece[64];
	size_t done = 0;
	int fd = open_again(t->file);
	if (fd < 0)
		return errno;
	for (ssize_t n = 1; n > 0 && done<t->bytes; done += n> 0 ? (size_t)n : 0) {
		size_t left = (t->bytes - done) / sizeof zeros, pieces = sizeof piece / sizeof *piece;
		pieces = left < pieces ? left : pieces;
		for (size_t i = 0; i < pieces; i++)
			piece[i] = (struct iovec){zeros, sizeof zeros};
		n = pieces ? pwritev(fd, piece, (int)pieces, t->from + (off_t)done) : 0;
	}
	close(fd);
#ifdef MADV_POPULATE_WRITE
	madvise(t->mapped, t->bytes, MADV_POPULATE_WRITE);
#endif
	return 0;
}

void hb__file_prepare(struct hb__file *file, off_t from, size_t bytes, void *mapped)
{
	struct task task = {.does = prepare, .file = file, .from = from, .bytes = bytes, .mapped = mapped};
	int error = errno;
	prepare(&task);
	errno = error;
}

static int reserve(struct task *t)
{
	int fd = open_again(t->file), e = fd < 0 ? errno : posix_fallocate(fd, t->from, (off_t)t->bytes);
	if (fd >= 0)
		close(fd);
	return e;
}

int hb__file_reserve(struct hb__file *file, off_t from, size_t bytes)
{
	struct task task = {.does = reserve, .file = file, .from = from, .bytes = bytes};
	return within_limit(from + (off_t)bytes) ? perform(&task) : EFBIG;
}

static int put(struct task *t)
{
	int fd = open_again(t->file), e = fd < 0 ? errno : 0;
	const char *p = t->mapped;
	for (ssize_t n; !e && t->bytes; p += n, t->from += n, t->bytes -= (size_t)n) {
		n = pwrite(fd, p, t->bytes, t->from);
		e = n < 0 && errno != EINTR ? errno : !n ? EIO : 0;
		n = n < 0 ? 0 : n;
	}
	if (fd >= 0)
		close(fd);
	return e;
}

int hb__file_write(struct hb__file *file, off_t from, const void *p, size_t bytes)
{
	struct task task = {.does = put, .file = file, .from = from, .bytes = bytes, .mapped = (void *)(uintptr_t)p};
	return perform(&task);
}

int hb__file_cut(const struct hb__file *file, off_t bytes)
{
	int fd = open_again(file), e = fd < 0 || ftruncate(fd, bytes) ? errno : 0;
	if (fd >= 0)
		close(fd);
	return e;
}

/* Who has given up the right to do that already lets everybody write into it: it is still his. */
int hb__file_give(const struct hb__file *file, uid_t user)
{
	const char *path = file->path;
	int folder = in_folder(&path);
	if (over)
		return EPERM;
	bool given = !fchownat(folder, path, user, (gid_t)-1, AT_SYMLINK_NOFOLLOW) || !fchmodat(folder, path, 0666, 0);
	return given ? 0 : errno;
}

int hb__file_remove(const struct hb__file *file)
{
	const char *path = file->path;
	int folder = in_folder(&path);
	return unlinkat(folder, path, 0) ? errno : 0;
}

static int create(struct task *t)
{
	int fd = open_in(t->file->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC);
	if (fd < 0)
		return errno;
	struct stat st;
	int e = fstat(fd, &st) ? errno : 0;
	close(fd);
	t->file->device = st.st_dev;
	t->file->inode = st.st_ino;
	return e;
}

int hb__file_create(struct hb__file *file)
{
	struct task task = {.does = create, .file = file};
	return over ? EPERM : perform(&task);
}

/* Gives a file its name unless another has it. Some file systems know only one of the two ways. */
int hb__file_give_name(const char *from, const char *to)
{
	int a = in_folder(&from), b = in_folder(&to);
	if (renameat2(a, from, b, to, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return errno;
	if (linkat(a, from, b, to, 0) == 0) {
		unlinkat(a, from, 0);
		return 0;
	}
	if (errno == EEXIST || faccessat(b, to, F_OK, 0) == 0)
		return EEXIST;
	return renameat(a, from, b, to) ? errno : 0;
}
