/* The terminal: fences around what is printed, colour, and a pager for what is long. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "show/inert.h"
#include "terminal.h"

static bool terminal[3];
static const char *colour_wanted = "auto";
static FILE *bare;
static pid_t pager;
static bool pager_wanted = true;

/* A descriptor that was closed would be that of the next file or connection, and what is printed go there. What we begin finds it closed. */
static void fill_in(void)
{
	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
			open("/dev/null", (fd ? O_RDONLY : O_WRONLY) | O_CLOEXEC) < 0)
			return;
}

void hb__terminal_begin(void)
{
	fill_in();
	for (int fd = 0; fd < 3; fd++)
		terminal[fd] = isatty(fd);
	bare = stdout;
	FILE *out = hb__fenced(1), *err = hb__fenced(2);
	stdout = out ? out : stdout;
	stderr = err ? err : stderr;
}

int hb__terminal_end(int code)
{
	fflush(stdout);
	int error = hb__fence_error(1);
	/* who reads no further knows it; what is damaged was said by the command */
	if (!error || error == EPIPE || code == HB_EXIT_RECORDING)
		return code;
	return hb__fail_with(HB_EXIT_RECORDING, "cannot write the output: %s", strerror(error));
}

FILE *hb__bare_stdout(void) { return bare ? bare : stdout; }

bool hb__on_terminal(int fd) { return fd >= 0 && fd < 3 && terminal[fd]; }

void hb__want_colour(const char *when) { colour_wanted = when; }

bool hb__colour(int fd)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
	if (fd != 1 && fd != 2)
		return false;
	if (strcmp(colour_wanted, "auto") != 0)
		return !strcmp(colour_wanted, "always");
	return terminal[fd] && !(no && *no) && !(term && !strcmp(term, "dumb"));
}

void hb__want_pager(bool wanted) { pager_wanted = wanted; }

/* ---- the pager ---- */

/* Lets the pager show what it has got, and waits until the user leaves it. */
static void wait_for_pager(void)
{
	if (!pager)
		return;
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (null < 0 || dup2(null, 1) < 0)
		close(1);
	while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
		;
	pager = 0;
}

static void end_pager(void)
{
	fflush(stdout);
	wait_for_pager();
}

static void on_signal(int sig)
{
	wait_for_pager();
	_exit(128 + sig);
}

static bool in_path(const char *name)
{
	const char *path = getenv("PATH");
	for (const char *p = path ? path : ""; *p; p += strspn(p, ":")) {
		size_t n = strcspn(p, ":");
		char *file = hb__format("%.*s/%s", (int)n, p, name);
		bool there = !access(file, X_OK);
		free(file);
		if (there)
			return true;
		p += n;
	}
	return false;
}

/* What to show pages with; NULL: nothing. An empty HBDB_PAGER or "cat" turns it off. */
static const char *pager_command(void)
{
	const char *own = getenv("HBDB_PAGER"), *all = getenv("PAGER"), *term = getenv("TERM");
	const char *command = own ? own : all && *all ? all : in_path("less") ? "less" : "";
	return !*command || !strcmp(command, "cat") || !term || !strcmp(term, "dumb") ? NULL : command;
}

void hb__page(void)
{
	const char *command = pager_command();
	int ends[2];
	if (pager || !pager_wanted || !terminal[1] || !terminal[0] || !command || pipe2(ends, O_CLOEXEC))
		return;
	fflush(NULL);
	pid_t pid = fork();
	if (!pid) {
		dup2(ends[0], 0);
		setenv("LESS", "FRX", 0); /* what fits on the screen just stays there */
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	if (pid > 0 && dup2(ends[1], 1) == 1) {
		pager = pid;
		setvbuf(stdout, NULL, _IOFBF, BUFSIZ);
		atexit(end_pager);
		signal(SIGINT, on_signal);
		signal(SIGTERM, on_signal);
		signal(SIGHUP, on_signal);
		signal(SIGPIPE, SIG_IGN);
	}
	close(ends[0]);
	close(ends[1]);
}
