/* The connection to the session: lines out, lines in. What comes in is kept as what
 * the session wants of each lane, so that any thread may read it. */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "capture/core/control/control.h"

#define LANES 256 /* lanes past these get what is wanted of all */
#define HIGH 512  /* descriptors up to here are the program's: it counts on the lowest free one */

#define YIELDS 100 /* ... and PAUSES, more than five seconds together: the time that one who reads may take */
#define PAUSES 100000
#define PAUSE_NS 50000

static int fd = -1;
static char pending[HB_CONTROL_LINE];
static size_t npending;
static int reading; /* one thread at a time; the others have what it reads */
static __thread bool reads
	__attribute__((tls_model("initial-exec"))); /* ... this one, perhaps interrupted by a signal */
/* What is wanted, each in one word, for other threads read it meanwhile: the event above these bits; 0: what is wanted of everybody. */
enum { WISH_SET = 1, WISH_FREE = 2, WISH_NEXT = 4, WISH_EVENT = 3 };
static uint64_t wishes[LANES], everybody;
static uint64_t goes[LANES], goes_of_all;

static int connect_unix(const char *path)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	if (strlen(path) >= sizeof a.sun_path) {
		errno = ENAMETOOLONG;
		return -1;
	}
	size_t n = strlen(path);
	memcpy(a.sun_path, path, n);
	if (*path == '@') /* a name without a file */
		a.sun_path[0] = 0;
	int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (s >= 0 && connect(s, (struct sockaddr *)&a, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n))) {
		int e = errno;
		close(s);
		errno = e;
		s = -1;
	}
	return s;
}

static int connect_tcp(const char *where)
{
	char host[256];
	const char *colon = strrchr(where, ':');
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list = NULL;
	if (!colon || colon - where >= (ptrdiff_t)sizeof host) {
		errno = EINVAL;
		return -1;
	}
	snprintf(host, sizeof host, "%.*s", (int)(colon - where), where);
	if (getaddrinfo(host, colon + 1, &hints, &list)) {
		errno = EHOSTUNREACH;
		return -1;
	}
	int s = -1;
	for (struct addrinfo *a = list; a && s < 0; a = a->ai_next) {
		s = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, a->ai_protocol);
		if (s >= 0 && connect(s, a->ai_addr, a->ai_addrlen)) {
			int e = errno;
			close(s);
			errno = e;
			s = -1;
		}
	}
	freeaddrinfo(list);
	return s;
}

bool hb__dial(void)
{
	const char *where = getenv(HB_CONTROL_ENV);
	if (!where || !*where)
		return false;
	int s = !strncmp(where, "unix:", 5)  ? connect_unix(where + 5)
		: !strncmp(where, "tcp:", 4) ? connect_tcp(where + 4)
					     : (errno = EINVAL, -1);
	if (s < 0) {
		hb__say("cannot connect to hbdb at %s: %s; this process runs uncontrolled", where, strerror(errno));
		return false;
	}
	fd = fcntl(s, F_DUPFD_CLOEXEC, HIGH);
	if (fd < 0)
		fd = s; /* the limit of descriptors is low */
	else
		close(s);
	return true;
}

void hb__dial_close(void)
{
	if (fd >= 0)
		close(fd);
	fd = -1;
}

void hb__dial_say(const char *format, ...)
{
	char line[HB_CONTROL_LINE];
	va_list args;
	va_start(args, format);
	int n = vsnprintf(line, sizeof line - 1, format, args);
	va_end(args);
	if (n < 0 || fd < 0)
		return;
	n = n > (int)sizeof line - 2 ? (int)sizeof line - 2 : n;
	line[n++] = '\n';
	/* One call, so that lines of two threads do not mix; a socket that takes no line is read by nobody any more. */
	ssize_t sent = send(fd, line, (size_t)n, MSG_NOSIGNAL);
	(void)sent;
}

/* The number at *p, and the blank behind it; false: none. */
static bool number(const char **p, uint64_t *ret)
{
	const char *s = *p;
	for (*ret = 0; *s >= '0' && *s <= '9'; s++)
		*ret = *ret * 10 + (uint64_t)(*s - '0');
	bool any = s != *p;
	*p = *s == ' ' ? s + 1 : s;
	return any;
}

