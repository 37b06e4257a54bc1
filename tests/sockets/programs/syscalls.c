/* Two processes that talk by nothing but syscall(), as libuv and others do.
 *
 *   gcc -O2 -g syscalls.c -o syscalls
 *   syscalls [ROUNDS]
 *
 * The child connects by TCP and sends datagrams from a socket of its own; each round uses another pair of calls. Prints what came. */
#include "carry.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>

enum { LENGTH = 300, WAYS = 6 };

static long checked(long result, const char *what)
{
	if (result < 0)
		give_up(what);
	return result;
}

#define CALL(name, ...) checked(syscall(SYS_##name, __VA_ARGS__), #name)

static struct sockaddr_in bound(int fd)
{
	struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t size = sizeof own;
	CALL(bind, fd, &own, size);
	CALL(getsockname, fd, &own, &size);
	return own;
}

static void put(int fd, struct carry *c, int way)
{
	unsigned char bytes[LENGTH];
	uint64_t at = carry_block(c, bytes, LENGTH);
	struct iovec parts[] = {{bytes, 100}, {bytes + 100, LENGTH - 100}};
	struct mmsghdr head = {.msg_hdr = {.msg_iov = parts, .msg_iovlen = 2}};
	int ends[2];
	switch (way) {
	case 0:
		CALL(write, fd, bytes, LENGTH);
		break;
	case 1:
		CALL(writev, fd, parts, 2);
		break;
	case 2:
		CALL(sendto, fd, bytes, LENGTH, 0, NULL, 0);
		break;
	case 3:
		CALL(sendmsg, fd, &head.msg_hdr, 0);
		break;
	case 4:
		CALL(sendmmsg, fd, &head, 1, 0);
		break;
	default:
		/* Through a pipe: the bytes in it are a channel of their own. */
		CALL(pipe2, ends, 0);
		CALL(write, ends[1], bytes, LENGTH);
		struct carry in_pipe = carry_begin();
		told_out(STREAM, &in_pipe, 0, LENGTH);
		CALL(splice, ends[0], NULL, fd, NULL, LENGTH, 0);
		truth_line("in", STREAM, LENGTH, in_pipe.who, in_pipe.number, 0);
		struct header now = {.who = in_pipe.who, .number = in_pipe.number};
		truth_is(&(struct way){.who = in_pipe.who, .number = in_pipe.number, .now = now}, 0, LENGTH, 0);
		CALL(close, ends[0]);
		CALL(close, ends[1]);
	}
	told_out(STREAM, c, at, LENGTH);
}

static ssize_t get(int fd, void *bytes, int way)
{
	struct iovec parts[] = {{bytes, 50}, {(char *)bytes + 50, LENGTH - 50}};
	struct mmsghdr head = {.msg_hdr = {.msg_iov = parts, .msg_iovlen = 2}};
	switch (way) {
	case 0:
		return CALL(read, fd, bytes, LENGTH);
	case 1:
		return CALL(readv, fd, parts, 2);
	case 2:
		return CALL(recvfrom, fd, bytes, LENGTH, 0, NULL, NULL);
	case 3:
		return CALL(recvmsg, fd, &head.msg_hdr, 0);
	default:
		CALL(recvmmsg, fd, &head, 1, 0, NULL);
		return head.msg_len;
	}
}

static void await_readable(int fd, int way)
{
	struct pollfd one = {fd, POLLIN, 0};
	fd_set set;
	struct epoll_event event = {.events = EPOLLIN};
	switch (way) {
#ifdef SYS_poll
	case 0:
		CALL(poll, &one, 1, -1);
		break;
#endif
	case 1:
		CALL(ppoll, &one, 1, NULL, NULL, 8);
		break;
	case 2:
		FD_ZERO(&set);
		FD_SET(fd, &set);
		CALL(pselect6, fd + 1, &set, NULL, NULL, NULL, NULL);
		break;
	default:;
		int epoll = (int)CALL(epoll_create1, 0);
		CALL(epoll_ctl, epoll, EPOLL_CTL_ADD, fd, &event);
		CALL(epoll_pwait, epoll, &event, 1, -1, NULL, 8);
		CALL(close, epoll);
	}
}

static void be_client(const struct sockaddr_in *server, const struct sockaddr_in *inbox, int rounds)
{
	int fd = (int)CALL(socket, AF_INET, SOCK_STREAM, 0), datagrams = (int)CALL(socket, AF_INET, SOCK_DGRAM, 0);
	carry_as(2);
	struct carry c = carry_begin(), d = carry_begin();
	unsigned char bytes[LENGTH];
	CALL(connect, fd, server, sizeof *server);
	for (int i = 0; i < rounds; i++) {
		put(fd, &c, i % WAYS);
		uint64_t at = carry_block(&d, bytes, LENGTH);
		CALL(sendto, datagrams, bytes, LENGTH, 0, inbox, sizeof *inbox);
		told_out(DATAGRAM, &d, at, LENGTH);
	}
	CALL(shutdown, fd, SHUT_WR);
	CALL(close, fd);
	truth_flush();
	syscall(SYS_exit_group, 0);
}

static pid_t make_child(void)
{
#ifdef SYS_fork
	return (pid_t)CALL(fork, 0);
#else
	return (pid_t)CALL(clone, 17 /* SIGCHLD */, 0, 0, 0, 0);
#endif
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 12, status = 0;
	int listening = (int)CALL(socket, AF_INET, SOCK_STREAM, 0), inbox = (int)CALL(socket, AF_INET, SOCK_DGRAM, 0);
	struct sockaddr_in server = bound(listening), box = bound(inbox);
	CALL(listen, listening, 5);
	pid_t child = make_child();
	if (!child)
		be_client(&server, &box, rounds);
	int fd = (int)CALL(accept4, listening, NULL, NULL, SOCK_CLOEXEC);
	CALL(dup3, fd, 77, O_CLOEXEC);
	CALL(close, fd);
	unsigned char bytes[LENGTH];
	carry_as(1);
	struct way w = way_begin(), from = way_begin();
	ssize_t got;
	for (int i = 0;; i++) {
		await_readable(77, i % 4);
		if ((got = get(77, bytes, i % 5)) <= 0)
			break;
		told_in(STREAM, &w, bytes, got);
	}
	way_ends(&w);
	for (int i = 0; i < rounds; i++)
		told_in(DATAGRAM, &from, bytes, get(inbox, bytes, i % 5));
	CALL(wait4, child, &status, 0, NULL);
	printf("%llu bytes in a stream, %llu in datagrams\n", (unsigned long long)w.at, (unsigned long long)from.at);
	return status ? 1 : 0;
}
