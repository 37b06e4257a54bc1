/* What descriptors lead to. It is remembered only where the call that made the descriptor was seen. */
#include <errno.h>
#include <string.h>
#include <sys/vfs.h>

#include "capture/inputs/front/streams/descriptors.h"

#define MOST 65536
#define PROC_MAGIC 0x9fa0
#define SYSFS_MAGIC 0x62656572

static uint8_t known[MOST];

void hb__leads_set(int fd, enum hb__leads to)
{
	if (fd >= 0 && fd < MOST)
		__atomic_store_n(&known[fd], (uint8_t)to, __ATOMIC_RELAXED);
}

/* What the system itself says is given as it was: to ask it again would bring other answers, of another length. */
static bool is_system(int fd)
{
	int domain = AF_UNSPEC;
	socklen_t bytes = sizeof domain;
	return !NEXT(getsockopt)(fd, SOL_SOCKET, SO_DOMAIN, &domain, &bytes) && domain == AF_NETLINK;
}

static enum hb__leads find_out(int fd)
{
	struct stat st;
	struct statfs fs;
	int e = errno;
	enum hb__leads to = HB__TO_FILE;
	if (!NEXT(fstat)(fd, &st)) {
		mode_t type = st.st_mode & S_IFMT;
		bool system = type == S_IFREG && !st.st_size && !fstatfs(fd, &fs) &&
			      (fs.f_type == PROC_MAGIC || fs.f_type == SYSFS_MAGIC);
		to = S_ISSOCK(st.st_mode)            ? (is_system(fd) ? HB__TO_NOBODY : HB__TO_SOCKET)
		     : S_ISFIFO(st.st_mode)          ? HB__TO_PEER
		     : S_ISCHR(st.st_mode) || system ? HB__TO_DEVICE
		     : !type                         ? HB__TO_COUNTER
						     : HB__TO_FILE;
	}
	errno = e;
	return to;
}

enum hb__leads hb__leads(int fd)
{
	enum hb__leads to =
		fd >= 0 && fd < MOST ? (enum hb__leads)__atomic_load_n(&known[fd], __ATOMIC_RELAXED) : HB__UNKNOWN_YET;
	return to == HB__UNKNOWN_YET ? find_out(fd) : to;
}

SEEN int close(int fd)
{
	hb__leads_set(fd, HB__UNKNOWN_YET);
	return NEXT(close)(fd);
}

/* The second one leads where the first one does. */
static int copied(int from, int to)
{
	if (to >= 0 && from >= 0 && from < MOST)
		hb__leads_set(to, (enum hb__leads)known[from]);
	return to;
}

SEEN int dup(int fd) { return copied(fd, NEXT(dup)(fd)); }
SEEN int dup2(int fd, int to) { return copied(fd, NEXT(dup2)(fd, to)); }
SEEN int dup3(int fd, int to, int flags) { return copied(fd, NEXT(dup3)(fd, to, flags)); }
