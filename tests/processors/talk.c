/* Processes that talk over UDP, TCP, a pipe and a Unix socket, each built for a processor of its own. Each message carries who sent it, how, and as
 * which one: what it is told by is what the recording is held against.
 *
 *   talk N SELF PORT MESSAGES: process SELF of N, 0 to N - 1; its UDP port is PORT + SELF, its TCP port PORT + 100 + SELF
 *
 * Each process sends MESSAGES datagrams to every other one and takes those of the others; then each connects to those with greater numbers, and both
 * ends send MESSAGES pieces. It prints a line for each message that came: kind, from, to, serial, and at which of its own receives. All numbers in
 * messages are in network order. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { DATAGRAM = 1, STREAM = 2 };

struct message {
	uint32_t kind, from, to, serial;
};

static int n, self, port, messages;

static void die(const char *what)
{
	fprintf(stderr, "talk %d: %s: %s\n", self, what, strerror(errno));
	exit(1);
}

static struct sockaddr_in address(int p)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)p)};
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return a;
}

static struct message make(uint32_t kind, int to, int serial)
{
	return (struct message){htonl(kind), htonl((uint32_t)self), htonl((uint32_t)to), htonl((uint32_t)serial)};
}

static void told(const struct message *m)
{
	printf("%s %u %u %u\n", ntohl(m->kind) == DATAGRAM ? "datagram" : "stream", ntohl(m->from), ntohl(m->to),
		ntohl(m->serial));
}

static void send_datagrams(int s)
{
	for (int i = 0; i < messages; i++)
		for (int to = 0; to < n; to++) {
			struct sockaddr_in a = address(port + to);
			struct message m = make(DATAGRAM, to, i);
			if (to != self && sendto(s, &m, sizeof m, 0, (struct sockaddr *)&a, sizeof a) != sizeof m)
				die("sendto");
		}
}

static void take_datagrams(int s)
{
	for (int i = 0; i < messages * (n - 1); i++) {
		struct message m;
		struct sockaddr_in from;
		socklen_t length = sizeof from;
		if (recvfrom(s, &m, sizeof m, 0, (struct sockaddr *)&from, &length) != sizeof m)
			die("recvfrom");
		told(&m);
	}
}

/* Everybody's port is open before anybody sends: a datagram to a port that is closed is lost. */
static void everybody(int listener)
{
	char byte = 'r';
	if (self) {
		int c = socket(AF_INET, SOCK_STREAM, 0);
		struct sockaddr_in a = address(port + 99);
		while (connect(c, (struct sockaddr *)&a, sizeof a)) {
			close(c);
			c = socket(AF_INET, SOCK_STREAM, 0);
			poll(NULL, 0, 20);
		}
		if (write(c, &byte, 1) != 1 || read(c, &byte, 1) != 1)
			die("the beginning");
		close(c);
		return;
	}
	int c[64];
	for (int i = 1; i < n; i++)
		if ((c[i] = accept(listener, NULL, NULL)) < 0 || read(c[i], &byte, 1) != 1)
			die("accept");
	for (int i = 1; i < n; i++)
		if (write(c[i], &byte, 1) != 1)
			die("write");
}

static int opened(int type, int p)
{
	int s = socket(AF_INET, type, 0), one = 1, room = 1 << 22;
	struct sockaddr_in a = address(p);
	setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	setsockopt(s, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
	if (bind(s, (struct sockaddr *)&a, sizeof a) || (type == SOCK_STREAM && listen(s, 64)))
		die("bind");
	return s;
}

static void take_piece(int c)
{
	struct message m;
	char *p = (char *)&m;
	for (size_t got = 0; got < sizeof m;) {
		ssize_t k = read(c, p + got, sizeof m - got);
		if (k <= 0)
			die("read");
		got += (size_t)k;
	}
	told(&m);
}

static void converse(int c, int other)
{
	for (int i = 0; i < messages; i++) {
		struct message m = make(STREAM, other, i);
		if (send(c, &m, sizeof m, 0) != sizeof m)
			die("send");
	}
	for (int i = 0; i < messages; i++)
		take_piece(c);
	close(c);
}

static void connect_to_others(int listener)
{
	for (int other = self + 1; other < n; other++) {
		int c = socket(AF_INET, SOCK_STREAM, 0);
		struct sockaddr_in a = address(port + 100 + other);
		uint32_t me = htonl((uint32_t)self);
		if (connect(c, (struct sockaddr *)&a, sizeof a) || send(c, &me, sizeof me, 0) != sizeof me)
			die("connect");
		converse(c, other);
	}
	for (int i = 0; i < self; i++) {
		int c = accept(listener, NULL, NULL);
		uint32_t who;
		if (c < 0 || recv(c, &who, sizeof who, MSG_WAITALL) != sizeof who)
			die("accept");
		converse(c, (int)ntohl(who));
	}
}

/* A child of its own, over a pipe. */
static void talk_to_child(void)
{
	int p[2];
	uint32_t word = htonl(4711);
	if (pipe(p))
		die("pipe");
	pid_t child = fork();
	if (!child) {
		if (write(p[1], &word, sizeof word) != sizeof word)
			_exit(1);
		_exit(0);
	}
	if (child < 0 || read(p[0], &word, sizeof word) != sizeof word || ntohl(word) != 4711)
		die("read from the child");
	close(p[0]);
	close(p[1]);
}

int main(int argc, char **argv)
{
	if (argc != 5)
		return 2;
	n = atoi(argv[1]);
	self = atoi(argv[2]);
	port = atoi(argv[3]);
	messages = atoi(argv[4]);
	int udp = opened(SOCK_DGRAM, port + self), tcp = opened(SOCK_STREAM, port + 100 + self);
	int begin = self ? -1 : opened(SOCK_STREAM, port + 99);
	everybody(begin);
	send_datagrams(udp);
	take_datagrams(udp);
	talk_to_child();
	connect_to_others(tcp);
	fflush(stdout);
	return 0;
}