static void want(const char *lane, uint64_t wish)
{
	const char *p = lane;
	uint64_t n;
	if (*lane == '*') {
		__atomic_store_n(&everybody, wish, __ATOMIC_RELEASE);
		for (int i = 0; i < LANES; i++)
			__atomic_store_n(&wishes[i], 0, __ATOMIC_RELEASE);
	} else if (number(&p, &n) && n < LANES) {
		__atomic_store_n(&wishes[n], wish, __ATOMIC_RELEASE);
	}
}

static void obey(const char *line)
{
	const char *p = strchr(line, ' ');
	uint64_t lane = 0, event = 0;
	if (!p)
		return;
	p++;
	if (!strncmp(line, "stop ", 5)) {
		const char *q = p;
		if (*q == '*' && q[1] == ' ')
			q += 2;
		else if (!number(&q, &lane))
			return;
		if (number(&q, &event))
			want(p, event << WISH_EVENT | WISH_SET | (strncmp(q, "next", 4) ? 0 : WISH_NEXT));
	} else if (!strncmp(line, "free ", 5)) {
		want(p, WISH_SET | WISH_FREE);
	} else if (!strncmp(line, "go ", 3)) {
		if (*p == '*')
			__atomic_fetch_add(&goes_of_all, 1, __ATOMIC_RELEASE);
		else if (number(&p, &lane) && lane < LANES)
			__atomic_fetch_add(&goes[lane], 1, __ATOMIC_RELEASE);
	}
}

static void obey_all(void)
{
	size_t from = 0;
	for (size_t i = 0; i < npending; i++) {
		if (pending[i] != '\n')
			continue;
		pending[i] = 0;
		obey(pending + from);
		from = i + 1;
	}
	if (!from && npending == sizeof pending)
		from = npending; /* longer than a line can be: nothing of ours */
	memmove(pending, pending + from, npending - from);
	npending -= from;
}

/* Whoever reads has taken lines off the connection that he has not obeyed yet: the others wait until he has, or they would pass a stop that
 * they were told in time. Not for ever: he may have been ended in the middle. */
static bool begin_to_read(void)
{
	if (reads)
		return false;
	for (int i = 0; __atomic_exchange_n(&reading, 1, __ATOMIC_ACQUIRE); i++) {
		if (i == YIELDS + PAUSES)
			return false;
		if (i < YIELDS)
			sched_yield();
		else
			nanosleep(&(struct timespec){0, PAUSE_NS}, NULL);
	}
	return reads = true;
}

bool hb__dial_take(int ms)
{
	struct pollfd p = {fd, POLLIN, 0};
	if (fd < 0)
		return false;
	if (ms)
		poll(&p, 1, ms);
	if (!begin_to_read())
		return true;
	bool there = true;
	for (;;) {
		ssize_t n = recv(fd, pending + npending, sizeof pending - npending, MSG_DONTWAIT);
		if (n <= 0) {
			there = n < 0 && (errno == EAGAIN || errno == EINTR);
			break;
		}
		npending += (size_t)n;
		obey_all();
	}
	reads = false;
	__atomic_store_n(&reading, 0, __ATOMIC_RELEASE);
	return there;
}

static uint64_t goes_of(uint16_t lane)
{
	return __atomic_load_n(&goes_of_all, __ATOMIC_ACQUIRE) +
	       (lane < LANES ? __atomic_load_n(&goes[lane], __ATOMIC_ACQUIRE) : 0);
}

uint64_t hb__dial_goes(uint16_t lane) { return goes_of(lane); }

/* Another thread may obey meanwhile: a `go` from before the wish must not count as one from after it. */
struct hb__wish hb__dial_wish(uint16_t lane)
{
	uint64_t before, wish;
	do {
		before = goes_of(lane);
		wish = lane < LANES ? __atomic_load_n(&wishes[lane], __ATOMIC_ACQUIRE) : 0;
		wish = wish ? wish : __atomic_load_n(&everybody, __ATOMIC_ACQUIRE);
	} while (goes_of(lane) != before);
	return (struct hb__wish){.set = wish & WISH_SET,
		.free = wish & WISH_FREE,
		.next = wish & WISH_NEXT,
		.event = wish >> WISH_EVENT,
		.goes = before};
}
