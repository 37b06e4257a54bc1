/* A name of a connection that both of its ends have in common: two addresses of the internet, or two numbers of the system. */
#include <arpa/inet.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/core/core.h"

/* Of a socket of this host its number, and that of the other end: the system tells nobody else who that is. */
bool hb__unix_ends(int fd, uint64_t ret_end[2])
{
	struct stat st;
	struct {
		struct nlmsghdr head;
		struct unix_diag_req ask;
	} ask = {.head = {sizeof ask, SOCK_DIAG_BY_FAMILY, NLM_F_REQUEST, 0, 0}};
	union {
		struct nlmsghdr head;
		char bytes[1024];
	} answer;
	int talk = fstat(fd, &st) ? -1 : socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	if (talk < 0)
		return false;
	ask.ask = (struct unix_diag_req){.sdiag_family = AF_UNIX,
		.udiag_states = UINT32_MAX,
		.udiag_ino = (uint32_t)st.st_ino,
		.udiag_show = UDIAG_SHOW_PEER,
		.udiag_cookie = {UINT32_MAX, UINT32_MAX}};
	ssize_t n = send(talk, &ask, sizeof ask, 0) == sizeof ask ? recv(talk, &answer, sizeof answer, 0) : -1;
	close(talk);
	if (n < (ssize_t)NLMSG_LENGTH(sizeof(struct unix_diag_msg)) || answer.head.nlmsg_type != SOCK_DIAG_BY_FAMILY)
		return false;
	const char *at = answer.bytes + NLMSG_LENGTH(NLMSG_ALIGN(sizeof(struct unix_diag_msg))),
		   *end = answer.bytes + n;
	while (end - at >= (ssize_t)sizeof(struct nlattr)) {
		struct nlattr a;
		memcpy(&a, at, sizeof a);
		if (a.nla_len < sizeof a || a.nla_len > end - at)
			return false;
		if (a.nla_type == UNIX_DIAG_PEER && a.nla_len >= sizeof a + sizeof(uint32_t)) {
			uint32_t other;
			memcpy(&other, at + sizeof a, sizeof other);
			ret_end[0] = st.st_ino;
			ret_end[1] = other;
			return true;
		}
		at += NLA_ALIGN(a.nla_len);
	}
	return false;
}

/* Without printf: servers have a new name for each connection. */
static char *decimal(char *to, unsigned n)
{
	char digits[10];
	int k = 0;
	do
		digits[k++] = (char)('0' + n % 10);
	while (n /= 10);
	while (k)
		*to++ = digits[--k];
	return to;
}

static char *four_bytes(char *to, const uint8_t *bytes)
{
	for (int i = 0; i < 4; i++) {
		to = decimal(to, bytes[i]);
		*to++ = i < 3 ? '.' : ':';
	}
	return to;
}

bool hb__internet_name(const struct sockaddr_storage *a, char *name, size_t size)
{
	char text[INET6_ADDRSTRLEN + 32], *to = text;
	const struct sockaddr_in *four = (const struct sockaddr_in *)a;
	const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)a;
	bool is_six = a->ss_family == AF_INET6, mapped = is_six && IN6_IS_ADDR_V4MAPPED(&six->sin6_addr);
	if (!is_six && a->ss_family != AF_INET)
		return false;
	if (!is_six || mapped)
		to = four_bytes(to, is_six ? &six->sin6_addr.s6_addr[12] : (const uint8_t *)&four->sin_addr);
	else {
		*to++ = '[';
		if (!inet_ntop(AF_INET6, &six->sin6_addr, to, INET6_ADDRSTRLEN))
			return false;
		to += strlen(to);
		if (six->sin6_scope_id) {
			*to++ = '%';
			to = decimal(to, six->sin6_scope_id);
		}
		*to++ = ']';
		*to++ = ':';
	}
	to = decimal(to, ntohs(is_six ? six->sin6_port : four->sin_port));
	*to = 0;
	if ((size_t)(to - text) >= size)
		return false;
	memcpy(name, text, (size_t)(to - text) + 1);
	return true;
}

bool hb__socket_name(int fd, char *text, size_t size)
{
	struct sockaddr_storage own = {0}, other = {0};
	socklen_t n = sizeof own, m = sizeof other;
	char here[80], there[80];
	uint64_t end[2];
	if (getsockname(fd, (struct sockaddr *)&own, &n) || getpeername(fd, (struct sockaddr *)&other, &m))
		return false;
	if (own.ss_family == AF_UNIX) {
		if (!hb__unix_ends(fd, end))
			return false;
		snprintf(here, sizeof here, "%llu", (unsigned long long)end[0]);
		snprintf(there, sizeof there, "%llu", (unsigned long long)end[1]);
	} else if (!hb__internet_name(&own, here, sizeof here) || !hb__internet_name(&other, there, sizeof there))
		return false;
	bool first = strcmp(here, there) < 0;
	return snprintf(text, size, "%s %s", first ? here : there, first ? there : here) < (int)size;
}
