/* What makes and ends connections, and what descriptors lead to from then on. */
#include <fcntl.h>
#include <stdarg.h>

#include "capture/sockets/front/again/again.h"

static bool blocks(int fd) { return !(NEXT(fcntl)(fd, F_GETFL) & O_NONBLOCK); }

/* True: *ret_got is the answer. */
static bool said_again(struct hb_talk *t, bool may_say_no, struct hb_told *told, int *ret_got)
{
	int64_t got = 0;
	bool told_now = unlikely(t->again) && hb__again(t, may_say_no, told, &got);
	*ret_got = (int)got;
	return !told_now && t->again;
}

static void over(struct hb_talk *t, int64_t got)
{
	int64_t result = got < 0 ? -errno : 0;
	hb__door->end(t, &result, 1);
}

SEEN int connect(int fd, const struct sockaddr *to, socklen_t length)
{
	struct hb_talk t;
	/* where it leads is asked once, when it is over; a replay knows before whether there was an event */
	bool told = hb__enter_unseen(&t, fd, CALLER, FRAME) &&
		    (!t.again || hb_leads_kind(hb__door->find(fd)) > HB_LEADS_NOWHERE);
	int got;
	if (!told) {
		got = NEXT(connect)(fd, to, length);
		hb__forget(fd);
		return got;
	}
	/* it has another name when it is over */
	t.to = to;
	t.to_length = length;
	t.function = HB_SOCKET_CONNECTION_connect;
	hb__door->begin(&t);
	struct hb_told as;
	if (said_again(&t, false, &as, &got))
		return got;
	if (t.again)
		return hb__again_connect(&t, &as, to, length);
	got = NEXT(connect)(fd, to, length);
	hb__forget(fd);
	over(&t, got);
	return got;
}

static int accepted(int got, struct hb_talk *t, bool may_wait)
{
	hb__forget(got);
	if (got < 0) {
		hb__failed(t, may_wait);
		return got;
	}
	uint32_t end = hb__door->find(got);
	int64_t results[] = {0, hb_leads_kind(end) == HB_LEADS_STREAM ? (int64_t)hb_leads_text(end) : HB_NO_TEXT};
	hb__door->end(t, results, 2);
	return got;
}

SEEN int accept(int fd, struct sockaddr *restrict address, socklen_t *restrict length)
{
	struct hb_talk t;
	if (!hb__enter(&t, fd, CALLER, FRAME)) {
		int got = NEXT(accept)(fd, address, length);
		hb__forget(got);
		return got;
	}
	t.function = HB_SOCKET_CONNECTION_accept;
	hb__door->begin(&t);
	struct hb_told as;
	int got;
	if (said_again(&t, !blocks(fd), &as, &got))
		return got;
	if (t.again)
		return hb__again_accept(&t, &as, address, length, 0);
	return accepted(NEXT(accept)(fd, address, length), &t, true);
}

SEEN int accept4(int fd, struct sockaddr *restrict address, socklen_t *restrict length, int flags)
{
	struct hb_talk t;
	if (!hb__enter(&t, fd, CALLER, FRAME)) {
		int got = NEXT(accept4)(fd, address, length, flags);
		hb__forget(got);
		return got;
	}
	t.function = HB_SOCKET_CONNECTION_accept4;
	hb__door->begin(&t);
	struct hb_told as;
	int got;
	if (said_again(&t, !blocks(fd), &as, &got))
		return got;
	if (t.again)
		return hb__again_accept(&t, &as, address, length, flags);
	return accepted(NEXT(accept4)(fd, address, length, flags), &t, true);
}

SEEN int bind(int fd, const struct sockaddr *at, socklen_t length)
{
	struct hb_talk t;
	if (!hb__enter(&t, fd, CALLER, FRAME)) {
		hb__forget(fd);
		return NEXT(bind)(fd, at, length);
	}
	t.end = HB_LEADS_NAMELESS;
	t.function = HB_SOCKET_CONNECTION_bind;
	hb__door->begin(&t);
	struct hb_told as;
	int got;
	if (said_again(&t, false, &as, &got))
		return got;
	if (t.again)
		return hb__again_bind(&t, &as, at, length);
	got = NEXT(bind)(fd, at, length);
	hb__forget(fd);
	over(&t, got);
	return got;
}

/* Of what leads nowhere the names are inputs: those of netlink have the number of the process. */
static void look(int fd)
{
	if (hb__door && fd >= 0 && fd < HB_DESCRIPTORS_MOST &&
		hb_leads_kind(__atomic_load_n(&hb__table[fd], __ATOMIC_ACQUIRE)) == HB_LEADS_UNKNOWN)
		hb__door->leads(fd);
}

