/* The names that a program calls which is compiled with fortified functions: __read_chk, __recv_chk, __recvfrom_chk, __poll_chk, __ppoll_chk, __fdelt_chk.
 *
 *   gcc -O2 -g -D_FORTIFY_SOURCE=2 fortify.c -o fortify
 *   fortify [ROUNDS]
 *
 * Lengths are known only when it runs, and the sizes of buffers to the compiler: else it would call the functions themselves. */
#include "carry.h"

#include <poll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/wait.h>

enum { LENGTH = 200 };

static size_t want(int argc) { return (size_t)argc * LENGTH / (size_t)argc; }

static void be_child(int fd, int rounds)
{
	carry_as(2);
	struct carry c = carry_begin();
	unsigned char bytes[LENGTH];
	for (int i = 0; i < rounds; i++) {
		uint64_t at = carry_block(&c, bytes, LENGTH);
		if (send(fd, bytes, LENGTH, MSG_NOSIGNAL) != LENGTH)
			give_up("send");
		told_out(STREAM, &c, at, LENGTH);
	}
	truth_flush();
	_exit(0);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 12, ends[2], status;
	unsigned char bytes[LENGTH];
	struct pollfd set[4];
	carry_as(1);
	struct way w = way_begin();
	ssize_t got = 1;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		give_up("socketpair");
	if (!fork())
		be_child(ends[1], rounds);
	close(ends[1]);
	for (int i = 0; got > 0; i++) {
		fd_set readable;
		FD_ZERO(&readable);
		FD_SET(ends[0], &readable);
		set[0] = (struct pollfd){ends[0], POLLIN, 0};
		int ready = i % 3 == 0   ? poll(set, (nfds_t)want(argc) / LENGTH, -1)
			    : i % 3 == 1 ? ppoll(set, (nfds_t)want(argc) / LENGTH, NULL, NULL)
					 : select(ends[0] + 1, &readable, NULL, NULL, NULL);
		if (ready != 1)
			give_up("ready");
		got = i % 3 == 0   ? read(ends[0], bytes, want(argc))
		      : i % 3 == 1 ? recv(ends[0], bytes, want(argc), 0)
				   : recvfrom(ends[0], bytes, want(argc), 0, NULL, NULL);
		told_in(STREAM, &w, bytes, got);
	}
	way_ends(&w);
	wait(&status);
	printf("%llu bytes\n", (unsigned long long)w.at);
	return status ? 1 : 0;
}
