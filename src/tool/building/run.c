/* The compiler is started as if we were not there. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "building.h"

static volatile pid_t child;

/* make tells us alone that it is over; who types it tells the compiler, too. */
static void hand_on(int sig)
{
	if (child > 0)
		kill(child, sig);
}

static void on_signals(void (*handler)(int))
{
	static const int list[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, was;
	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		if (!sigaction(list[i], NULL, &was) && was.sa_handler != SIG_IGN)
			sigaction(list[i], &action, NULL);
}

static _Noreturn void become(char *const *words, const char *output, int report)
{
	on_signals(SIG_DFL);
	int fd = output ? open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
	if (output && (fd < 0 || dup2(fd, 1) < 0 || dup2(fd, 2) < 0))
		_exit(126);
	execvp(words[0], words);
	int code = errno;
	if (write(report, &code, sizeof code) < 0)
		_exit(127);
	_exit(code == ENOENT ? 127 : 126);
}

int hb__build_run(char *const *words, const char *output, int *ret_error)
{
	int report[2], status = 0;
	*ret_error = 0;
	fflush(stdout);
	if (pipe2(report, O_CLOEXEC)) {
		*ret_error = errno;
		return 126;
	}
	on_signals(hand_on);
	child = fork();
	if (!child)
		become(words, output, report[1]);
	close(report[1]);
	if (child < 0 || read(report[0], ret_error, sizeof *ret_error) < 0)
		*ret_error = errno;
	close(report[0]);
	if (child < 0)
		return 126;
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	child = 0;
	on_signals(SIG_DFL);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