#define NAME(name, peer)                                                                                    \
	SEEN int name(int fd, struct sockaddr *restrict address, socklen_t *restrict length)                \
	{                                                                                                   \
		if (unlikely(hb__recorded(fd) >= 0 && address && length && hb__door->is_program(CALLER)) && \
			hb__recorded_address(hb__recorded(fd), peer, address, length))                      \
			return 0;                                                                           \
		if (hb__door && hb__door->is_program(CALLER))                                               \
			look(fd);                                                                           \
		hb__called_by(CALLER);                                                                      \
		return NEXT(name)(fd, address, length);                                                     \
	}
NAME(getsockname, false)
NAME(getpeername, true)

SEEN int listen(int fd, int n)
{
	struct hb_talk t;
	bool told = hb__enter(&t, fd, CALLER, FRAME);
	if (!told) {
		hb__forget(fd);
		return NEXT(listen)(fd, n);
	}
	t.end = HB_LEADS_NAMELESS;
	t.function = HB_SOCKET_CONNECTION_listen;
	hb__door->begin(&t);
	struct hb_told as;
	int got;
	if (said_again(&t, false, &as, &got))
		return got;
	if (t.again)
		return hb__again_listen(&t, &as, n);
	got = NEXT(listen)(fd, n);
	hb__forget(fd);
	over(&t, got);
	return got;
}

SEEN int shutdown(int fd, int how)
{
	struct hb_talk t;
	if (!hb__enter(&t, fd, CALLER, FRAME))
		return NEXT(shutdown)(fd, how);
	t.function = HB_SOCKET_CONNECTION_shutdown;
	hb__door->begin(&t);
	struct hb_told as;
	int got;
	if (said_again(&t, false, &as, &got))
		return got;
	if (t.again)
		return (int)hb__again_over(&t, &as, hb__from_outside(&t, 0) ? 0 : NEXT(shutdown)(fd, how));
	got = NEXT(shutdown)(fd, how);
	int64_t results[] = {got < 0 ? -errno : 0, how};
	hb__door->end(&t, results, got < 0 ? 1 : 2);
	return got;
}

/* ---- descriptors come and go ---- */

/* Whether another descriptor of this process leads to the same end; words: what is known of each. */
static bool another(const uint32_t *words, int fd, int most)
{
	uint32_t end = __atomic_load_n(&words[fd], __ATOMIC_ACQUIRE);
	for (int i = 0; i < most; i++)
		if (i != fd && __atomic_load_n(&words[i], __ATOMIC_RELAXED) == end)
			return true;
	return false;
}

/* The process has no other one, as far as it used them. A child that only closes what it inherited tells nothing: it has no record. In a
 * replay that follows from what it used as the record calls it. */
static bool last(struct hb_talk *t, int fd, const void *pc, const void *cfa)
{
	if (!hb__door || fd < 0 || fd >= HB_DESCRIPTORS_MOST || !hb__door->began() || !hb__door->is_own())
		return false;
	if (unlikely(hb__recorded_ends))
		return hb__recorded_ends[fd] && !another(hb__recorded_ends, fd, hb__door->most()) &&
		       !hb__recorded_is_unused(fd) && hb__enter(t, fd, pc, cfa);
	enum hb_leads kind = hb_leads_kind(__atomic_load_n(&hb__table[fd], __ATOMIC_ACQUIRE));
	return kind > HB_LEADS_NOWHERE && !another(hb__table, fd, hb__door->most_leading()) &&
	       hb__enter(t, fd, pc, cfa);
}

SEEN int close(int fd)
{
	struct hb_talk t;
	hb__called_by(CALLER);
	if (!last(&t, fd, CALLER, FRAME)) {
		hb__forget(fd);
		return NEXT(close)(fd);
	}
	t.function = HB_SOCKET_CONNECTION_close;
	hb__door->begin(&t);
	hb__forget(fd); /* another thread may get the number as soon as it is closed */
	struct hb_told as;
	int got;
	if (said_again(&t, false, &as, &got))
		return got;
	got = NEXT(close)(fd);
	if (t.again)
		return (int)hb__again_over(&t, &as, got);
	over(&t, got);
	return got;
}

static int led(int got)
{
	hb__forget(got);
	return got;
}
#define LED(call) (hb__called_by(CALLER), led(call))

SEEN int socket(int domain, int type, int protocol) { return LED(NEXT(socket)(domain, type, protocol)); }
SEEN int creat(const char *path, mode_t mode) { return LED(NEXT(creat)(path, mode)); }

/* Another descriptor of the same. */
static int doubled(int from, int got)
{
	if (got < 0 || got == from || from < 0 || !hb__door)
		return got;
	hb__forget(got);
	if (from >= HB_DESCRIPTORS_MOST || got >= HB_DESCRIPTORS_MOST || !hb__door->is_own())
		return got;
	hb__door->same(got, __atomic_load_n(&hb__table[from], __ATOMIC_ACQUIRE));
	if (unlikely(hb__recorded_ends))
		hb__recorded_is(got, hb__recorded(from));
	return got;
}

#define DOUBLED(from, call) (hb__called_by(CALLER), doubled(from, call))

