/* What the programs of this folder share: they count their calls, and what they print at their end says how many events a record of them has. */
#ifndef HARD_H
#define HARD_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define NAMES 32

struct counter {
	char name[24];
	long n;
};
static struct counter *counters; /* of this process and all that come from it */

static inline void must(bool good, const char *what)
{
	if (!good) {
		fprintf(stderr, "%s: %s\n", what, strerror(errno));
		_exit(4);
	}
}

/* The name is a literal: the same in every process. */
static inline void did(const char *name)
{
	int error = errno;
	for (int i = 0; i < NAMES; i++) {
		char *own = counters[i].name;
		if (!*own)
			snprintf(own, sizeof counters->name, "%s", name);
		if (!strcmp(own, name)) {
			__atomic_add_fetch(&counters[i].n, 1, __ATOMIC_RELAXED);
			break;
		}
	}
	errno = error;
}

/* A call of which a record has an event, unless it would have blocked. */
#define CALL(name, ...)                                                 \
	__extension__({                                                 \
		__typeof__(name(__VA_ARGS__)) got_ = name(__VA_ARGS__); \
		if (got_ >= 0 || errno != EAGAIN)                       \
			did(#name);                                     \
		got_;                                                   \
	})

/* Names that several threads count stand there before. */
static inline void begin_counting(void)
{
	counters = mmap(NULL, sizeof *counters * NAMES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	must(counters != MAP_FAILED, "mmap");
}

static inline void name_counters(const char *const names[])
{
	for (int i = 0; names[i]; i++)
		snprintf(counters[i].name, sizeof counters->name, "%s", names[i]);
}

static inline void print_counters(void)
{
	for (int i = 0; i < NAMES && counters[i].name[0]; i++)
		printf("expect %s %ld\n", counters[i].name, counters[i].n);
}

static inline struct sockaddr_in loopback(int port)
{
	return (struct sockaddr_in){
		.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static inline struct sockaddr_in name_of(int fd)
{
	struct sockaddr_in at;
	socklen_t n = sizeof at;
	must(!getsockname(fd, (struct sockaddr *)&at, &n), "getsockname");
	return at;
}

/* A socket at a free port of the loopback. */
static inline int bound(int type)
{
	struct sockaddr_in at = loopback(0);
	int fd = socket(AF_INET, type, 0);
	must(fd >= 0 && !CALL(bind, fd, (struct sockaddr *)&at, sizeof at), "bind");
	return fd;
}

static inline int listening(int backlog)
{
	int fd = bound(SOCK_STREAM);
	must(!CALL(listen, fd, backlog), "listen");
	return fd;
}

/* A connection over TCP; ends[0] is the one that connected. */
static inline void tcp_pair(int ends[2])
{
	int at = listening(4);
	struct sockaddr_in to = name_of(at);
	ends[0] = socket(AF_INET, SOCK_STREAM, 0);
	must(!CALL(connect, ends[0], (struct sockaddr *)&to, sizeof to), "connect");
	ends[1] = CALL(accept, at, NULL, NULL);
	must(ends[1] >= 0, "accept");
	close(at);
}

static inline void udp_pair(int ends[2])
{
	for (int i = 0; i < 2; i++)
		ends[i] = bound(SOCK_DGRAM);
	for (int i = 0; i < 2; i++) {
		struct sockaddr_in to = name_of(ends[!i]);
		must(!CALL(connect, ends[i], (struct sockaddr *)&to, sizeof to), "connect");
	}
}

/* n messages there, each of which comes. */
static inline void talk(const int ends[2], int n)
{
	for (uint32_t i = 0; i < (uint32_t)n; i++) {
		uint32_t back = 0;
		must(CALL(send, ends[0], &i, sizeof i, 0) == sizeof i, "send");
		must(CALL(recv, ends[1], &back, sizeof back, 0) == sizeof back && back == i, "recv");
	}
}

static inline void wait_for(pid_t child)
{
	int status;
	must(child > 0 && waitpid(child, &status, 0) == child && !status, "a child");
}

struct mode {
	const char *name;
	void (*run)(void);
};

static inline int run_mode(int argc, char **argv, const struct mode *modes)
{
	begin_counting();
	for (int i = 0; argc > 1 && modes[i].name; i++)
		if (!strcmp(argv[1], modes[i].name)) {
			modes[i].run();
			print_counters();
			return 0;
		}
	for (int i = 0; modes[i].name; i++)
		fprintf(stderr, "%s\n", modes[i].name);
	return 2;
}

#endif
