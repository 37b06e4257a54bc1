/* Calls by which programs talk, one kind at a time, within one process.
 *
 * usage: calls OPERATION BATCHES TURNS | calls flow MESSAGES
 * Prints the nanoseconds of one call, as percentiles over batches of so many turns; a turn has several calls. Whatever is counted is inside of
 * turns(), for callgrind --toggle-collect=turns. A flow goes to another process as fast as it can: how many messages a second. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../programs/bench.h"

#define BYTES 64
#define MANY 256

static char bytes[BYTES], back[BYTES];
static int a[MANY], b[MANY], npairs, epoll, file_in, file_out, listener;
static struct sockaddr_in address, other;

static void must(int good, const char *what)
{
	if (!good) {
		fprintf(stderr, "calls: %s: %s\n", what, strerror(errno));
		exit(1);
	}
}

static struct sockaddr_in bound(int fd)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t n = sizeof at;
	must(!bind(fd, (struct sockaddr *)&at, sizeof at), "bind");
	must(!getsockname(fd, (struct sockaddr *)&at, &n), "getsockname");
	return at;
}

static void make_pairs(int type, int n)
{
	for (npairs = 0; npairs < n; npairs++) {
		int ends[2];
		must(!(type ? socketpair(AF_UNIX, type, 0, ends) : pipe(ends)), "socketpair");
		a[npairs] = ends[1];
		b[npairs] = ends[0];
	}
}

static void make_unix(void) { make_pairs(SOCK_STREAM, 1); }
static void make_pipe(void) { make_pairs(0, 1); }
static void make_many(void) { make_pairs(SOCK_STREAM, MANY); }

static void make_udp(void)
{
	a[0] = socket(AF_INET, SOCK_DGRAM, 0);
	b[0] = socket(AF_INET, SOCK_DGRAM, 0);
	other = bound(a[0]);
	address = bound(b[0]);
	npairs = 1;
}

static void make_listener(void)
{
	listener = socket(AF_INET, SOCK_STREAM, 0);
	address = bound(listener);
	must(!listen(listener, 16), "listen");
}

static void make_tcp(void)
{
	make_listener();
	a[0] = socket(AF_INET, SOCK_STREAM, 0);
	must(!connect(a[0], (struct sockaddr *)&address, sizeof address), "connect");
	b[0] = accept(listener, NULL, NULL);
	npairs = 1;
}

static void make_ready(void)
{
	make_pairs(SOCK_STREAM, 16);
	epoll = epoll_create1(0);
	for (int i = 0; i < npairs; i++) {
		struct epoll_event e = {.events = EPOLLIN, .data.fd = b[i]};
		must(!epoll_ctl(epoll, EPOLL_CTL_ADD, b[i], &e), "epoll_ctl");
	}
	must(send(a[7], bytes, 1, 0) == 1, "send");
}

static void make_files(void)
{
	file_in = open("/dev/zero", O_RDONLY);
	file_out = open("/dev/null", O_WRONLY);
	must(read(file_in, back, 1) == 1 && write(file_out, back, 1) == 1, "files");
}

/* ---- turns ---- */

static void turn_pairs(long i)
{
	int k = (int)(i % npairs);
	must(send(a[k], bytes, BYTES, 0) == BYTES, "send");
	must(recv(b[k], back, BYTES, 0) == BYTES, "recv");
}

static void turn_write(long i)
{
	(void)i;
	must(write(a[0], bytes, BYTES) == BYTES, "write");
	must(read(b[0], back, BYTES) == BYTES, "read");
}

static void turn_message(long i)
{
	struct iovec v = {bytes, BYTES}, w = {back, BYTES};
	struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1}, n = {.msg_iov = &w, .msg_iovlen = 1};
	(void)i;
	must(sendmsg(a[0], &m, 0) == BYTES, "sendmsg");
	must(recvmsg(b[0], &n, 0) == BYTES, "recvmsg");
}

static void turn_udp(long i)
{
	struct sockaddr_in from;
	socklen_t n = sizeof from;
	memcpy(bytes, &i, sizeof i); /* no two are alike */
	must(sendto(a[0], bytes, BYTES, 0, (struct sockaddr *)&address, sizeof address) == BYTES, "sendto");
	must(recvfrom(b[0], back, BYTES, 0, (struct sockaddr *)&from, &n) == BYTES, "recvfrom");
}

static void turn_mmsg(long i)
{
	static struct iovec v[16];
	static struct mmsghdr m[16];
	memcpy(bytes, &i, sizeof i);
	for (int k = 0; k < 16; k++) {
		v[k] = (struct iovec){bytes, BYTES};
		m[k].msg_hdr = (struct msghdr){
			.msg_name = &address, .msg_namelen = sizeof address, .msg_iov = &v[k], .msg_iovlen = 1};
	}
	must(sendmmsg(a[0], m, 16, 0) == 16, "sendmmsg");
	for (int k = 0; k < 16; k++) {
		v[k] = (struct iovec){back, BYTES};
		m[k].msg_hdr = (struct msghdr){
			.msg_name = &other, .msg_namelen = sizeof other, .msg_iov = &v[k], .msg_iovlen = 1};
	}
	must(recvmmsg(b[0], m, 16, 0, NULL) == 16, "recvmmsg");
}

