/* Connections of a replay: they are made again by whom they were made, and whoever accepts takes them in the recorded order, whichever
 * comes first now. Ports are those that the system has now; the program is told the recorded ones. Who listens leaves word of his port,
 * who connects of which recorded end he is. */
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <string.h>

#include "capture/sockets/front/again/again.h"

#define PATIENCE_MS 5000 /* for somebody to listen, who may not be of the recording */
#define EARLY_MOST 4096
#define WAIT_MS 20

static struct {
	int listens, fd; /* fd plus 1; 0: free */
	char peer[64];
} early[EARLY_MOST];

static uint64_t key_of(const char *text, size_t n)
{
	uint64_t h = 1469598103934665603u;
	for (size_t i = 0; i < n; i++)
		h = (h ^ (uint8_t)text[i]) * 0x100000001b3u;
	return h ^ h >> 29;
}

/* A part of "tcp OWN > PEER" or "unix OWN > PEER PATH": its beginning; *ret_n: how long it is. */
static const char *part(const char *end, bool peer, size_t *ret_n)
{
	const char *own = strchr(end, ' '), *to = own ? strstr(own, " > ") : NULL;
	const char *at = peer ? (to ? to + 3 : "") : own ? own + 1 : "";
	*ret_n = strcspn(at, " ");
	return at;
}

static uint64_t key_of_part(const char *end, bool peer)
{
	size_t n;
	const char *at = part(end, peer, &n);
	return key_of(at, n);
}

/* Of who listens: his port, for it may be at any address of its machine. */
static uint64_t key_of_port(const char *end, bool peer)
{
	size_t n;
	const char *at = part(end, peer, &n);
	for (size_t i = n; i-- > 0;)
		if (at[i] == ':')
			return key_of(at + i, n - i);
	return key_of(at, n);
}

/* Of who listens, or of the one whom a connecting end leads to: by its port, or its path. */
static uint64_t key_of_listener(const char *end)
{
	size_t n;
	bool connects = strstr(end, " > ");
	const char *at = part(end, connects, &n);
	if (connects && !strncmp(end, "unix ", 5)) /* unix OWN > PEER PATH */
		at += n + (at[n] == ' ');
	else if (strncmp(end, "unix ", 5))
		return key_of_port(end, connects);
	return key_of(at, strlen(at));
}

static in_port_t *port_in(struct sockaddr_storage *a)
{
	return a->ss_family == AF_INET    ? &((struct sockaddr_in *)a)->sin_port
	       : a->ss_family == AF_INET6 ? &((struct sockaddr_in6 *)a)->sin6_port
					  : NULL;
}

static void copy_address(const struct sockaddr *from, socklen_t length, struct sockaddr_storage *ret)
{
	*ret = (struct sockaddr_storage){0};
	memcpy(ret, from, length < sizeof *ret ? length : sizeof *ret);
}

int hb__again_bind(struct hb_talk *t, const struct hb_told *told, const struct sockaddr *at, socklen_t length)
{
	struct sockaddr_storage a;
	copy_address(at, length, &a);
	if (port_in(&a))
		*port_in(&a) = 0;
	if (!hb__door->alone() && NEXT(bind)(t->fd, (struct sockaddr *)&a, length))
		hb__door->differs(t, "the address cannot be had now");
	hb__forget(t->fd);
	hb__recorded_is(t->fd, told->end);
	int type = 0;
	socklen_t n = sizeof type;
	if (!getsockopt(t->fd, SOL_SOCKET, SO_TYPE, &type, &n) && type == SOCK_STREAM)
		hb__recorded_unused(t->fd);
	return (int)hb__again_over(t, told, 0);
}

int hb__again_listen(struct hb_talk *t, const struct hb_told *told, int n)
{
	char end[HB_NAME_MOST];
	struct sockaddr_storage own = {0};
	socklen_t length = sizeof own;
	int got = hb__door->alone() ? 0 : NEXT(listen)(t->fd, n);
	hb__door->text(told->end, end);
	for (size_t i = 0; i < t->nshared && !got && !hb__door->alone(); i++)
		if (t->shared[i].kind == HB_SHARED_QUEUE)
			hb__queue_make(t->fd, n, key_of_listener(end), (int)t->shared[i].a);
	if (!got && !hb__door->alone() && !getsockname(t->fd, (struct sockaddr *)&own, &length) && port_in(&own))
		hb__door->leave("listens", key_of_port(end, false), &(struct iovec){port_in(&own), 2}, 1, 2);
	hb__forget(t->fd);
	hb__recorded_is(t->fd, told->end);
	return (int)hb__again_over(t, told, got);
}

/* To where whom it was connected to listens now. */
static void find_port(const char *end, struct sockaddr_storage *to)
{
	size_t bytes;
	const void *port = port_in(to) ? hb__door->take("listens", key_of_port(end, true), PATIENCE_MS, &bytes) : NULL;
	if (port)
		memcpy(port_in(to), port, sizeof *port_in(to));
}

static bool connected(int fd, const struct sockaddr_storage *to, socklen_t length)
{
	int error = 0;
	socklen_t n = sizeof error;
	if (!NEXT(connect)(fd, (const struct sockaddr *)to, length))
		return true;
	while (errno == EAGAIN) /* a Unix socket whose queue is full */
		if (hb__door->job_ends() || !NEXT(connect)(fd, (const struct sockaddr *)to, length))
			return true;
	if (errno != EINPROGRESS && errno != EINTR)
		return false;
	hb__called_by(NULL);
	return hb__again_wait(fd, POLLOUT) && !getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &n) && !error;
}

