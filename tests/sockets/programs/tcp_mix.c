/* A server and several clients over TCP: random pieces both ways, and the ways in which servers and clients are written.
 *
 *   gcc -O2 -g -pthread tcp_mix.c -o tcp_mix
 *   tcp_mix [-k CLIENTS] [-c CONNECTIONS] [-s SEED] [-S SERVER] [-w HOW] [-r HOW] [-x] [-6] [-nlapN] [-D HOW] [-C HOW]
 *
 * -k: processes of clients (3)   -c: connections that each makes, one after the other (4)
 * -S: the server: one (a connection at a time, default), thread, fork (for each connection), level, edge (epoll), pass (a process accepts and
 *     passes the connection to one of two others), share (two processes accept from one socket, and the children that they fork serve)
 * -w: how to write: send (default), write, writev, msg, sendfile, splice
 * -r: how to read: recv (default), read, readv, msg, timeout (SO_RCVTIMEO), splice, waitall (as much as a header has), poll
 * -x: two processes write into, and read from, each connection of a client: the child that it forked, then itself
 * -6: IPv6   -n: non-blocking connect   -l: clients use their own port again and again   -a: accept instead of accept4
 * -N: the server is in network namespace 0 of network.c, under which this one runs, the clients are in 1 and 2 by turns
 * -p: a pause by chance before each piece   -D: use a duplicate: dup, dup2, dup3, fcntl
 * -C: at the start close all descriptors above 2: range (close_range), from (closefrom), loop, raw (through syscall)
 *
 * Each side sends what its seed says, ends its direction and reads the other one to its end. Prints the bytes of each client. */
#include "carry.h"
#include "nets.h"

#include <arpa/inet.h>
#include <getopt.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>

enum { LONGEST = 3000, BLOCKS = 6 };

static int clients = 3, connections = 4;
static uint64_t seed = 1;
static const char *server_is = "one", *write_by = "send", *read_by = "recv", *dup_by = "", *close_by = "";
static bool six, nonblocking, own_port, shared, plain_accept, pauses, spread;
static union {
	struct sockaddr any;
	struct sockaddr_in four;
	struct sockaddr_in6 six;
} server;
static struct counts {
	uint64_t sent, received;
} * counts; /* of the clients, then of the server */

static socklen_t address_size(void) { return six ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in); }
static bool is(const char *option, const char *word) { return !strcmp(option, word); }

static void close_everything(void)
{
	if (is(close_by, "range"))
		close_range(3, ~0u, 0);
	else if (is(close_by, "from"))
		closefrom(3);
	else if (is(close_by, "raw"))
		syscall(SYS_close_range, 3, ~0u, 0);
	for (int fd = 3; fd < 1024 && is(close_by, "loop"); fd++)
		close(fd);
}

static int duplicate(int fd)
{
	int other = fd;
	if (is(dup_by, "dup"))
		other = dup(fd);
	else if (is(dup_by, "dup2"))
		other = dup2(fd, 200);
	else if (is(dup_by, "dup3"))
		other = dup3(fd, 201, O_CLOEXEC);
	else if (is(dup_by, "fcntl"))
		other = fcntl(fd, F_DUPFD_CLOEXEC, 100);
	if (other < 0)
		give_up("duplicate");
	if (other != fd)
		close(fd);
	return other;
}

/* The bytes went into a pipe of this thread, and out of it again. What is in it need not be blocks, so the file of truth is told here. */
static void told_pipe(ssize_t n)
{
	static _Thread_local struct carry c;
	if (n <= 0)
		return;
	if (c.who != carry_who)
		c = carry_begin();
	truth_line("out", STREAM, (uint64_t)n, c.who, c.number, c.at);
	truth_line("in", STREAM, (uint64_t)n, c.who, c.number, c.at);
	truth_is(&(struct way){.who = c.who, .number = c.number, .now = {.who = c.who, .number = c.number}}, c.at,
		(uint64_t)n, c.at);
	c.at += (uint64_t)n;
}

static ssize_t by_splice(int from, int to, size_t n)
{
	ssize_t got = splice(from, NULL, to, NULL, n, 0);
	if (got < 0)
		give_up("splice");
	return got;
}

