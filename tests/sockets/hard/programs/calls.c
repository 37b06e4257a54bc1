/* Calls in all kinds of circumstances. usage: calls MODE; each verifies what it gets. */
#include "hard.h"

#include <linux/if_packet.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <sys/sendfile.h>
#include <sys/time.h>

static void on_alarm(int signal) { (void)signal; }

/* A signal interrupts calls that wait. */
static void interrupted(void)
{
	int ends[2];
	char byte;
	struct pollfd p = {.events = POLLIN};
	struct itimerval soon = {{0, 20000}, {0, 20000}}, none = {{0, 0}, {0, 0}};
	udp_pair(ends);
	p.fd = ends[1];
	sigaction(SIGALRM, &(struct sigaction){.sa_handler = on_alarm}, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
	for (int i = 0; i < 3; i++) {
		must(CALL(recv, ends[1], &byte, 1, 0) < 0 && errno == EINTR, "recv");
		must(CALL(poll, &p, 1, -1) < 0 && errno == EINTR, "poll");
	}
	setitimer(ITIMER_REAL, &none, NULL);
	talk(ends, 5);
}

static void *receives(void *fd)
{
	char byte;
	recv(*(int *)fd, &byte, 1, 0);
	return fd;
}

/* A thread is cancelled in a call: that one is no event, and all others go on. */
static void cancelled(void)
{
	int ends[2];
	udp_pair(ends);
	for (int i = 0; i < 8; i++) {
		pthread_t thread;
		void *result;
		must(!pthread_create(&thread, NULL, receives, &ends[1]), "pthread_create");
		must(!pthread_cancel(thread) && !pthread_join(thread, &result) && result == PTHREAD_CANCELED, "cancel");
		talk(ends, 3);
	}
}

/* A limit of time that is reached is an event. */
static void limited(void)
{
	int ends[2];
	char byte;
	struct timeval limit = {0, 20000};
	udp_pair(ends);
	must(!setsockopt(ends[1], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit), "setsockopt");
	for (int i = 0; i < 3; i++) {
		must(recv(ends[1], &byte, 1, 0) < 0 && errno == EAGAIN, "recv");
		did("recv");
		talk(ends, 2);
	}
}

/* Connections that are under way when connect returns, and one that nobody accepts. */
static void connecting(void)
{
	int at = listening(4), ends[2], error;
	struct sockaddr_in to = name_of(at), nobody;
	socklen_t n = sizeof error;
	ends[0] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	must(CALL(connect, ends[0], (struct sockaddr *)&to, sizeof to) < 0 && errno == EINPROGRESS, "connect");
	struct pollfd p = {.fd = ends[0], .events = POLLOUT};
	must(CALL(poll, &p, 1, -1) == 1, "poll");
	must(!getsockopt(ends[0], SOL_SOCKET, SO_ERROR, &error, &n) && !error, "SO_ERROR");
	ends[1] = CALL(accept, at, NULL, NULL);
	must(ends[1] >= 0, "accept");
	talk(ends, 5);
	int gone = bound(SOCK_STREAM), fd = socket(AF_INET, SOCK_STREAM, 0);
	nobody = name_of(gone);
	close(gone);
	must(CALL(connect, fd, (struct sockaddr *)&nobody, sizeof nobody) < 0 && errno == ECONNREFUSED, "refused");
	/* descriptors that lead to nothing, or to no socket, are none of this */
	must(connect(1000, (struct sockaddr *)&to, sizeof to) < 0 && errno == EBADF, "EBADF");
	must(connect(open("/dev/null", O_RDWR), (struct sockaddr *)&to, sizeof to) < 0 && errno == ENOTSOCK,
		"ENOTSOCK");
}

/* Looking at what comes, waiting for all of it. */
static void flags(void)
{
	int ends[2];
	char in[8] = "";
	tcp_pair(ends);
	must(CALL(send, ends[0], "abcd", 4, 0) == 4, "send");
	must(recv(ends[1], in, 4, MSG_PEEK | MSG_WAITALL) == 4 && !memcmp(in, "abcd", 4), "peek");
	did("peek");
	must(CALL(recv, ends[1], in, 2, 0) == 2, "recv");
	pid_t child = fork();
	if (!child) {
		close(ends[0]);
		must(CALL(recv, ends[1], in, 6, MSG_WAITALL) == 6 && !memcmp(in, "cdefgh", 6), "waitall");
		_exit(0);
	}
	must(CALL(send, ends[0], "ef", 2, MSG_MORE) == 2 && CALL(send, ends[0], "gh", 2, 0) == 2, "send");
	wait_for(child);
}

/* Several datagrams a call. */
static void several(void)
{
	enum { N = 16, FEWER = 12 };
	int ends[2];
	char out[N][8], in[N][8];
	struct iovec v[N], w[N];
	struct mmsghdr m[N], got[N];
	memset(m, 0, sizeof m);
	memset(got, 0, sizeof got);
	udp_pair(ends);
	for (int i = 0; i < N; i++) {
		int n = snprintf(out[i], sizeof out[i], "%d", i);
		v[i] = (struct iovec){out[i], (size_t)n};
		w[i] = (struct iovec){in[i], sizeof in[i]};
		m[i].msg_hdr = (struct msghdr){.msg_iov = &v[i], .msg_iovlen = 1};
		got[i].msg_hdr = (struct msghdr){.msg_iov = &w[i], .msg_iovlen = 1};
	}
	for (int round = 0; round < 10; round++) {
		must(CALL(sendmmsg, ends[0], m, FEWER, 0) == FEWER, "sendmmsg");
		must(CALL(recvmmsg, ends[1], got, N, MSG_WAITFORONE, NULL) == FEWER, "recvmmsg");
		for (int i = 0; i < FEWER; i++)
			must(got[i].msg_len == v[i].iov_len && !memcmp(in[i], out[i], got[i].msg_len), "a datagram");
	}
}

/* Bytes that go through no memory of the program. */
static void files(void)
{
	int ends[2], between[2], out[2], file = memfd_create("file", 0);
	char in[64];
	tcp_pair(ends);
	tcp_pair(out);
	must(!pipe(between), "pipe");
	must(write(file, "0123456789", 10) == 10, "write");
	for (int i = 0; i < 5; i++) {
		off_t at = 0;
		must(CALL(sendfile, ends[0], file, &at, 10) == 10, "sendfile");
		must(splice(ends[1], NULL, between[1], NULL, 10, 0) == 10, "splice");
		did("splice_from");
		did("splice_to");
		must(splice(between[0], NULL, out[0], NULL, 10, 0) == 10, "splice");
		did("splice_from");
		did("splice_to");
		must(CALL(recv, out[1], in, 10, MSG_WAITALL) == 10 && !memcmp(in, "0123456789", 10), "recv");
	}
}

/* Of no bytes, of as many as there may be, and cut. */
static void sizes(void)
{
	enum { MOST = 65507, LARGE = 150000 };
	static char out[LARGE], in[LARGE];
	int ends[2], unix_ends[2];
	udp_pair(ends);
	must(!socketpair(AF_UNIX, SOCK_DGRAM, 0, unix_ends), "socketpair");
	must(CALL(send, ends[0], out, 0, 0) == 0 && CALL(recv, ends[1], in, sizeof in, 0) == 0, "no bytes");
	must(CALL(send, unix_ends[0], out, 0, 0) == 0 && CALL(recv, unix_ends[1], in, sizeof in, 0) == 0, "no bytes");
	for (size_t i = 0; i < sizeof out; i++)
		out[i] = (char)(i * 7);
	must(CALL(send, ends[0], out, MOST, 0) == MOST, "send");
	must(CALL(recv, ends[1], in, sizeof in, 0) == MOST && !memcmp(in, out, MOST), "recv");
	must(CALL(send, unix_ends[0], out, LARGE, 0) == LARGE, "send");
	must(CALL(recv, unix_ends[1], in, sizeof in, 0) == LARGE && !memcmp(in, out, LARGE), "recv");
	must(CALL(send, ends[0], out, 100, 0) == 100 && CALL(recv, ends[1], in, 10, 0) == 10, "cut");
	must(CALL(send, ends[0], out, 100, 0) == 100, "send");
	must(CALL(recv, ends[1], in, 10, MSG_TRUNC) == 100, "cut, and how much there was");
	must(CALL(send, ends[0], out, MOST + 1, 0) < 0 && errno == EMSGSIZE, "EMSGSIZE");
	talk(ends, 3);
}

static void six(void)
{
	struct sockaddr_in6 at = {.sin6_family = AF_INET6, .sin6_addr = in6addr_loopback},
			    any = {.sin6_family = AF_INET6};
	socklen_t n = sizeof at;
	int ends[2] = {socket(AF_INET6, SOCK_DGRAM, 0), socket(AF_INET6, SOCK_DGRAM, 0)}, no = 0;
	must(!CALL(bind, ends[1], (struct sockaddr *)&at, sizeof at), "bind");
	must(!getsockname(ends[1], (struct sockaddr *)&at, &n), "getsockname");
	must(!CALL(connect, ends[0], (struct sockaddr *)&at, sizeof at), "connect");
	talk(ends, 5);
	/* both protocols at one socket */
	int server = socket(AF_INET6, SOCK_STREAM, 0);
	must(!setsockopt(server, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no), "setsockopt");
	must(!CALL(bind, server, (struct sockaddr *)&any, sizeof any) && !CALL(listen, server, 4), "listen");
	n = sizeof any;
	must(!getsockname(server, (struct sockaddr *)&any, &n), "getsockname");
	struct sockaddr_in to = loopback(ntohs(any.sin6_port));
	ends[0] = socket(AF_INET, SOCK_STREAM, 0);
	must(!CALL(connect, ends[0], (struct sockaddr *)&to, sizeof to), "connect");
	ends[1] = CALL(accept, server, NULL, NULL);
	talk(ends, 5);
}

static void multicast(void)
{
	struct sockaddr_in group = {.sin_family = AF_INET, .sin_addr.s_addr = inet_addr("239.1.2.3")};
	struct ip_mreqn on = {.imr_multiaddr = group.sin_addr, .imr_address.s_addr = htonl(INADDR_LOOPBACK)};
	int out = bound(SOCK_DGRAM), in[2], yes = 1;
	for (int i = 0; i < 2; i++) {
		in[i] = socket(AF_INET, SOCK_DGRAM, 0);
		must(!setsockopt(in[i], SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes), "SO_REUSEADDR");
		must(!CALL(bind, in[i], (struct sockaddr *)&group, sizeof group), "bind");
		group.sin_port = name_of(in[i]).sin_port;
		must(!setsockopt(in[i], IPPROTO_IP, IP_ADD_MEMBERSHIP, &on, sizeof on), "IP_ADD_MEMBERSHIP");
	}
	must(!setsockopt(out, IPPROTO_IP, IP_MULTICAST_IF, &on, sizeof on), "IP_MULTICAST_IF");
	for (int i = 0; i < 5; i++) {
		int got[2] = {-1, -1};
		must(CALL(sendto, out, &i, sizeof i, 0, (struct sockaddr *)&group, sizeof group) == sizeof i, "sendto");
		for (int k = 0; k < 2; k++)
			must(CALL(recv, in[k], &got[k], sizeof got[k], 0) == sizeof i && got[k] == i, "recv");
	}
}

/* Names that are in no folder; a socket is given away, and so is one of TCP. */
static void passing(void)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	int n = snprintf(name.sun_path + 1, 60, "hbdb-hard-%d", getpid());
	socklen_t length = (socklen_t)(sizeof(sa_family_t) + 1 + (size_t)n);
	int at = socket(AF_UNIX, SOCK_STREAM, 0), tcp[2], there;
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = {.head = {CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
	char byte = 'x';
	struct iovec one = {&byte, 1};
	struct msghdr m = {.msg_iov = &one, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
	must(!CALL(bind, at, (struct sockaddr *)&name, length) && !CALL(listen, at, 4), "listen");
	tcp_pair(tcp);
	pid_t child = fork();
	if (!child) {
		close(tcp[0]);
		close(tcp[1]);
		int to = socket(AF_UNIX, SOCK_STREAM, 0);
		must(!CALL(connect, to, (struct sockaddr *)&name, length), "connect");
		must(CALL(recvmsg, to, &m, 0) == 1, "recvmsg");
		memcpy(&there, CMSG_DATA(&control.head), sizeof there);
		for (int i = 0; i < 5; i++)
			must(CALL(send, there, &i, sizeof i, 0) == sizeof i, "send");
		_exit(0);
	}
	int own = CALL(accept, at, NULL, NULL);
	memcpy(CMSG_DATA(&control.head), &tcp[1], sizeof tcp[1]);
	must(CALL(sendmsg, own, &m, 0) == 1, "sendmsg");
	close(tcp[1]);
	for (int i = 0, got; i < 5; i++)
		must(CALL(recv, tcp[0], &got, sizeof got, MSG_WAITALL) == sizeof got && got == i, "recv");
	wait_for(child);
}

/* Talk with the kernel is not among processes. */
static void kernel(void)
{
	static char answer[1 << 16];
	struct {
		struct nlmsghdr head;
		struct ifinfomsg ask;
	} ask = {.head = {sizeof ask, RTM_GETLINK, NLM_F_REQUEST | NLM_F_DUMP, 1, 0}, .ask.ifi_family = AF_UNSPEC};
	int ends[2], fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE), raw = socket(AF_PACKET, SOCK_RAW, htons(0x0800));
	struct sockaddr_ll lo = {
		.sll_family = AF_PACKET, .sll_protocol = htons(0x0800), .sll_ifindex = (int)if_nametoindex("lo")};
	udp_pair(ends);
	must(raw < 0 || !bind(raw, (struct sockaddr *)&lo, sizeof lo), "bind a packet socket");
	for (int i = 0; i < 3; i++) {
		must(send(fd, &ask, sizeof ask, 0) == sizeof ask && recv(fd, answer, sizeof answer, 0) > 0, "netlink");
		while (recv(fd, answer, sizeof answer, MSG_DONTWAIT) > 0)
			continue;
		talk(ends, 2);
	}
	if (raw >= 0) /* of what goes over the wire; a replay hands datagrams on in another way */
		recv(raw, answer, sizeof answer, MSG_DONTWAIT);
}

/* Urgent data, between others, is no event: it has no place in the stream. */
static void urgent(void)
{
	int ends[2];
	char in[8] = "";
	tcp_pair(ends);
	must(CALL(send, ends[0], "ab", 2, 0) == 2 && send(ends[0], "!", 1, MSG_OOB) == 1, "send");
	must(CALL(send, ends[0], "cd", 2, 0) == 2, "send");
	struct pollfd p = {.fd = ends[1], .events = POLLPRI};
	must(CALL(poll, &p, 1, -1) == 1, "poll");
	must(recv(ends[1], in, 1, MSG_OOB) == 1 && *in == '!', "recv");
	must(CALL(recv, ends[1], in, 2, MSG_WAITALL) == 2 && !memcmp(in, "ab", 2), "recv");
	must(CALL(recv, ends[1], in, 2, MSG_WAITALL) == 2 && !memcmp(in, "cd", 2), "recv");
}

int main(int argc, char **argv)
{
	static const struct mode modes[] = {{"interrupted", interrupted}, {"cancelled", cancelled},
		{"limited", limited}, {"connecting", connecting}, {"flags", flags}, {"several", several},
		{"files", files}, {"sizes", sizes}, {"six", six}, {"multicast", multicast}, {"passing", passing},
		{"kernel", kernel}, {"urgent", urgent}, {NULL, NULL}};
	return run_mode(argc, argv, modes);
}
