/* A file of the recording that grows. */
#include "capture/core/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
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
	int high = fd >= 0 && !getrlimit(RLIMIT_NOFILE, &most) && most.rlim_cur > 64 ? (int)(most.rlim_cur < 65536 ? most.rlim_cur : 65536) - 1 : 0;
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

/* No descriptor is kept open: a program counts on getting the lowest free one, on having as many as its
 * limit says, and closes those that it does not know. When all are in use the limit grows for a moment. */
static int open_again(const struct hb__file *file)
{
	if (unlikely(over)) {
		errno = EPERM;
		return -1;
	}
	int fd = open_in(file->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	struct rlimit old, more;
	if (fd < 0 && errno == EMFILE && getrlimit(RLIMIT_NOFILE, &old) == 0) {
		more = old;
		more.rlim_cur++;
		if (more.rlim_max < more.rlim_cur)
			more.rlim_max = more.rlim_cur;
		if (setrlimit(RLIMIT_NOFILE, &more) == 0) {
			fd = open_in(file->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
			int e = errno;
			setrlimit(RLIMIT_NOFILE, &old);
			errno = e;
		} else {
			errno = EMFILE;
		}
	}
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

int hb__file_map(const struct hb__file *file, off_t from, size_t bytes, void **ret)
{
	if (!within_limit(from + (off_t)bytes))
		return EFBIG;
	int fd = open_again(file);
	if (fd < 0)
		return errno;
	void *p = MAP_FAILED;
	int e = posix_fallocate(fd, from, (off_t)bytes);
	if (!e) {
		p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, from);
		e = p == MAP_FAILED ? errno : 0;
	}
	close(fd);
	*ret = p;
	return e;
}

int hb__file_reserve(const struct hb__file *file, off_t from, size_t bytes)
{
	if (!within_limit(from + (off_t)bytes))
		return EFBIG;
	int fd = open_again(file), e = fd < 0 ? errno : posix_fallocate(fd, from, (off_t)bytes);
	if (fd >= 0)
		close(fd);
	return e;
}

int hb__file_write(const struct hb__file *file, off_t from, const void *p, size_t bytes)
{
	int fd = open_again(file), e = fd < 0 ? errno : 0;
	for (ssize_t n; !e && bytes; p = (const char *)p + n, from += n, bytes -= (size_t)n) {
		n = pwrite(fd, p, bytes, from);
		e = n < 0 && errno != EINTR ? errno : !n ? EIO : 0;
		n = n < 0 ? 0 : n;
	}
	if (fd >= 0)
		close(fd);
	return e;
}

int hb__file_cut(const struct hb__file *file, off_t bytes)
{
	int fd = open_again(file), e = fd < 0 || ftruncate(fd, bytes) ? errno : 0;
	if (fd >= 0)
		close(fd);
	return e;
}

int hb__file_give(const struct hb__file *file, uid_t user)
{
	const char *path = file->path;
	int folder = in_folder(&path);
	return !over && !fchownat(folder, path, user, (gid_t)-1, AT_SYMLINK_NOFOLLOW) ? 0 : over ? EPERM : errno;
}

int hb__file_remove(const struct hb__file *file)
{
	const char *path = file->path;
	int folder = in_folder(&path);
	return unlinkat(folder, path, 0) ? errno : 0;
}

int hb__file_create(struct hb__file *file)
{
	if (unlikely(over))
		return EPERM;
	int fd = open_in(file->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC);
	if (fd < 0)
		return errno;
	struct stat st;
	int e = fstat(fd, &st) ? errno : 0;
	close(fd);
	file->device = st.st_dev;
	file->inode = st.st_ino;
	return e;
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
