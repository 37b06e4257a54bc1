/* Many connections, and processes that are killed.
 *
 * usage: crowd poll|epoll CONNECTIONS     all of them at once, each asks twice
 *        crowd churn CONNECTIONS          one after the other
 *        crowd flood MESSAGES             from one process to another
 *        crowd serve FILE                 a server of datagrams and its client, until they are killed: FILE has the process numbers of both,
 *                                         and how many calls of each have returned */
#include "hard.h"

#include <sys/epoll.h>
#include <sys/resource.h>

static int listener, count;

/* ---- all at once ---- */

static void client(void)
{
	struct sockaddr_in to = name_of(listener);
	int *fds = calloc((size_t)count, sizeof *fds);
	close(listener);
	for (int i = 0; i < count; i++) {
		fds[i] = socket(AF_INET, SOCK_STREAM, 0);
		must(fds[i] >= 0 && !CALL(connect, fds[i], (struct sockaddr *)&to, sizeof to), "connect");
	}
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < count; i++)
			must(CALL(send, fds[i], &i, sizeof i, 0) == sizeof i, "send");
		for (int i = 0, got = -1; i < count; i++)
			must(CALL(recv, fds[i], &got, sizeof got, 0) == sizeof got && got == i, "recv");
	}
	_exit(0); /* which closes all of them */
}

/* Returns whether the connection goes on. */
static bool answer(int fd)
{
	int got;
	ssize_t n = CALL(recv, fd, &got, sizeof got, 0);
	if (n <= 0) {
		close(fd);
		return false;
	}
	must(n == sizeof got && CALL(send, fd, &got, sizeof got, 0) == sizeof got, "send");
	return true;
}

static int take(void)
{
	int fd = CALL(accept, listener, NULL, NULL);
	must(fd >= 0, "accept");
	return fd;
}

static void serve_poll(void)
{
	struct pollfd *all = calloc((size_t)count + 1, sizeof *all);
	int n = 1, over = 0;
	all[0] = (struct pollfd){listener, POLLIN, 0};
	while (over < count) {
		must(CALL(poll, all, (nfds_t)n, -1) > 0, "poll");
		int ready = n;
		for (int i = 1; i < ready; i++)
			if (all[i].revents && !answer(all[i].fd)) {
				all[i].fd = -1;
				over++;
			}
		if (all[0].revents && n <= count)
			all[n++] = (struct pollfd){take(), POLLIN, 0};
	}
}

static void serve_epoll(void)
{
	struct epoll_event some[256], e = {.events = EPOLLIN, .data.fd = listener};
	int epoll = epoll_create1(0), over = 0;
	must(!epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &e), "epoll_ctl");
	while (over < count) {
		int n = CALL(epoll_wait, epoll, some, 256, -1);
		must(n > 0, "epoll_wait");
		for (int i = 0; i < n; i++) {
			if (some[i].data.fd != listener) {
				over += !answer(some[i].data.fd);
				continue;
			}
			e.data.fd = take();
			must(!epoll_ctl(epoll, EPOLL_CTL_ADD, e.data.fd, &e), "epoll_ctl");
		}
	}
}

static void at_once(void (*serve)(void))
{
	static const char *const names[] = {"recv", "send", "accept", "connect", NULL};
	struct rlimit files;
	must(!getrlimit(RLIMIT_NOFILE, &files), "getrlimit");
	files.rlim_cur = files.rlim_max;
	must(!setrlimit(RLIMIT_NOFILE, &files), "setrlimit");
	name_counters(names);
	listener = listening(4096);
	pid_t child = fork();
	if (!child)
		client();
	serve();
	wait_for(child);
}

/* ---- one after the other ---- */

static void churn(void)
{
	struct linger now = {1, 0}; /* or the ports would be used up */
	listener = listening(16);
	struct sockaddr_in to = name_of(listener);
	for (int i = 0, got; i < count; i++) {
		int ends[2] = {socket(AF_INET, SOCK_STREAM, 0), -1};
		must(!setsockopt(ends[0], SOL_SOCKET, SO_LINGER, &now, sizeof now), "SO_LINGER");
		must(!CALL(connect, ends[0], (struct sockaddr *)&to, sizeof to), "connect");
		ends[1] = take();
		must(CALL(send, ends[0], &i, sizeof i, 0) == sizeof i, "send");
		must(CALL(recv, ends[1], &got, sizeof got, 0) == sizeof got && got == i, "recv");
		must(!CALL(close, ends[0]) && !CALL(close, ends[1]), "close");
	}
}

static void flood(void)
{
	int ends[2];
	must(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends), "socketpair");
	pid_t child = fork();
	if (!child) {
		for (int i = 0; i < count; i++)
			must(CALL(send, ends[0], &i, sizeof i, 0) == sizeof i, "send");
		_exit(0);
	}
	for (int i = 0, got; i < count; i++)
		must(CALL(recv, ends[1], &got, sizeof got, MSG_WAITALL) == sizeof got && got == i, "recv");
	wait_for(child);
}

/* ---- until they are killed ---- */

struct seen {
	pid_t pid;
	long out, in; /* calls that have returned */
};

static void ask_and_answer(struct seen *s, int fd, bool asks)
{
	uint32_t serial = 0;
	s->pid = getpid();
	if (asks && send(fd, &serial, sizeof serial, 0) > 0)
		s->out++;
	for (;;) {
		if (recv(fd, &serial, sizeof serial, 0) != sizeof serial)
			continue; /* the other one is gone: what came of that is an event, too */
		__atomic_store_n(&s->in, s->in + 1, __ATOMIC_RELEASE);
		serial++;
		if (send(fd, &serial, sizeof serial, 0) == sizeof serial)
			__atomic_store_n(&s->out, s->out + 1, __ATOMIC_RELEASE);
	}
}

static void until_killed(const char *path)
{
	int ends[2], fd = open(path, O_RDWR | O_CREAT, 0644);
	must(fd >= 0 && !ftruncate(fd, 4096), path);
	struct seen *seen = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	must(seen != MAP_FAILED, "mmap");
	close(fd);
	udp_pair(ends);
	pid_t child = fork();
	must(child >= 0, "fork");
	if (!child) {
		pid_t other = fork();
		if (!other)
			ask_and_answer(&seen[0], ends[0], true);
		ask_and_answer(&seen[1], ends[1], false);
	}
	while (wait(NULL) > 0)
		continue;
}

static void with_poll(void) { at_once(serve_poll); }
static void with_epoll(void) { at_once(serve_epoll); }

int main(int argc, char **argv)
{
	static const struct mode modes[] = {
		{"poll", with_poll}, {"epoll", with_epoll}, {"churn", churn}, {"flood", flood}, {NULL, NULL}};
	if (argc < 3)
		return run_mode(1, argv, modes);
	if (!strcmp(argv[1], "serve")) {
		until_killed(argv[2]);
		return 0;
	}
	count = atoi(argv[2]);
	return run_mode(argc, argv, modes);
}
