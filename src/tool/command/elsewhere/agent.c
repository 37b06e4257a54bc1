/* hbdb agent */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../agent/agent.h"
#include "../../memory/sockets.h"
#include "../../options.h"
#include "base/socket/unix.h"

const hb_option hb__agent_options[] = {
	{"service", 0, HB_OPTION_FLAG, NULL,
		"do not speak over standard input and output, but wait for connections at a Unix socket, until SIGTERM"},
	{"socket", 0, HB_OPTION_TEXT, "PATH", "that socket; default: agent in $XDG_RUNTIME_DIR/hbdb"},
	{0},
};

/* A connection to the service, where there is one; -1. */
static int service(const char *path)
{
	int fd = hb_unix_connect(path, SOCK_STREAM);
	if (fd >= 0 && hb_unix_peer(fd) == (long)getuid())
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static bool pass(int from, int to)
{
	char piece[65536];
	ssize_t n = read(from, piece, sizeof piece);
	for (ssize_t at = 0; at < n;) {
		ssize_t done = write(to, piece + at, (size_t)(n - at));
		if (done < 0 && errno != EINTR)
			return false;
		at += done > 0 ? done : 0;
	}
	return n > 0 || (n < 0 && errno == EINTR);
}

/* Standard input and output are a connection to the service of this node: what that has started stays its own. */
static int relay(int fd)
{
	struct pollfd at[2] = {{0, POLLIN, 0}, {fd, POLLIN, 0}};
	while (poll(at, 2, -1) >= 0 || errno == EINTR) {
		if (at[1].revents && !pass(fd, 1))
			break;
		if (at[0].revents && !pass(0, fd))
			break;
	}
	return HB_EXIT_OK;
}

int hb__agent(const hb_args *args)
{
	const char *given = hb__option_value(args, "socket");
	bool stay = hb__option_value(args, "service") != NULL;
	char *folder = given ? NULL : hb__runtime_folder(), *path = given    ? hb__copy(given)
								    : folder ? hb__format("%s/agent", folder)
									     : NULL;
	free(folder);
	if (!path && stay)
		return HB_EXIT_USAGE;
	/* standard output may be one: srun --unbuffered makes a raw one */
	if (!stay && isatty(0)) {
		free(path);
		return hb__fail_with(HB_EXIT_USAGE,
			"an agent speaks over its standard input and output with hbdb on another machine; hbdb starts it by itself where it needs one. With --service it waits at a socket");
	}
	int fd = stay || !path ? -1 : service(path);
	int code = fd >= 0 ? relay(fd) : hb__serve_agent(stay ? -1 : dup(0), stay ? -1 : dup(1), stay ? path : NULL);
	free(path);
	return code;
}
