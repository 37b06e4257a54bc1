/* N processes that send datagrams to each other, whom by a seed and when by chance, and receive from anyone.
 *
 *   gcc -O2 -g udp_random.c -o udp_random
 *   udp_random [-n PROCESSES] [-m MESSAGES] [-s SEED] [-r HOW] [-w HOW] [-d MICROSECONDS] [-b BYTES] [-i INTERFACE] [-W MILLISECONDS] [-6MCILN]
 *
 * -r: how to receive: block (default), dontwait, poll, select, epoll, timeout (SO_RCVTIMEO), mmsg, msg, peek, cut (buffers too short)
 * -w: how to send: to (default), msg, mmsg     -d: the longest pause before a send     -b: the longest datagram
 * -6: IPv6   -M: each message to all, by multicast   -i: on this interface (lo)   -C: connected sockets, one for each pair, received by poll
 * -I: identical contents: nobody can tell one datagram from another    -L: datagrams may get lost: who waited so long (-W, 300) goes on
 * -N: process I is in network namespace I of network.c, under which this one runs
 *
 * In round r each process sends one message and then receives until it has as many as were for it in the rounds before r - 2. So nobody waits for
 * ever, and the order in which messages come is chance. Prints a digest of the order of each process's receives: free runs differ. */
#include "carry.h"
#include "nets.h"

#include <arpa/inet.h>
#include <getopt.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/wait.h>

enum { MOST = 64, LONGEST = 9000, BATCH = 4, LAG = 2 };

static int n = 4, messages = 50, longest_pause = 300, longest = 200, patience = 300;
static uint64_t seed = 1;
static const char *receive_by = "block", *send_by = "to", *interface = "lo";
static bool six, multicast, paired, identical, lossy, spread;

struct result {
	uint64_t digest, received, timeouts;
};

union address {
	struct sockaddr any;
	struct sockaddr_in four;
	struct sockaddr_in6 six;
};

static int sockets[MOST], pair_of[MOST][MOST]; /* of -C: [i][j] is i's socket to j */
static union address addresses[MOST], group;
static struct result *results;

static socklen_t address_size(void) { return six ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in); }

static int bound_socket(union address *ret)
{
	int fd = socket(six ? AF_INET6 : AF_INET, SOCK_DGRAM, 0), room = 4 << 20;
	union address own = {0};
	socklen_t size = address_size();
	own.any.sa_family = six ? AF_INET6 : AF_INET;
	if (six)
		own.six.sin6_addr = in6addr_loopback;
	else
		own.four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || bind(fd, &own.any, size) || getsockname(fd, &ret->any, &size))
		give_up("socket of datagrams");
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
	return fd;
}

