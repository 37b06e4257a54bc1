/* Processes that talk over Unix sockets.
 *
 *   gcc -O2 -g unix_mix.c -o unix_mix
 *   unix_mix [-t TYPE] [-n NAME] [-k CLIENTS] [-m MESSAGES] [-s SEED]
 *
 * -t: stream (default), seqpacket, dgram     -n: path (default), abstract, pair (socketpair, inherited), auto (the system gives the clients' names)
 * Each of CLIENTS processes sends MESSAGES to one server, and gets an answer for each; the server answers in the order in which they come.
 * Run it in a folder of its own: it makes sockets there. Prints the order in which the server was asked. */
#include "carry.h"

#include <getopt.h>
#include <poll.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

enum { MOST = 32, LONGEST = 2000 };

static int clients = 3, messages = 10;
static uint64_t seed = 1;
static const char *type = "stream", *naming = "path";
static int pairs[MOST][2];

static bool is(const char *option, const char *word) { return !strcmp(option, word); }
static bool by_datagrams(void) { return is(type, "dgram"); }
static const char *kind(void) { return by_datagrams() ? DATAGRAM : STREAM; }

static int type_of_socket(void)
{
	return by_datagrams() ? SOCK_DGRAM : is(type, "seqpacket") ? SOCK_SEQPACKET : SOCK_STREAM;
}

/* The server is number -1. */
static socklen_t name(struct sockaddr_un *ret, int number)
{
	*ret = (struct sockaddr_un){.sun_family = AF_UNIX};
	if (is(naming, "auto") && number >= 0)
		return sizeof ret->sun_family;
	int n = is(naming, "abstract") || is(naming, "auto")
			? snprintf(ret->sun_path + 1, sizeof ret->sun_path - 1, "unix_mix.%d.%d",
				  number < 0 ? getpid() : getppid(), number) +
				  1
			: snprintf(ret->sun_path, sizeof ret->sun_path, "./unix_mix.%d", number + 1) + 1;
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)n);
}

static int make_socket(int number)
{
	struct sockaddr_un own;
	socklen_t size = name(&own, number);
	int fd = socket(AF_UNIX, type_of_socket() | SOCK_CLOEXEC, 0);
	if (own.sun_path[0] && (is(naming, "path")))
		unlink(own.sun_path);
	if (fd < 0 || bind(fd, (struct sockaddr *)&own, size))
		give_up("bind");
	if (number < 0 && !by_datagrams() && listen(fd, MOST))
		give_up("listen");
	return fd;
}

static void send_block(int fd, struct carry *c, uint64_t *state, const struct sockaddr_un *to, socklen_t size)
{
	unsigned char bytes[LONGEST];
	size_t length = HEADER + chance(state, LONGEST - HEADER);
	uint64_t at = carry_block(c, bytes, length);
	ssize_t sent = to ? sendto(fd, bytes, length, MSG_NOSIGNAL, (const struct sockaddr *)to, size)
			  : send(fd, bytes, length, MSG_NOSIGNAL);
	if (sent != (ssize_t)length)
		give_up("send");
	told_out(kind(), c, at, sent);
}

/* A whole block; of a stream in as many pieces as it takes. Returns false at the end. */
static bool receive_block(int fd, struct way *w, struct sockaddr_un *ret_from, socklen_t *size)
{
	unsigned char bytes[LONGEST];
	do {
		bool packets = !is(type, "stream");
		size_t want = packets ? LONGEST : w->had < HEADER ? HEADER - w->had : w->now.length - w->had;
		ssize_t got = ret_from ? recvfrom(fd, bytes, want, 0, (struct sockaddr *)ret_from, size)
				       : recv(fd, bytes, want, 0);
		if (got < 0)
			give_up("receive");
		if (!got)
			return false;
		told_in(kind(), w, bytes, got);
	} while (w->had);
	return true;
}

static void be_client(int number, const struct sockaddr_un *server, socklen_t size)
{
	carry_as(1 + (uint32_t)number);
	struct carry c = carry_begin();
	struct way w = way_begin();
	uint64_t state = seed * 7919 + (uint64_t)number;
	int fd = is(naming, "pair") ? pairs[number][1] : make_socket(number);
	bool connects = !is(naming, "pair") && !(by_datagrams() && number % 2);
	if (connects && connect(fd, (const struct sockaddr *)server, size))
		give_up("connect");
	for (int i = 0; i < messages; i++) {
		pause_for_chance(500);
		send_block(fd, &c, &state, connects || is(naming, "pair") ? NULL : server, size);
		if (!receive_block(fd, &w, NULL, NULL))
			give_up("no answer");
	}
	truth_flush();
	_exit(0);
}

static void serve_datagrams(int fd)
{
	struct carry c = carry_begin();
	struct way w = way_begin();
	uint64_t state = seed, digest = 0;
	for (int i = 0; i < clients * messages; i++) {
		struct sockaddr_un from;
		socklen_t size = sizeof from;
		receive_block(fd, &w, &from, &size);
		digest = digest * 31 + (w.now.who * 101 + w.now.at);
		send_block(fd, &c, &state, &from, size);
	}
	printf("served %d, order %016llx\n", clients * messages, (unsigned long long)digest);
}

static void serve_connections(int listening)
{
	struct pollfd fds[MOST];
	struct carry c[MOST];
	struct way w[MOST];
	uint64_t state = seed, digest = 0;
	int served = 0;
	for (int i = 0; i < clients; i++) {
		fds[i] = (struct pollfd){is(naming, "pair") ? pairs[i][0] : accept(listening, NULL, NULL), POLLIN, 0};
		c[i] = carry_begin();
		w[i] = way_begin();
	}
	while (served < clients * messages) {
		if (poll(fds, (nfds_t)clients, -1) < 1)
			give_up("poll");
		for (int i = 0; i < clients; i++) {
			if (!fds[i].revents)
				continue;
			if (!receive_block(fds[i].fd, &w[i], NULL, NULL)) {
				fds[i].fd = -1;
				continue;
			}
			served++;
			digest = digest * 31 + (uint64_t)(i + 1);
			send_block(fds[i].fd, &c[i], &state, NULL, 0);
		}
	}
	printf("served %d, order %016llx\n", served, (unsigned long long)digest);
}

int main(int argc, char **argv)
{
	struct sockaddr_un server;
	int fd = -1, worst = 0, status;
	for (int o; (o = getopt(argc, argv, "t:n:k:m:s:")) != -1;)
		switch (o) {
		case 't':
			type = optarg;
			break;
		case 'n':
			naming = optarg;
			break;
		case 'k':
			clients = atoi(optarg) < MOST ? atoi(optarg) : MOST;
			break;
		case 'm':
			messages = atoi(optarg);
			break;
		case 's':
			seed = strtoull(optarg, NULL, 0);
			break;
		default:
			return 2;
		}
	if (is(naming, "pair") && by_datagrams()) {
		fprintf(stderr, "no datagrams over pairs: nobody would know whom to answer\n");
		return 2;
	}
	socklen_t size = name(&server, -1);
	if (!is(naming, "pair"))
		fd = make_socket(-1);
	for (int i = 0; i < clients; i++) {
		if (is(naming, "pair") && socketpair(AF_UNIX, type_of_socket(), 0, pairs[i]))
			give_up("socketpair");
		if (!fork())
			be_client(i, &server, size);
		if (is(naming, "pair"))
			close(pairs[i][1]);
	}
	carry_as(1000);
	if (by_datagrams())
		serve_datagrams(fd);
	else
		serve_connections(fd);
	while (wait(&status) > 0)
		worst = status ? status : worst;
	return worst ? 1 : 0;
}