int hb__again_connect(struct hb_talk *t, const struct hb_told *told, const struct sockaddr *to, socklen_t length)
{
	char end[HB_NAME_MOST], now[HB_NAME_MOST];
	struct sockaddr_storage a;
	bool went = told->results[0] == 0 || told->results[0] == -EINPROGRESS;
	copy_address(to, length, &a);
	hb__door->text(told->end, end);
	hb__forget(t->fd);
	bool stream = !strncmp(end, "tcp ", 4) || !strncmp(end, "unix ", 5);
	if (went || !stream) /* one of datagrams is known wherever it leads */
		hb__recorded_is(t->fd, told->end);
	if (went && told->results[0]) /* what it leads to was found when it was used then, too */
		hb__recorded_unused(t->fd);
	if (went && stream && !hb__from_outside(t, 0)) {
		if (!t->shared || t->shared->kind != HB_SHARED_TO ||
			!hb__queue_find(key_of_listener(end), (int)t->shared->a, &a, &length))
			find_port(end, &a);
		if (!connected(t->fd, &a, length) && !hb__door->job_ends())
			hb__door->differs(t, "nobody accepts this connection now");
		size_t n;
		const char *own = part(end, false, &n);
		hb__door->name(t->fd, now);
		hb__door->leave("connected", key_of_part(now, false), &(struct iovec){(char *)(uintptr_t)own, n}, 1, n);
	}
	hb__again_over(t, told, 0);
	errno = told->results[0] < 0 ? (int)-told->results[0] : 0;
	return told->results[0] < 0 ? -1 : 0;
}

/* ---- who accepts ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of `early`, and of taking a connection out of a queue */

/* One that came before its turn, as the number that accept would have given it; -1: it has not come. */
static int from_early(int listens, const char *peer, size_t n, int flags)
{
	for (int i = 0; i < EARLY_MOST; i++)
		if (early[i].fd && early[i].listens == listens && strlen(early[i].peer) == n &&
			!memcmp(early[i].peer, peer, n)) {
			int high = early[i].fd - 1;
			int got = NEXT(fcntl)(high, flags & SOCK_CLOEXEC ? F_DUPFD_CLOEXEC : F_DUPFD, 0);
			NEXT(close)(high);
			early[i].fd = 0;
			return got;
		}
	return -1;
}

static void keep_early(int listens, int fd, const char *peer, size_t n)
{
	int high = hb__door->high(fd);
	for (int i = 0; i < EARLY_MOST && high >= 0; i++)
		if (!early[i].fd) {
			early[i].listens = listens;
			early[i].fd = high + 1;
			snprintf(early[i].peer, sizeof early[i].peer, "%.*s", (int)n, peer);
			return;
		}
}

/* With the lock: the connection of this peer, where it is there already; others are kept. -1: it is not; -2: none will come. */
static int look_for(int listens, const char *wanted, size_t n, int flags)
{
	char now[HB_NAME_MOST];
	struct pollfd ready = {.fd = listens, .events = POLLIN};
	size_t bytes;
	int got = from_early(listens, wanted, n, flags);
	while (got < 0 && NEXT(poll)(&ready, 1, 0) > 0) {
		got = NEXT(accept4)(listens, NULL, NULL, flags);
		if (got < 0)
			return errno == EAGAIN || errno == EINTR || errno == ECONNABORTED ? -1 : -2;
		hb__forget(got);
		hb__door->name(got, now);
		const char *peer = hb__door->take("connected", key_of_part(now, true), -1, &bytes);
		if (!peer || (bytes == n && !memcmp(peer, wanted, n)))
			return got;
		keep_early(listens, got, peer, bytes);
		got = -1;
	}
	return got;
}

int hb__again_accept(
	struct hb_talk *t, const struct hb_told *told, struct sockaddr *address, socklen_t *length, int flags)
{
	char end[HB_NAME_MOST], listening[HB_NAME_MOST];
	size_t n;
	hb__door->text(told->n > 1 ? told->results[1] : HB_NO_TEXT, end);
	hb__door->text(told->end, listening);
	int queue = hb__queue_here(key_of_listener(listening)), listens = queue >= 0 ? queue : t->fd, got;
	const char *wanted = part(end, true, &n);
	if (hb__from_outside(t, 0))
		got = hb__alone_nobody(end, flags);
	else
		do {
			pthread_mutex_lock(&lock);
			got = look_for(listens, wanted, n, flags);
			pthread_mutex_unlock(&lock);
			if (got == -1) { /* another thread may have kept it */
				struct pollfd wait = {.fd = listens, .events = POLLIN};
				NEXT(poll)(&wait, 1, WAIT_MS);
			}
		} while (got == -1 && !hb__door->job_ends());
	if (got < 0 && !hb__door->job_ends())
		hb__door->differs(t, "the connection does not come");
	hb__forget(got);
	if (told->n > 1) {
		hb__recorded_is(got, told->results[1]);
		if (address && length)
			hb__recorded_address(told->results[1], true, address, length);
	}
	return (int)hb__again_over(t, told, got);
}

/* A child by fork takes none of those that its parent keeps, and the other side is to see it when that closes them. */
static void forked(void)
{
	lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	for (int i = 0; i < EARLY_MOST; i++) {
		if (early[i].fd)
			NEXT(close)(early[i].fd - 1);
		early[i].fd = 0;
	}
}

__attribute__((constructor)) static void begin(void) { pthread_atfork(NULL, NULL, forked); }
