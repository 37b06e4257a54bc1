/* Who talks to the process is not there: in a replay of one process by itself nobody is, and in one of all of them those are not who were not
 * recorded. What came is recorded, what it sends is compared and goes nowhere, and descriptors lead to nobody. */
#include <fcntl.h>
#include <string.h>

#include "capture/sockets/front/again/again.h"

bool hb__from_outside(const struct hb_talk *t, size_t i)
{
	if (hb__door->alone())
		return true;
	for (size_t k = 0; k < t->nshared; k++)
		if (t->shared[k].kind == HB_SHARED_OUTSIDE && t->shared[k].a == i)
			return hb__door->inputs();
	return false;
}

/* ---- bytes ---- */

static size_t spread(const struct iovec *v, size_t n, const uint8_t *p, size_t bytes)
{
	size_t done = 0;
	for (size_t i = 0; i < n && done < bytes; i++) {
		size_t some = v[i].iov_len < bytes - done ? v[i].iov_len : bytes - done;
		memcpy(v[i].iov_base, p + done, some);
		done += some;
	}
	return done;
}

int64_t hb__alone_in(struct hb_talk *t, const struct hb_told *told, size_t i, const struct iovec *v, size_t n)
{
	size_t wanted = (size_t)told->results[HB_TALK_EACH * i], there;
	const void *p = hb__door->piece((uint32_t)(HB_TALK_EACH * i) + HB_TALK_CAME, &there);
	if (there < wanted && n) {
		hb__door->without(t);
		return (int64_t)wanted;
	}
	size_t took = spread(v, n, p, wanted);
	if (took < wanted && n)
		hb__door->differs(t, "there is less room for what came");
	return n ? (int64_t)took : (int64_t)wanted;
}

int64_t hb__alone_out(struct hb_talk *t, const struct iovec *v, size_t n, size_t bytes)
{
	size_t there;
	uint64_t digest;
	const void *p = hb__door->piece(HB_TALK_DIGEST, &there);
	if (p && there == sizeof digest && n) {
		memcpy(&digest, p, sizeof digest);
		hb__door->contents(t, (uint64_t)hb__door->hash(v, n, bytes) == hb_little64(digest));
	}
	struct iovec some[16];
	int fd = hb__door->outside(t->fd);
	if (fd >= 0 && n)
		(void)!NEXT(writev)(fd, some, hb__from_byte(v, n, 0, bytes, some));
	return (int64_t)bytes;
}

/* So many bytes of a file are gone, or of a stream whose other side is there. */
void hb__alone_drop(int fd, off64_t *offset, size_t bytes)
{
	char room[4096];
	if (offset)
		*offset += (off64_t)bytes;
	else if (lseek64(fd, (off64_t)bytes, SEEK_CUR) >= 0 || hb__door->alone())
		return;
	while (!offset && bytes) {
		ssize_t got = NEXT(read)(fd, room, bytes < sizeof room ? bytes : sizeof room);
		if (got <= 0 && (!got || (errno != EAGAIN && errno != EINTR) || !hb__again_wait(fd, POLLIN)))
			return;
		bytes -= got > 0 ? (size_t)got : 0;
	}
}

/* ---- what comes with a message ---- */

/* Descriptors that were passed are of other numbers, perhaps, and lead to nobody. */
static void pass_nobody(struct msghdr *m)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (size_t i = 0; i < n; i++) {
			int fd = hb__alone_nobody("unix", 0);
			memcpy(CMSG_DATA(c) + i * sizeof fd, &fd, sizeof fd);
		}
	}
}

static bool passes_descriptors(struct msghdr *m)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c))
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
			return true;
	return false;
}

void hb__again_control(const struct hb_talk *t, size_t i, struct msghdr *m)
{
	size_t bytes, room = m->msg_controllen;
	uint32_t first = (uint32_t)(HB_TALK_EACH * i);
	if (!hb__door->inputs())
		return;
	const void *p = hb__door->piece(first + HB_TALK_CONTROL, &bytes);
	m->msg_flags = 0;
	m->msg_controllen = 0;
	if (!p || !m->msg_control)
		return;
	m->msg_controllen = bytes < room ? bytes : room;
	memcpy(m->msg_control, p, m->msg_controllen);
	m->msg_flags = (int)hb__door->number(first + HB_TALK_FLAGS);
	if (!passes_descriptors(m))
		return;
	if (hb__from_outside(t, i))
		pass_nobody(m);
	else
		m->msg_controllen = 0;
}

/* ---- descriptors ---- */

static int first_of_pair(int type)
{
	int ends[2];
	if (NEXT(socketpair)(AF_UNIX, type, 0, ends))
		return -1;
	NEXT(close)(ends[1]);
	return ends[0];
}

int hb__alone_nobody(const char *end, int flags)
{
	size_t n = strcspn(end, " ");
	bool tcp = n == 3 && !strncmp(end, "tcp", n);
	int type = SOCK_STREAM | (flags & (SOCK_CLOEXEC | SOCK_NONBLOCK));
	int fd = tcp ? NEXT(socket)(end[n] && end[n + 1] == '[' ? AF_INET6 : AF_INET, type, 0) : first_of_pair(type);
	hb__forget(fd);
	return fd;
}
