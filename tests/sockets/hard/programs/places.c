/* What programs do to their descriptors and to where they are, while they talk. usage: places MODE */
#include "hard.h"

#include <linux/close_range.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

enum { BEFORE = 2000, AFTER = 50 };

/* Talks in this process, in a new thread, and in a child. */
static void *in_a_thread(void *unused)
{
	int ends[2];
	(void)unused;
	udp_pair(ends);
	talk(ends, AFTER);
	close(ends[0]);
	close(ends[1]);
	return NULL;
}

static void everywhere(void)
{
	pthread_t thread;
	in_a_thread(NULL);
	must(!pthread_create(&thread, NULL, in_a_thread, NULL) && !pthread_join(thread, NULL), "a thread");
	pid_t child = fork();
	if (!child) {
		in_a_thread(NULL);
		_exit(0);
	}
	wait_for(child);
}

static void before(void)
{
	int ends[2];
	udp_pair(ends);
	talk(ends, BEFORE);
}

static void close_from(void)
{
	before();
	closefrom(3);
	everywhere();
}

static void range(void)
{
	before();
	must(!close_range(3, ~0u, 0), "close_range");
	everywhere();
}

static void raw_range(void)
{
	before();
	must(!syscall(SYS_close_range, 3, ~0u, 0), "close_range");
	everywhere();
}

static void loop(void)
{
	before();
	for (int fd = 3; fd < 1024; fd++)
		close(fd);
	everywhere();
}

static void dups(void)
{
	before();
	int null = open("/dev/null", O_RDWR);
	for (int fd = 3; fd < 256; fd++)
		if (fd != null)
			must(dup2(null, fd) == fd, "dup2");
	everywhere();
	closefrom(3);
	everywhere();
}

/* As daemons do. */
static void daemonish(void)
{
	before();
	pid_t child = fork();
	if (child) {
		wait_for(child);
		return;
	}
	setsid();
	umask(077);
	must(!chdir("/"), "chdir");
	closefrom(3);
	everywhere();
	_exit(0);
}

static void *talks(void *ends)
{
	talk(ends, AFTER);
	return NULL;
}

/* No descriptor is free. */
static void limit(void)
{
	int ends[2], last = -1, fd;
	pthread_t thread;
	struct rlimit few = {16, 16};
	udp_pair(ends);
	talk(ends, BEFORE);
	must(!setrlimit(RLIMIT_NOFILE, &few), "setrlimit");
	while ((fd = open("/dev/null", O_RDONLY)) >= 0)
		last = fd;
	must(errno == EMFILE && last >= 0, "open");
	talk(ends, AFTER);
	close(last); /* one is free again, and a thread is new */
	must(!pthread_create(&thread, NULL, talks, ends) && !pthread_join(thread, NULL), "a thread");
	talk(ends, AFTER);
}

/* Another root, another user. */
static void jail(void)
{
	char folder[] = "jail.XXXXXX";
	before();
	must(mkdtemp(folder) && !chmod(folder, 0755) && !chroot(folder) && !chdir("/"), "chroot");
	everywhere();
	must(!setgid(65534) && !setuid(65534), "setuid");
	everywhere();
}

/* Many threads at one socket. */
enum { THREADS = 64, EACH = 200 };
static int shared[2];

static void *at_one_socket(void *unused)
{
	(void)unused;
	for (int i = 0, got; i < EACH; i++) {
		must(CALL(send, shared[0], &i, sizeof i, 0) == sizeof i, "send");
		must(CALL(recv, shared[1], &got, sizeof got, 0) == sizeof got, "recv");
	}
	return NULL;
}

static void threads(void)
{
	pthread_t all[THREADS];
	static const char *const names[] = {"send", "recv", NULL};
	name_counters(names);
	must(!socketpair(AF_UNIX, SOCK_DGRAM, 0, shared), "socketpair");
	for (int i = 0; i < THREADS; i++)
		must(!pthread_create(&all[i], NULL, at_one_socket, NULL), "pthread_create");
	for (int i = 0; i < THREADS; i++)
		pthread_join(all[i], NULL);
}

int main(int argc, char **argv)
{
	static const struct mode modes[] = {{"close_from", close_from}, {"range", range}, {"raw_range", raw_range},
		{"loop", loop}, {"dups", dups}, {"daemonish", daemonish}, {"limit", limit}, {"jail", jail},
		{"threads", threads}, {NULL, NULL}};
	return run_mode(argc, argv, modes);
}