static ssize_t write_some(int fd, const unsigned char *bytes, size_t n)
{
	struct iovec parts[] = {{(void *)bytes, n / 2}, {(void *)(bytes + n / 2), n - n / 2}};
	if (is(write_by, "write"))
		return write(fd, bytes, n);
	if (is(write_by, "writev"))
		return writev(fd, parts, 2);
	if (is(write_by, "msg"))
		return sendmsg(fd, &(struct msghdr){.msg_iov = parts, .msg_iovlen = 2}, MSG_NOSIGNAL);
	if (is(write_by, "sendfile")) {
		int file = memfd_create("piece", MFD_CLOEXEC);
		if (write(file, bytes, n) != (ssize_t)n || lseek(file, 0, SEEK_SET))
			give_up("file");
		ssize_t sent = sendfile(fd, file, NULL, n);
		close(file);
		return sent;
	}
	if (is(write_by, "splice")) {
		int ends[2];
		if (pipe(ends) || write(ends[1], bytes, n) != (ssize_t)n)
			give_up("pipe");
		ssize_t sent = by_splice(ends[0], fd, n);
		if (sent != (ssize_t)n)
			give_up("a splice of all that is in the pipe");
		told_pipe(sent);
		close(ends[0]);
		close(ends[1]);
		return sent;
	}
	return send(fd, bytes, n, MSG_NOSIGNAL);
}

static ssize_t read_some(int fd, unsigned char *bytes, size_t n)
{
	struct iovec parts[] = {{bytes, n / 3}, {bytes + n / 3, n - n / 3}};
	struct pollfd ready = {fd, POLLIN, 0};
	ssize_t got;
	if (is(read_by, "read"))
		return read(fd, bytes, n);
	if (is(read_by, "readv"))
		return readv(fd, parts, 2);
	if (is(read_by, "msg"))
		return recvmsg(fd, &(struct msghdr){.msg_iov = parts, .msg_iovlen = 2}, 0);
	if (is(read_by, "waitall"))
		return recv(fd, bytes, n < HEADER ? n : HEADER, MSG_WAITALL);
	if (is(read_by, "poll"))
		while (poll(&ready, 1, 5) == 0)
			continue;
	if (is(read_by, "splice")) {
		int ends[2];
		if (pipe(ends))
			give_up("pipe");
		got = by_splice(fd, ends[1], n);
		if (got > 0 && read(ends[0], bytes, n) != got)
			give_up("pipe");
		close(ends[0]);
		close(ends[1]);
		return got;
	}
	do
		got = recv(fd, bytes, n, is(read_by, "poll") ? MSG_DONTWAIT : 0);
	while (got < 0 && errno == EAGAIN && is(read_by, "timeout"));
	return got;
}

/* A block in pieces. */
static void send_block(int fd, struct carry *c, uint64_t *state, struct counts *to)
{
	unsigned char bytes[LONGEST];
	size_t length = HEADER + chance(state, LONGEST - HEADER), done = 0;
	uint64_t at = carry_block(c, bytes, length);
	while (done < length) {
		size_t want = 1 + chance(state, 700);
		want = want < length - done ? want : length - done;
		if (pauses)
			pause_for_chance(200);
		ssize_t sent = write_some(fd, bytes + done, want);
		if (sent <= 0)
			give_up("write");
		told_out(STREAM, c, at + done, sent);
		done += (size_t)sent;
	}
	to->sent += length;
}

static void read_to_end(int fd, struct way *w, uint64_t *state, struct counts *to)
{
	unsigned char bytes[LONGEST];
	ssize_t got;
	while ((got = read_some(fd, bytes, 1 + chance(state, LONGEST - 1))) > 0) {
		told_in(STREAM, w, bytes, got);
		if (is(read_by, "splice")) /* they came out of the socket first, then out of the pipe */
			told_pipe(got);
		to->received += (uint64_t)got;
	}
	if (got < 0)
		give_up("read");
	way_ends(w);
}

/* What both sides do with a connection; `state` says what they send. Together they send no more than the system holds for them. */
static void talk(int fd, uint64_t state, struct counts *to)
{
	struct carry c = carry_begin();
	struct way w = way_begin();
	fd = duplicate(fd);
	if (is(read_by, "timeout"))
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){0, 2000}, sizeof(struct timeval));
	for (int i = (int)chance(&state, BLOCKS); i >= 0; i--)
		send_block(fd, &c, &state, to);
	if (shutdown(fd, SHUT_WR))
		give_up("shutdown");
	read_to_end(fd, &w, &state, to);
	close(fd);
}

