/* Handlers of signals that make calls themselves, a descriptor that is asked about twice, and messages between two other users. */
#include "hard.h"

static volatile sig_atomic_t ended;

/* As servers do: whoever has ended, until nobody is left. */
static void reap(int signal)
{
	int error = errno;
	pid_t pid;
	(void)signal;
	while ((pid = waitpid(-1, NULL, WNOHANG)) > 0) {
		did("waitpid");
		ended++;
	}
	if (pid < 0)
		did("waitpid");
	errno = error;
}

/* The signal comes while messages are waited for: what its handler calls stands before the call that it ends. */
static void children(void)
{
	int ends[2];
	sigset_t child, before;
	udp_pair(ends);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, &before);
	sigaction(SIGCHLD, &(struct sigaction){.sa_handler = reap}, NULL);
	for (int i = 0; i < 5; i++) {
		struct pollfd p = {.fd = ends[1], .events = POLLIN};
		pid_t pid = fork();
		if (!pid)
			_exit(0);
		did("fork");
		while (!ended)
			must(CALL(ppoll, &p, 1, NULL, &before) < 0 && errno == EINTR, "ppoll");
		ended = 0;
		talk(ends, 2);
	}
	signal(SIGCHLD, SIG_DFL);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

static void await(pid_t pid)
{
	wait_for(pid);
	did("waitpid");
}

static void of_child(void)
{
	int ends[2];
	udp_pair(ends);
	pid_t pid = fork();
	if (!pid) {
		talk(ends, 3);
		children();
		_exit(0);
	}
	did("fork");
	await(pid);
}

static void twice(void)
{
	int ends[2];
	udp_pair(ends);
	for (int i = 0; i < 3; i++) {
		struct pollfd p[2] = {{.fd = ends[0], .events = POLLIN}, {.fd = ends[0], .events = POLLOUT}};
		must(CALL(poll, p, 2, -1) == 1 && !p[0].revents && p[1].revents == POLLOUT, "poll");
		talk(ends, 1);
	}
}

static pid_t as_user(unsigned user, int fd, bool sends)
{
	char byte = 1;
	pid_t pid = fork();
	if (!pid) {
		must(!setgid(user) && !setuid(user), "setuid");
		must((sends ? CALL(send, fd, &byte, 1, 0) : CALL(recv, fd, &byte, 1, 0)) == 1, "a message");
		_exit(0);
	}
	did("fork");
	return pid;
}

static void users(void)
{
	int ends[2];
	udp_pair(ends);
	pid_t sender = as_user(65534, ends[0], true), receiver = as_user(65533, ends[1], false);
	await(sender);
	await(receiver);
}

int main(int argc, char **argv)
{
	static const struct mode modes[] = {
		{"children", children}, {"of_child", of_child}, {"twice", twice}, {"users", users}, {NULL, NULL}};
	return run_mode(argc, argv, modes);
}
