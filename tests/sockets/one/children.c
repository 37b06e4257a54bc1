/* children HOW N: makes N processes, one after the other, which end at once; a handler of SIGCHLD waits for them. Each ends with 0 if it has the signals blocked that it is to have.
 *
 * HOW: fork, clone, vfork; exec, by vfork; spawn, with attributes that say nothing of signals, or all, or without any */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static volatile sig_atomic_t ended, wrong;

static void on_child(int signal)
{
	int e = errno, status;
	(void)signal;
	while (waitpid(-1, &status, WNOHANG) > 0) {
		ended++;
		wrong += status != 0;
	}
	errno = e;
}

/* Whether this one, and no other signal, is blocked. */
static int blocked(int signal)
{
	sigset_t now;
	sigprocmask(SIG_BLOCK, NULL, &now);
	for (int i = 1; i < 32; i++)
		if (sigismember(&now, i) != (i == signal))
			return 0;
	return 1;
}

static int cloned(void *user)
{
	(void)user;
	_exit(!blocked(SIGUSR2));
}

static int spawn(char *self, int i)
{
	char signal[8], *words[] = {self, "blocked", signal, NULL};
	posix_spawnattr_t attributes;
	sigset_t other;
	pid_t child;
	posix_spawnattr_init(&attributes);
	sigemptyset(&other);
	sigaddset(&other, SIGUSR1);
	posix_spawnattr_setsigmask(&attributes, &other);
	posix_spawnattr_setflags(&attributes, i % 3 == 1 ? POSIX_SPAWN_SETSIGMASK : POSIX_SPAWN_SETPGROUP);
	snprintf(signal, sizeof signal, "%d", i % 3 == 1 ? SIGUSR1 : SIGUSR2);
	return posix_spawn(&child, self, NULL, i % 3 ? &attributes : NULL, words, environ) ? -1 : (int)child;
}

static int make(const char *how, char *self, int i)
{
	static char stack[1 << 16] __attribute__((aligned(16)));
	char signal[8];
	snprintf(signal, sizeof signal, "%d", SIGUSR2);
	if (!strcmp(how, "spawn"))
		return spawn(self, i);
	if (!strcmp(how, "clone"))
		return clone(cloned, stack + sizeof stack, SIGCHLD, NULL);
	pid_t child = *how == 'f' ? fork() : vfork();
	if (!child && !strcmp(how, "exec"))
		execl(self, self, "blocked", signal, NULL);
	if (!child)
		_exit(!blocked(SIGUSR2));
	return child;
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = on_child, .sa_flags = SA_RESTART};
	sigset_t wait, own;
	if (argc != 3)
		return 2;
	if (!strcmp(argv[1], "blocked"))
		return !blocked(atoi(argv[2]));
	sigemptyset(&own);
	sigaddset(&own, SIGUSR2);
	sigprocmask(SIG_SETMASK, &own, NULL);
	sigaction(SIGCHLD, &action, NULL);
	for (int i = 0; i < atoi(argv[2]); i++) {
		if (make(argv[1], argv[0], i) < 0)
			return 1;
		sigemptyset(&wait);
		sigaddset(&wait, SIGCHLD);
		sigprocmask(SIG_BLOCK, &wait, NULL);
		while (ended <= i)
			sigsuspend(&own);
		sigprocmask(SIG_UNBLOCK, &wait, NULL);
	}
	printf("%d ended, %d wrong, %s\n", (int)ended, (int)wrong, blocked(SIGUSR2) ? "as before" : "changed");
	return 0;
}
