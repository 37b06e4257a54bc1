/* Names of sockets, as both of their ends can tell them. */
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/un.h>

#include "capture/sockets/ends.h"

#define ADDRESS 160

/* The path, or @ and the name that is none; false: it has none. */
static bool unix_name(const struct sockaddr_un *u, socklen_t length, char *name, size_t size)
{
	size_t n =
		length > offsetof(struct sockaddr_un, sun_path) ? length - offsetof(struct sockaddr_un, sun_path) : 0;
	if (!n || (n == 1 && !u->sun_path[0]))
		return false;
	if (u->sun_path[0])
		n = strnlen(u->sun_path, n);
	size_t i = 0;
	for (; i < n && i + 1 < size; i++)
		name[i] = u->sun_path[i] ? u->sun_path[i] : '@';
	name[i] = 0;
	return true;
}

bool hb__address_name(const struct sockaddr *address, socklen_t length, char *name, size_t size)
{
	struct sockaddr_storage a = {0};
	memcpy(&a, address, length < sizeof a ? length : sizeof a);
	if (length < sizeof a.ss_family)
		return false;
	if (a.ss_family == AF_UNIX)
		return unix_name((const struct sockaddr_un *)&a, length, name, size);
	return hb__internet_name(&a, name, size);
}

static int option(int fd, int what)
{
	int v = 0;
	socklen_t n = sizeof v;
	return getsockopt(fd, SOL_SOCKET, what, &v, &n) ? -1 : v;
}

/* Both addresses of a socket; length 0: it has none. */
struct both {
	struct sockaddr_storage own, peer;
	socklen_t own_length, peer_length;
	bool connected;
};

static void ask(int fd, struct both *b)
{
	*b = (struct both){.own_length = sizeof b->own, .peer_length = sizeof b->peer};
	if (getsockname(fd, (struct sockaddr *)&b->own, &b->own_length))
		b->own_length = 0;
	b->connected = !getpeername(fd, (struct sockaddr *)&b->peer, &b->peer_length);
	if (!b->connected)
		b->peer_length = 0;
}

static bool has_port(const struct sockaddr_storage *a)
{
	return a->ss_family == AF_INET6 ? ((const struct sockaddr_in6 *)a)->sin6_port
					: ((const struct sockaddr_in *)a)->sin_port;
}

/* Two addresses and a word always fit into a name. Returns the new end. */
static char *append(char *end, const char *s)
{
	size_t n = strlen(s);
	memcpy(end, s, n + 1);
	return end + n;
}

static enum hb_leads internet_end(int fd, const struct both *b, char name[HB__END_NAME])
{
	char own[ADDRESS] = "-", peer[ADDRESS];
	int p = option(fd, SO_PROTOCOL);
	int type = p == IPPROTO_TCP ? SOCK_STREAM : p == IPPROTO_UDP ? SOCK_DGRAM : option(fd, SO_TYPE);
	bool stream = type == SOCK_STREAM, tied = type == SOCK_RAW || has_port(&b->own);
	if (p == IPPROTO_TCP || p == IPPROTO_UDP)
		memcpy(name, p == IPPROTO_TCP ? "tcp" : "udp", sizeof "tcp");
	else
		snprintf(name, HB__END_NAME, "ip-%d", p);
	if (tied)
		hb__internet_name(&b->own, own, sizeof own);
	char *end = append(append(name + strlen(name), " "), own);
	if (b->connected && hb__internet_name(&b->peer, peer, sizeof peer)) {
		append(append(end, " > "), peer);
		return stream ? HB_LEADS_STREAM : HB_LEADS_DATAGRAM;
	}
	if (stream)
		return option(fd, SO_ACCEPTCONN) > 0 ? HB_LEADS_LISTENS : HB_LEADS_NAMELESS;
	return tied ? HB_LEADS_DATAGRAM : HB_LEADS_NAMELESS_DATAGRAM;
}

static enum hb_leads unix_end(int fd, int type, uint64_t inode, const struct both *b, char name[HB__END_NAME])
{
	char own[ADDRESS] = "", peer[ADDRESS] = "";
	bool bound = unix_name((const struct sockaddr_un *)&b->own, b->own_length, own, sizeof own);
	bool known = unix_name((const struct sockaddr_un *)&b->peer, b->peer_length, peer, sizeof peer);
	if (type == SOCK_DGRAM) {
		uint64_t ends[2] = {inode, 0};
		bool pair = b->connected && !known && hb__unix_ends(fd, ends);
		if (!bound)
			snprintf(own, sizeof own, "%llu", (unsigned long long)inode);
		if (pair)
			snprintf(peer, sizeof peer, "%llu", (unsigned long long)ends[1]);
		snprintf(name, HB__END_NAME, b->connected ? "unixgram %s > %s" : "unixgram %s", own, peer);
		return HB_LEADS_DATAGRAM;
	}
	if (option(fd, SO_ACCEPTCONN) > 0) {
		snprintf(name, HB__END_NAME, "unix %s", own);
		return HB_LEADS_LISTENS;
	}
	if (!b->connected)
		return HB_LEADS_NAMELESS;
	uint64_t ends[2] = {inode, 0};
	hb__unix_ends(fd, ends);
	snprintf(name, HB__END_NAME, "unix %llu > %llu%s%s", (unsigned long long)inode, (unsigned long long)ends[1],
		*own || *peer ? " " : "", *own ? own : peer);
	return HB_LEADS_STREAM;
}

enum hb_leads hb__socket_end(int fd, uint64_t inode, char name[HB__END_NAME])
{
	struct both b;
	*name = 0;
	ask(fd, &b);
	sa_family_t domain = b.own_length >= sizeof domain ? b.own.ss_family : AF_UNSPEC;
	if (domain == AF_INET || domain == AF_INET6)
		return internet_end(fd, &b, name);
	return domain == AF_UNIX ? unix_end(fd, option(fd, SO_TYPE), inode, &b, name) : HB_LEADS_NOWHERE;
}