/* Each process has one socket to send and one that is in the group. */
static void join_group(int own, in_port_t port)
{
	int one = 1, lo = (int)if_nametoindex(interface), room = 4 << 20;
	sockets[own] = socket(six ? AF_INET6 : AF_INET, SOCK_DGRAM, 0);
	group.any.sa_family = six ? AF_INET6 : AF_INET;
	setsockopt(sockets[own], SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	setsockopt(sockets[own], SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
	struct ipv6_mreq join6 = {.ipv6mr_interface = (unsigned)lo};
	struct ip_mreqn join = {.imr_ifindex = lo};
	inet_pton(AF_INET6, "ff01::4862", &join6.ipv6mr_multiaddr);
	inet_pton(AF_INET, "239.72.98.1", &join.imr_multiaddr);
	if (six)
		group.six = (struct sockaddr_in6){AF_INET6, port, 0, join6.ipv6mr_multiaddr, (uint32_t)lo};
	else
		group.four = (struct sockaddr_in){AF_INET, port, join.imr_multiaddr, {0}};
	int failed = six ? setsockopt(sockets[own], IPPROTO_IPV6, IPV6_ADD_MEMBERSHIP, &join6, sizeof join6) ||
				     setsockopt(sockets[own], IPPROTO_IPV6, IPV6_MULTICAST_IF, &lo, sizeof lo)
			 : setsockopt(sockets[own], IPPROTO_IP, IP_ADD_MEMBERSHIP, &join, sizeof join) ||
				     setsockopt(sockets[own], IPPROTO_IP, IP_MULTICAST_IF, &join, sizeof join);
	if (bind(sockets[own], &group.any, address_size()) || failed)
		give_up("multicast");
}

static void make_sockets(void)
{
	for (int i = 0; i < n && !paired; i++)
		sockets[i] = bound_socket(&addresses[i]);
	if (multicast) {
		in_port_t port = addresses[0].four.sin_port;
		for (int i = 0; i < n; i++)
			close(sockets[i]);
		for (int i = 0; i < n; i++)
			join_group(i, port);
	}
	for (int i = 0; i < n && paired; i++)
		for (int j = 0; j < i; j++) {
			union address a, b;
			pair_of[i][j] = bound_socket(&a);
			pair_of[j][i] = bound_socket(&b);
			if (connect(pair_of[i][j], &b.any, address_size()) ||
				connect(pair_of[j][i], &a.any, address_size()))
				give_up("connect");
		}
}

/* With -N each process makes its socket where it is; the addresses are known. */
static void know_addresses(void)
{
	for (int i = 0; i < n; i++)
		addresses[i].four = address_in_net(i, 5000);
}

static void move_into_net(int own)
{
	int room = 4 << 20;
	enter_net(own);
	sockets[own] = socket(AF_INET, SOCK_DGRAM, 0);
	if (bind(sockets[own], &addresses[own].any, address_size()))
		give_up("bind in a namespace");
	setsockopt(sockets[own], SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
}

static void close_those_of_others(int own)
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			if (paired && i != own && i != j)
				close(pair_of[i][j]);
	for (int i = 0; i < n && !paired; i++)
		if (i != own)
			close(sockets[i]);
}

/* Whom process i sends its message of round r to. */
static int target(int i, int r)
{
	uint64_t state = seed * 1000003 + (uint64_t)i * 10007 + (uint64_t)r;
	chance(&state, 2);
	int to = (int)chance(&state, (uint32_t)n - 1);
	return to < i ? to : to + 1;
}

static int expected_in(int own, int r)
{
	int k = 0;
	for (int i = 0; i < n && r >= 0; i++)
		k += i != own && (multicast || target(i, r) == own);
	return k + (multicast && r >= 0); /* the own one comes, too */
}

static void wait_ready(const int *fds, int k, int *ret_ready)
{
	struct pollfd set[MOST];
	fd_set readable;
	struct epoll_event event;
	int got = -1, limit = lossy ? patience : -1;
	struct timeval time = {patience / 1000, patience % 1000 * 1000};
	if (!strcmp(receive_by, "select")) {
		FD_ZERO(&readable);
		FD_SET(fds[0], &readable);
		got = select(fds[0] + 1, &readable, NULL, NULL, lossy ? &time : NULL) - 1;
	} else if (!strcmp(receive_by, "epoll")) {
		static int epoll;
		epoll = epoll ? epoll : epoll_create1(0);
		epoll_ctl(epoll, EPOLL_CTL_ADD, fds[0], &(struct epoll_event){.events = EPOLLIN});
		got = epoll_wait(epoll, &event, 1, limit) - 1;
	} else {
		for (int i = 0; i < k; i++)
			set[i] = (struct pollfd){fds[i], POLLIN, 0};
		if (poll(set, (nfds_t)k, limit) > 0)
			for (got = 0; !set[got].revents;)
				got++;
	}
	*ret_ready = got;
}

struct received {
	unsigned char bytes[BATCH][LONGEST];
	struct mmsghdr heads[BATCH];
	struct iovec parts[BATCH][2];
	union address from[BATCH];
};

static int receive_batch(int fd, struct received *r, int flags)
{
	for (int i = 0; i < BATCH; i++) {
		r->parts[i][0] = (struct iovec){r->bytes[i], HEADER / 2};
		r->parts[i][1] = (struct iovec){r->bytes[i] + HEADER / 2, LONGEST - HEADER / 2};
		r->heads[i].msg_hdr = (struct msghdr){.msg_name = &r->from[i],
			.msg_namelen = sizeof r->from[i],
			.msg_iov = r->parts[i],
			.msg_iovlen = 2};
	}
	if (!strcmp(receive_by, "mmsg"))
		return recvmmsg(fd, r->heads, BATCH, flags | MSG_WAITFORONE, NULL);
	ssize_t got = recvmsg(fd, &r->heads[0].msg_hdr, flags);
	r->heads[0].msg_len = (unsigned)got;
	return got < 0 ? -1 : 1;
}

/* Receives what is there, or waits for something. Returns the number of datagrams, or -1: nothing came in its time. */
static int receive(int own, struct received *r)
{
	int fds[MOST], k = 0, ready = 0, fd = sockets[own];
	union address from;
	socklen_t size = sizeof from;
	if (paired || !strcmp(receive_by, "poll") || !strcmp(receive_by, "select") || !strcmp(receive_by, "epoll")) {
		for (int i = 0; i < n && paired; i++)
			if (i != own)
				fds[k++] = pair_of[own][i];
		fds[k] = fd;
		wait_ready(fds, paired ? k : 1, &ready);
		if (ready < 0)
			return -1;
		fd = fds[ready];
	}
	if (!strcmp(receive_by, "mmsg") || !strcmp(receive_by, "msg"))
		return receive_batch(fd, r, 0);
	if (!strcmp(receive_by, "peek") && recv(fd, r->bytes[0], HEADER, MSG_PEEK) < 0)
		return -1;
	size_t room = !strcmp(receive_by, "cut") ? HEADER + 8 : LONGEST;
	int flags = !strcmp(receive_by, "dontwait") ? MSG_DONTWAIT : 0;
	for (int tries = 0;; tries++) {
		ssize_t got = paired ? recv(fd, r->bytes[0], room, flags)
				     : recvfrom(fd, r->bytes[0], room, flags, &from.any, &size);
		r->heads[0].msg_len = (unsigned)got;
		if (got >= 0 || (errno != EAGAIN && errno != EINTR))
			return got < 0 ? -1 : 1;
		if (lossy && (!flags || tries > patience * 10))
			return -1;
		usleep(100);
	}
}

static void send_one(int own, int to, struct carry *c, uint64_t *state)
{
	unsigned char bytes[LONGEST];
	size_t length = identical ? HEADER : HEADER + chance(state, (uint32_t)longest - HEADER + 1);
	uint64_t at = carry_block(c, bytes, length);
	union address *address = multicast ? &group : &addresses[to];
	int fd = paired ? pair_of[own][to] : sockets[own];
	ssize_t sent;
	if (identical)
		memset(bytes, 0, length);
	struct iovec parts[] = {{bytes, HEADER}, {bytes + HEADER, length - HEADER}};
	struct mmsghdr head = {.msg_hdr = {.msg_name = paired ? NULL : address,
				       .msg_namelen = paired ? 0 : address_size(),
				       .msg_iov = parts,
				       .msg_iovlen = 2}};
	if (!strcmp(send_by, "mmsg"))
		sent = sendmmsg(fd, &head, 1, 0) == 1 ? (ssize_t)head.msg_len : -1;
	else if (!strcmp(send_by, "msg"))
		sent = sendmsg(fd, &head.msg_hdr, 0);
	else
		sent = paired ? send(fd, bytes, length, 0)
			      : sendto(fd, bytes, length, 0, &address->any, address_size());
	if (sent != (ssize_t)length && !lossy)
		give_up("send");
	if (!identical)
		told_out(DATAGRAM, c, at, sent);
}

/* What came is counted into the digest of the order. */
static void count(struct result *to, struct way *w, struct received *r, int k)
{
	for (int i = 0; i < k; i++, to->received++) {
		if (!identical)
			told_in(DATAGRAM, w, r->bytes[i], r->heads[i].msg_len);
		for (unsigned b = 0; b < HEADER && b < r->heads[i].msg_len; b++)
			to->digest = (to->digest ^ r->bytes[i][b]) * 0x100000001b3u;
	}
}

static void take_part(int own)
{
	static struct received r;
	carry_as(1 + (uint32_t)own);
	struct carry c = carry_begin();
	struct way w = way_begin();
	struct result *to = &results[own];
	uint64_t state = seed * 31 + (uint64_t)own, wanted = 0;
	if (lossy && !strcmp(receive_by, "timeout"))
		setsockopt(sockets[own], SOL_SOCKET, SO_RCVTIMEO,
			&(struct timeval){patience / 1000, patience % 1000 * 1000}, sizeof(struct timeval));
	to->digest = 0xcbf29ce484222325u;
	for (int round = 0; round < messages + LAG; round++) {
		pause_for_chance((uint32_t)longest_pause);
		if (round < messages)
			send_one(own, target(own, round), &c, &state);
		wanted += (uint64_t)expected_in(own, round - LAG);
		while (to->received < wanted) {
			int k = receive(own, &r);
			if (k < 0 && !lossy)
				give_up("receive");
			if (k < 0) {
				to->timeouts++;
				wanted = to->received;
			} else
				count(to, &w, &r, k);
		}
	}
	truth_flush();
	_exit(0);
}

static void read_options(int argc, char **argv)
{
	for (int o; (o = getopt(argc, argv, "n:m:s:r:w:d:b:i:W:6MCILN")) != -1;)
		switch (o) {
		case 'n':
			n = atoi(optarg);
			break;
		case 'm':
			messages = atoi(optarg);
			break;
		case 's':
			seed = strtoull(optarg, NULL, 0);
			break;
		case 'r':
			receive_by = optarg;
			break;
		case 'w':
			send_by = optarg;
			break;
		case 'd':
			longest_pause = atoi(optarg);
			break;
		case 'b':
			longest = atoi(optarg);
			break;
		case 'i':
			interface = optarg;
			break;
		case 'W':
			patience = atoi(optarg);
			break;
		case 'N':
			spread = true;
			break;
		case '6':
			six = true;
			break;
		case 'M':
			multicast = true;
			break;
		case 'C':
			paired = true;
			break;
		case 'I':
			identical = true;
			break;
		case 'L':
			lossy = true;
			break;
		default:
			exit(2);
		}
	if (n < 2 || n > MOST || longest < HEADER || longest > LONGEST) {
		fprintf(stderr, "2 to %d processes, datagrams of %d to %d bytes\n", MOST, (int)HEADER, (int)LONGEST);
		exit(2);
	}
}

int main(int argc, char **argv)
{
	read_options(argc, argv);
	results = mmap(NULL, sizeof *results * MOST, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (spread)
		know_addresses();
	else
		make_sockets();
	for (int i = 0; i < n; i++) {
		pid_t child = fork();
		if (child < 0)
			give_up("fork");
		if (!child) {
			if (spread)
				move_into_net(i);
			else
				close_those_of_others(i);
			take_part(i);
		}
	}
	int worst = 0, status;
	while (wait(&status) > 0)
		worst = status ? status : worst;
	for (int i = 0; i < n; i++)
		printf("process %d received %llu order %016llx%s\n", i, (unsigned long long)results[i].received,
			(unsigned long long)results[i].digest, results[i].timeouts ? " and waited in vain" : "");
	return worst ? 1 : 0;
}
