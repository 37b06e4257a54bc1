/* A socket that listens, and from which several processes accept, hands each connection to whichever asks first. In a replay there is a
 * queue for each of them, made by who listens and inherited by his children, and who connects goes to that of the process which had
 * accepted him: so nobody gets another one's connection, and nobody has to hand it on. */
#include <netinet/in.h>
#include <pthread.h>
#include <string.h>

#include "capture/sockets/front/again/again.h"

#define QUEUES_MOST 4096

static struct {
	uint64_t listener;
	int process, fd;
} queue[QUEUES_MOST];
static size_t queues;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t key_of(uint64_t listener, int process)
{
	return (listener ^ (uint64_t)(unsigned)process * 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
}

/* Where there is room, as the program's socket is bound. */
static int bind_beside(int listens, struct sockaddr_storage *at, socklen_t *length)
{
	int domain = 0, type = 0, only = 0;
	socklen_t n = sizeof type;
	*length = sizeof *at;
	if (getsockopt(listens, SOL_SOCKET, SO_TYPE, &type, &n) ||
		getsockopt(listens, SOL_SOCKET, SO_DOMAIN, &domain, &n) ||
		NEXT(getsockname)(listens, (struct sockaddr *)at, length))
		return -1;
	if (domain == AF_INET)
		((struct sockaddr_in *)at)->sin_port = 0;
	else if (domain == AF_INET6)
		((struct sockaddr_in6 *)at)->sin6_port = 0;
	else
		*length = sizeof at->ss_family; /* a Unix socket: the system finds a name */
	int fd = NEXT(socket)(domain, type | SOCK_CLOEXEC, 0);
	if (domain == AF_INET6 && !getsockopt(listens, IPPROTO_IPV6, IPV6_V6ONLY, &only, &n))
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &only, sizeof only);
	if (fd >= 0 && NEXT(bind)(fd, (struct sockaddr *)at, *length)) {
		NEXT(close)(fd);
		return -1;
	}
	*length = sizeof *at;
	if (fd >= 0)
		NEXT(getsockname)(fd, (struct sockaddr *)at, length);
	return fd;
}

/* The queue of a process; -1: there is none. */
static int find_queue(uint64_t listener, int process)
{
	int fd = -1;
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < queues && fd < 0; i++)
		if (queue[i].listener == listener && queue[i].process == process)
			fd = queue[i].fd;
	pthread_mutex_unlock(&lock);
	return fd;
}

/* Who listens once more keeps the queues that he has: who connects has been told of those. */
void hb__queue_make(int listens, int n, uint64_t listener, int process)
{
	struct sockaddr_storage at;
	socklen_t length;
	int had = find_queue(listener, process);
	if (had >= 0) {
		NEXT(listen)(had, n);
		return;
	}
	int fd = hb__door->high(bind_beside(listens, &at, &length));
	if (fd < 0 || NEXT(listen)(fd, n))
		return;
	pthread_mutex_lock(&lock);
	if (queues < QUEUES_MOST) {
		queue[queues].listener = listener;
		queue[queues].process = process;
		queue[queues++].fd = fd;
	}
	pthread_mutex_unlock(&lock);
	hb__door->leave("queues", key_of(listener, process), &(struct iovec){&at, length}, 1, length);
}

int hb__queue_here(uint64_t listener) { return queues ? find_queue(listener, hb__door->process()) : -1; }

bool hb__queue_find(uint64_t listener, int process, struct sockaddr_storage *to, socklen_t *length)
{
	size_t bytes;
	struct sockaddr_storage at;
	const void *left = hb__door->take("queues", key_of(listener, process), -1, &bytes);
	if (!left || bytes > sizeof at)
		return false;
	memcpy(&at, left, bytes);
	if (at.ss_family == AF_INET && to->ss_family == AF_INET) {
		((struct sockaddr_in *)to)->sin_port = ((struct sockaddr_in *)&at)->sin_port;
	} else if (to->ss_family != AF_UNIX) { /* of version 6, to which one of version 4 may connect */
		in_port_t port = ((struct sockaddr_in6 *)&at)->sin6_port;
		if (to->ss_family == AF_INET)
			((struct sockaddr_in *)to)->sin_port = port;
		else
			((struct sockaddr_in6 *)to)->sin6_port = port;
	} else {
		memcpy(to, &at, bytes);
		*length = (socklen_t)bytes;
	}
	return true;
}

static void forked(void) { lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER; }

__attribute__((constructor)) static void begin(void) { pthread_atfork(NULL, NULL, forked); }