static int connect_to_server(in_port_t *port)
{
	int fd = socket(server.any.sa_family, SOCK_STREAM | (nonblocking ? SOCK_NONBLOCK : 0), 0), one = 1;
	socklen_t size = address_size();
	if (own_port) {
		/* It ends with a reset, so that its port is free at once. */
		struct sockaddr_in6 own = {.sin6_family = server.any.sa_family, .sin6_port = *port};
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
		if (!six)
			((struct sockaddr_in *)&own)->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		if (bind(fd, (struct sockaddr *)&own, size))
			give_up("bind to the own port");
	}
	int failed = connect(fd, &server.any, size);
	if (failed && errno == EINPROGRESS) {
		struct pollfd ready = {fd, POLLOUT, 0};
		int error = 0;
		socklen_t bytes = sizeof error;
		poll(&ready, 1, -1);
		failed = getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &bytes) || error;
	}
	if (failed)
		give_up("connect");
	if (nonblocking)
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	struct sockaddr_in6 own;
	socklen_t bytes = sizeof own;
	getsockname(fd, (struct sockaddr *)&own, &bytes);
	*port = own.sin6_port;
	return fd;
}

static void be_client(int number)
{
	in_port_t port = 0;
	carry_as(1 + (uint32_t)number);
	if (spread)
		enter_net(1 + number % 2);
	for (int i = 0; i < connections; i++) {
		int fd = connect_to_server(&port);
		uint64_t state = seed * 97 + (uint64_t)(number * 1009 + i);
		if (shared && fork() == 0) {
			carry_as((uint32_t)(5000 + number * connections + i));
			struct carry c = carry_begin();
			send_block(fd, &c, &state, &counts[number]);
			truth_flush();
			_exit(0);
		}
		if (shared && wait(NULL) < 0)
			give_up("wait");
		if (own_port)
			setsockopt(fd, SOL_SOCKET, SO_LINGER, &(struct linger){1, 0}, sizeof(struct linger));
		talk(fd, state, &counts[number]);
	}
	truth_flush();
	_exit(0);
}

#include "tcp_servers.h"

static void read_options(int argc, char **argv)
{
	for (int o; (o = getopt(argc, argv, "k:c:s:S:w:r:D:C:6nlaxpN")) != -1;)
		switch (o) {
		case 'k':
			clients = atoi(optarg);
			break;
		case 'c':
			connections = atoi(optarg);
			break;
		case 's':
			seed = strtoull(optarg, NULL, 0);
			break;
		case 'S':
			server_is = optarg;
			break;
		case 'w':
			write_by = optarg;
			break;
		case 'r':
			read_by = optarg;
			break;
		case 'D':
			dup_by = optarg;
			break;
		case 'C':
			close_by = optarg;
			break;
		case '6':
			six = true;
			break;
		case 'n':
			nonblocking = true;
			break;
		case 'l':
			own_port = true;
			break;
		case 'a':
			plain_accept = true;
			break;
		case 'x':
			shared = true;
			break;
		case 'N':
			spread = true;
			break;
		case 'p':
			pauses = true;
			break;
		default:
			exit(2);
		}
}

int main(int argc, char **argv)
{
	read_options(argc, argv);
	close_everything();
	counts = mmap(NULL, sizeof *counts * ((size_t)clients + 1), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		-1, 0);
	int listening = listen_anywhere(), worst = 0, status;
	pid_t server_pid = fork();
	if (!server_pid)
		serve(listening);
	close(listening);
	for (int i = 0; i < clients; i++)
		if (!fork())
			be_client(i);
	for (int i = 0; i <= clients; i++) {
		if (wait(&status) < 0)
			give_up("wait");
		worst = status ? status : worst;
	}
	uint64_t out = 0, in = 0;
	for (int i = 0; i < clients; i++) {
		printf("client %d sent %llu received %llu\n", i, (unsigned long long)counts[i].sent,
			(unsigned long long)counts[i].received);
		out += counts[i].sent;
		in += counts[i].received;
	}
	printf("server sent %llu received %llu\n", (unsigned long long)counts[clients].sent,
		(unsigned long long)counts[clients].received);
	return worst || out != counts[clients].received || in != counts[clients].sent;
}
