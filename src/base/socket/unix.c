/* Unix sockets. */
#include "base/socket/unix.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOCK_MS = 10000, LOOK_MS = 10 };

bool hb_unix_address(const char *path, struct sockaddr_un *ret)
{
	size_t n = strlen(path);
	*ret = (struct sockaddr_un){.sun_family = AF_UNIX};
	if (n >= sizeof ret->sun_path)
		return false;
	memcpy(ret->sun_path, path, n);
	return true;
}

/* Closes it, errno stays. */
static int give_up(int fd)
{
	int error = errno;
	if (fd >= 0)
		close(fd);
	errno = error;
	return -1;
}

int hb_unix_connect(const char *path, int type)
{
	struct sockaddr_un address;
	if (!hb_unix_address(path, &address)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
	return fd >= 0 && !connect(fd, (struct sockaddr *)&address, sizeof address) ? fd : give_up(fd);
}

/* A connection to what is no socket is refused, too: such a file stays. */
static bool is_own_socket(const char *path)
{
	struct stat st;
	return !lstat(path, &st) && S_ISSOCK(st.st_mode) && st.st_uid == geteuid();
}

/* Whoever finds a socket left over, takes it away and puts its own there does so alone: of two that do it at once one would take away the other's. Not for
 * ever: a folder of everybody's may be locked by anybody. -1, or a descriptor to be closed. */
static int lock_folder(const char *path)
{
	struct sockaddr_un folder;
	if (!hb_unix_address(path, &folder))
		return -1;
	char *end = strrchr(folder.sun_path, '/');
	if (end)
		end[end == folder.sun_path] = 0;
	int fd = open(end ? folder.sun_path : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (int ms = 0; fd >= 0 && ms < LOCK_MS && flock(fd, LOCK_EX | LOCK_NB); ms += LOOK_MS)
		usleep(LOOK_MS * 1000);
	return fd;
}

static int listen_alone(const char *path, int type)
{
	struct sockaddr_un address;
	int there = hb_unix_connect(path, type);
	if (there >= 0) {
		close(there);
		errno = EADDRINUSE;
		return -1;
	}
	if (errno == ECONNREFUSED && is_own_socket(path))
		unlink(path);
	if (!hb_unix_address(path, &address))
		return -1;
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	mode_t before = umask(0177);
	bool bound = fd >= 0 && !bind(fd, (struct sockaddr *)&address, sizeof address) &&
		     (type != SOCK_STREAM || !listen(fd, 1024));
	int error = errno;
	umask(before);
	errno = error;
	return bound ? fd : give_up(fd);
}

int hb_unix_listen(const char *path, int type)
{
	int lock = lock_folder(path), fd = listen_alone(path, type);
	give_up(lock);
	return fd;
}

bool hb_unix_send(const char *path, const char *bytes, size_t n, bool wait)
{
	struct sockaddr_un address;
	if (!hb_unix_address(path, &address)) {
		errno = ENAMETOOLONG;
		return false;
	}
	/* zeros are part of the name of an abstract one */
	socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path));
	if (*path == '@')
		address.sun_path[0] = 0;
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool sent = fd >= 0 && sendto(fd, bytes, n, MSG_NOSIGNAL | (wait ? 0 : MSG_DONTWAIT),
				       (const struct sockaddr *)&address, size) == (ssize_t)n;
	give_up(fd);
	return sent;
}

long hb_unix_peer(int fd)
{
	struct ucred who;
	socklen_t n = sizeof who;
	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &n) ? -1 : (long)who.uid;
}
