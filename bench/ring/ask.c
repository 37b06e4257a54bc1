/* Asks servers of the memcached protocol, batch by batch, over connections that stay.
 *
 * usage: ask CONNECTIONS PORT...
 * Of each line of standard input, SERVER REQUESTS, it puts so many requests to the server with that number (from 0), sets and gets in turn. A
 * connection has one request at a time; all of them are sent, then all answers are read, that of the last connection first: so the client is woken
 * once, and how often a server is interrupted to wake it does not hang on how fast the server is. When all are answered it prints the nanoseconds that it took. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define SERVERS 16
#define MANY 256
#define VALUE 100

static void must(int good, const char *what)
{
	if (!good) {
		fprintf(stderr, "ask: %s: %s\n", what, strerror(errno));
		exit(1);
	}
}

static double now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int connected(int port)
{
	struct sockaddr_in at = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons((uint16_t)port)};
	int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;
	must(fd >= 0 && !connect(fd, (struct sockaddr *)&at, sizeof at), "connect");
	must(!setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on), "setsockopt");
	return fd;
}

/* The i-th request of a connection: what a get finds its set has stored. */
static void ask(int fd, long i)
{
	char text[64 + VALUE];
	static const char value[VALUE + 1] = {[0 ... VALUE - 1] = 'x'};
	int n = i % 2 ? snprintf(text, sizeof text, "get k%d-%ld\r\n", fd, i / 2 % 100)
		      : snprintf(text, sizeof text, "set k%d-%ld 0 0 %d\r\n%s\r\n", fd, i / 2 % 100, VALUE, value);
	must(send(fd, text, (size_t)n, 0) == n, "send");
}

static void hear(int fd, long i)
{
	static const char *const last[] = {"STORED\r\n", "END\r\n"};
	char text[256];
	size_t n = 0, end = strlen(last[i % 2]);
	while (n < end || memcmp(text + n - end, last[i % 2], end)) {
		ssize_t got = recv(fd, text + n, sizeof text - n, 0);
		must(got > 0, "recv");
		n += (size_t)got;
	}
	if (i % 2 && n < VALUE) {
		fprintf(stderr, "ask: a value is gone\n");
		exit(1);
	}
}

int main(int argc, char **argv)
{
	static int fd[SERVERS][MANY];
	static long asked[SERVERS];
	int connections = argc > 2 ? atoi(argv[1]) : 0, servers = argc - 2, server;
	long requests;
	if (connections < 1 || connections > MANY || servers > SERVERS) {
		fprintf(stderr, "usage: ask CONNECTIONS PORT...\n");
		return 2;
	}
	for (int s = 0; s < servers; s++)
		for (int k = 0; k < connections; k++)
			fd[s][k] = connected(atoi(argv[2 + s]));
	while (scanf("%d %ld", &server, &requests) == 2 && server >= 0 && server < servers) {
		double began = now_ns();
		for (long done = 0; done < requests; done += connections, asked[server]++) {
			for (int k = 0; k < connections; k++)
				ask(fd[server][k], asked[server]);
			for (int k = connections; k-- > 0;)
				hear(fd[server][k], asked[server]);
		}
		printf("%.0f\n", now_ns() - began);
		fflush(stdout);
	}
	return 0;
}