SEEN int dup(int fd) { return DOUBLED(fd, NEXT(dup)(fd)); }
SEEN int dup2(int from, int to) { return DOUBLED(from, NEXT(dup2)(from, to)); }
SEEN int dup3(int from, int to, int flags) { return DOUBLED(from, NEXT(dup3)(from, to, flags)); }

#define FCNTL(name)                                                                               \
	SEEN int name(int fd, int command, ...)                                                   \
	{                                                                                         \
		va_list more;                                                                     \
		va_start(more, command);                                                          \
		void *argument = va_arg(more, void *); /* or a number, which is passed alike */   \
		va_end(more);                                                                     \
		hb__called_by(CALLER);                                                            \
		int got = NEXT(name)(fd, command, argument);                                      \
		return command == F_DUPFD || command == F_DUPFD_CLOEXEC ? doubled(fd, got) : got; \
	}
FCNTL(fcntl)
FCNTL(fcntl64)

#define OPENS(name, params, ...)                                                        \
	SEEN int name params                                                            \
	{                                                                               \
		va_list more;                                                           \
		va_start(more, flags);                                                  \
		mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0; \
		va_end(more);                                                           \
		return LED(NEXT(name)(__VA_ARGS__, mode));                              \
	}
OPENS(open, (const char *path, int flags, ...), path, flags)
OPENS(open64, (const char *path, int flags, ...), path, flags)
OPENS(openat, (int folder, const char *path, int flags, ...), folder, path, flags)
OPENS(openat64, (int folder, const char *path, int flags, ...), folder, path, flags)

SEEN int __open_2(const char *path, int flags) { return LED(NEXT(open)(path, flags)); }
SEEN int __open64_2(const char *path, int flags) { return LED(NEXT(open64)(path, flags)); }

SEEN int fclose(FILE *f)
{
	hb__called_by(CALLER);
	hb__forget(fileno(f));
	return NEXT(fclose)(f);
}

static void forget_from(unsigned first, unsigned last)
{
	if (!hb__door)
		return;
	for (unsigned i = first; i <= last && i < (unsigned)hb__door->most(); i++)
		hb__forget((int)i);
}

SEEN int close_range(unsigned first, unsigned last, int flags)
{
	forget_from(first, last);
	return NEXT(close_range)(first, last, flags);
}

SEEN void closefrom(int first)
{
	forget_from(first < 0 ? 0 : (unsigned)first, HB_DESCRIPTORS_MOST);
	NEXT(closefrom)(first);
}

/* ---- both ends of a stream ---- */

static int paired(struct hb_talk *t, int got, const int ends[2])
{
	int64_t results[3] = {got < 0 ? -errno : 0};
	for (int i = 0; i < 2 && !got; i++) {
		hb__forget(ends[i]);
		uint32_t end = hb__door->find(ends[i]);
		results[1 + i] = hb_leads_kind(end) > HB_LEADS_NOWHERE ? (int64_t)hb_leads_text(end) : HB_NO_TEXT;
		t->end = end;
		t->fd = ends[i];
	}
	if (!got)
		hb__door->end(t, results, 3);
	return got;
}

static int paired_again(struct hb_talk *t, const struct hb_told *told, int got, const int ends[2])
{
	for (size_t i = 0; i < 2 && !got; i++) {
		hb__forget(ends[i]);
		hb__recorded_is(ends[i], told->n > 1 + i ? told->results[1 + i] : HB_NO_TEXT);
	}
	return (int)hb__again_over(t, told, got);
}

/* The record begins with it: who has the ends later is known by who made them. A process that makes them and talks to nobody is no more recorded
 * than one that only makes others (src/tool/found). */
#define PAIRS(name, function_, params, args)                                                  \
	SEEN int name params                                                                  \
	{                                                                                     \
		struct hb_talk t;                                                             \
		if (!hb__door || !hb__door->enter(&t, hb__from ? hb__from : CALLER, FRAME)) { \
			int got = NEXT(name) args;                                            \
			if (!got) {                                                           \
				hb__forget(ends[0]);                                          \
				hb__forget(ends[1]);                                          \
			}                                                                     \
			return got;                                                           \
		}                                                                             \
		t.function = HB_SOCKET_CONNECTION_##function_;                                \
		t.end = HB_LEADS_NAMELESS;                                                    \
		t.fd = -1;                                                                    \
		hb__door->begin(&t);                                                          \
		struct hb_told as;                                                            \
		int got;                                                                      \
		if (said_again(&t, false, &as, &got))                                         \
			return got;                                                           \
		got = NEXT(name) args;                                                        \
		if (t.again)                                                                  \
			return paired_again(&t, &as, got, ends);                              \
		if (got < 0)                                                                  \
			hb__door->none(&t);                                                   \
		return got < 0 ? got : paired(&t, got, ends);                                 \
	}
PAIRS(pipe, pipe, (int ends[2]), (ends))
PAIRS(pipe2, pipe, (int ends[2], int flags), (ends, flags))
PAIRS(socketpair, socketpair, (int domain, int type, int protocol, int ends[2]), (domain, type, protocol, ends))
