/* Says an event for what servers do, in the place of libhbdb-sockets.so: preloaded, so that programs that know nothing of hbdb have events. */
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include <hbdb/event.h>

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
/* What the recorder calls is not the program's. */
static int of_program(const void *caller)
{
	Dl_info there;
	const char *slash = dladdr(caller, &there) && there.dli_fname ? strrchr(there.dli_fname, '/') : NULL;
	return !slash || strncmp(slash, "/libhbdb-", 9) != 0;
}
#define SAYING(result, name, parameters, arguments)                             \
	__attribute__((visibility("default"), noinline)) result name parameters \
	{                                                                       \
		result got = NEXT(name) arguments;                              \
		if (of_program(__builtin_return_address(0)))                    \
			hb_event(#name);                                        \
		return got;                                                     \
	}
SAYING(int, accept, (int fd, struct sockaddr *address, socklen_t *length), (fd, address, length))
SAYING(int, accept4, (int fd, struct sockaddr *address, socklen_t *length, int flags), (fd, address, length, flags))
SAYING(int, connect, (int fd, const struct sockaddr *address, socklen_t length), (fd, address, length))
SAYING(ssize_t, send, (int fd, const void *p, size_t n, int flags), (fd, p, n, flags))
SAYING(ssize_t, sendto, (int fd, const void *p, size_t n, int flags, const struct sockaddr *to, socklen_t length),
	(fd, p, n, flags, to, length))
SAYING(ssize_t, recv, (int fd, void *p, size_t n, int flags), (fd, p, n, flags))
SAYING(ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags))
SAYING(ssize_t, recvmsg, (int fd, struct msghdr *message, int flags), (fd, message, flags))
SAYING(ssize_t, writev, (int fd, const struct iovec *v, int n), (fd, v, n))
SAYING(ssize_t, read, (int fd, void *p, size_t n), (fd, p, n))
SAYING(ssize_t, write, (int fd, const void *p, size_t n), (fd, p, n))
SAYING(int, close, (int fd), (fd))
