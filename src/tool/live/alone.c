/* One process of a recording, alone: a child of ours runs it, forwards and backwards, for the gdb of the session. Both talk over a socket
 * in a folder that nobody else can enter. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/socket/door.h"
#include "parts.h"

#define COME_S 60 /* for gdb to come to the socket */

static volatile sig_atomic_t asked;
static void on_asked(int sig)
{
	(void)sig;
	asked = 1;
}

static bool was_asked(void)
{
	bool was = asked;
	asked = 0;
	return was;
}

/* What was said at our terminal is not for it, and it ends with us. */
static void settle(pid_t parent)
{
	static const int ours[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
	sigset_t none;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	setsid();
	for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
		signal(ours[i], ours[i] == SIGPIPE ? SIG_IGN : SIG_DFL);
	signal(SIGUSR1, on_asked);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void run_server(const hb_live *l, int door, pid_t parent)
{
	hb_service service = {.command = l->one->command,
		.environment = l->one->environment,
		.one = l->one,
		.budget = l->budget,
		.interrupted = was_asked};
	struct pollfd come = {door, POLLIN, 0};
	settle(parent);
	service.program_in = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (fchdir(l->one_folder) || service.program_in < 0 || dup2(l->out ? l->out : 1, 1) < 0 || dup2(1, 2) < 0)
		_exit(2);
	if (poll(&come, 1, COME_S * 1000) != 1)
		_exit(2);
	service.program_out = 1;
	service.in = service.out = accept4(door, NULL, NULL, SOCK_CLOEXEC);
	_exit(service.in < 0 ? 2 : hb__serve(&service));
}

int hb__live_start_alone(hb_live *l)
{
	hb_door door;
	hb_error err = {0};
	int code = 0;
	pid_t parent = getpid(), server = -1;
	if (hb_session_again(l->session, NULL, &err))
		return hb__fail_with(HB_EXIT_USAGE, "%s", err.message);
	if (hb_door_open(&door)) {
		fflush(NULL);
		server = fork();
	}
	if (!server)
		run_server(l, door.fd, parent);
	if (server < 0)
		code = hb__fail_with(HB_EXIT_USAGE, "cannot run the process: %s", strerror(errno));
	l->begin = hb_seconds();
	if (!code && hb_session_serve(l->session, door.path, server, &err))
		code = hb__fail_with(HB_EXIT_USAGE, "the process cannot be debugged: %s", err.message);
	hb_door_close(&door);
	return code;
}

int hb__live_open_alone(hb_live *l, const hb_live_options *o)
{
	const char *name = o->one->folder.name[o->one->folder.only];
	const hb_session_options options = {.others = &name, .nothers = 1};
	hb_error err = {0};
	l->one = o->one;
	l->one_folder = o->one_folder;
	l->budget = o->budget;
	if (hb_session_open(&options, &l->session, &err))
		return hb__fail_with(HB_EXIT_USAGE, "%s", err.message);
	return 0;
}
