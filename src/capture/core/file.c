/* A file of the recording that grows. */
#include "capture/core/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

void hb__file_lock(struct hb__file_lock *lock)
{
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
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* No descriptor is kept open: a program counts on getting the lowest free one, on having as many as its
 * limit says, and closes those that it does not know. When all are in use the limit grows for a moment. */
static int open_again(const struct hb__file *file)
{
	int fd = open(file->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	struct rlimit old, more;
	if (fd < 0 && errno == EMFILE && getrlimit(RLIMIT_NOFILE, &old) == 0) {
		more = old;
		more.rlim_cur++;
		if (more.rlim_max < more.rlim_cur)
			more.rlim_max = more.rlim_cur;
		if (setrlimit(RLIMIT_NOFILE, &more) == 0) {
			fd = open(file->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
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

int hb__file_create(struct hb__file *file)
{
	int fd = open(file->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
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
	if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return errno;
	if (link(from, to) == 0) {
		unlink(from);
		return 0;
	}
	if (errno == EEXIST || access(to, F_OK) == 0)
		return EEXIST;
	return rename(from, to) ? errno : 0;
}