static void turn_poll(long i)
{
	struct pollfd p[16];
	(void)i;
	for (int k = 0; k < 16; k++)
		p[k] = (struct pollfd){b[k], POLLIN, 0};
	must(poll(p, 16, -1) == 1, "poll");
}

static void turn_poll_no(long i)
{
	struct pollfd p = {b[0], POLLIN, 0};
	(void)i;
	must(!poll(&p, 1, 0), "poll");
}

static void turn_recv_no(long i)
{
	(void)i;
	must(recv(b[0], back, BYTES, MSG_DONTWAIT) < 0 && errno == EAGAIN, "recv");
}

static void turn_select(long i)
{
	fd_set in;
	(void)i;
	FD_ZERO(&in);
	for (int k = 0; k < 16; k++)
		FD_SET(b[k], &in);
	must(select(b[15] + 1, &in, NULL, NULL, NULL) == 1, "select");
}

static void turn_epoll(long i)
{
	struct epoll_event e[16];
	(void)i;
	must(epoll_wait(epoll, e, 16, -1) == 1, "epoll_wait");
}

static void turn_epoll_ctl(long i)
{
	struct epoll_event e = {.events = i & 1 ? EPOLLIN : EPOLLIN | EPOLLOUT, .data.fd = b[0]};
	must(!epoll_ctl(epoll, EPOLL_CTL_MOD, b[0], &e), "epoll_ctl");
}

/* By connections: connect, accept and two closes are recorded, socket is not. The client's end is reset, or ports would be used up. */
static void turn_connect(long i)
{
	struct linger now = {1, 0};
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	(void)i;
	must(!setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now), "setsockopt");
	must(!connect(fd, (struct sockaddr *)&address, sizeof address), "connect");
	int at = accept(listener, NULL, NULL);
	must(at >= 0, "accept");
	close(fd);
	close(at);
}

static void turn_files(long i)
{
	(void)i;
	must(read(file_in, back, 1) == 1, "read");
	must(write(file_out, back, 1) == 1, "write");
}

static void turn_open(long i)
{
	(void)i;
	int fd = open("/dev/null", O_RDONLY);
	must(fd >= 0 && !close(fd), "open");
}

static const struct operation {
	const char *name;
	void (*make)(void);
	void (*turn)(long);
	int calls; /* of a turn */
} operations[] = {
	{"unix", make_unix, turn_pairs, 2},
	{"unix-256", make_many, turn_pairs, 2},
	{"unix-msg", make_unix, turn_message, 2},
	{"tcp", make_tcp, turn_pairs, 2},
	{"udp", make_udp, turn_udp, 2},
	{"udp-mmsg", make_udp, turn_mmsg, 32},
	{"pipe", make_pipe, turn_write, 2},
	{"recv-no", make_unix, turn_recv_no, 1},
	{"poll", make_ready, turn_poll, 1},
	{"poll-no", make_unix, turn_poll_no, 1},
	{"select", make_ready, turn_select, 1},
	{"epoll", make_ready, turn_epoll, 1},
	{"epoll-ctl", make_ready, turn_epoll_ctl, 1},
	{"connect", make_listener, turn_connect, 4},
	{"files", make_files, turn_files, 2},
	{"open", make_files, turn_open, 2},
};

__attribute__((noinline)) void turns(const struct operation *o, long n);
void turns(const struct operation *o, long n)
{
	for (long i = 0; i < n; i++)
		o->turn(i);
}

static int flow(long n)
{
	make_pairs(0, 1);
	pid_t child = fork();
	must(child >= 0, "fork");
	if (!child) {
		close(a[0]);
		while (read(b[0], back, BYTES) > 0)
			continue;
		_exit(0);
	}
	close(b[0]);
	double began = now_ns();
	for (long i = 0; i < n; i++)
		must(write(a[0], bytes, BYTES) == BYTES, "write");
	close(a[0]);
	must(waitpid(child, NULL, 0) == child, "waitpid");
	report("flow", (double)n / (now_ns() - began) * 1e9, "messages/s");
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "flow"))
		return flow(argument(argc, argv, 2, 1000000));
	long batches = argument(argc, argv, 2, 100), n = argument(argc, argv, 3, 500);
	double *sample = malloc((size_t)batches * sizeof *sample);
	for (size_t i = 0; argc > 1 && i < sizeof operations / sizeof *operations; i++) {
		const struct operation *o = &operations[i];
		if (strcmp(o->name, argv[1]))
			continue;
		o->make();
		for (long k = 0; k < 3 * MANY; k++) /* what happens once for each end is not of it */
			o->turn(k);
		for (long k = 0; k < batches; k++) {
			double began = now_ns();
			turns(o, n);
			sample[k] = (now_ns() - began) / (double)n / o->calls;
		}
		report_percentiles(o->name, sample, (int)batches, "ns");
		return 0;
	}
	fprintf(stderr, "usage: calls OPERATION BATCHES TURNS; operations and their calls, or messages, in a turn:\n");
	for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
		fprintf(stderr, "%s %d\n", operations[i].name, operations[i].calls);
	return 2;
}
