/* An event of the complex whose recording is on another node: the debugger runs there, through the manager and the node's agent, and we pass on what it is told and says. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../console/console.h"
#include "../memory/sockets.h"
#include "event.h"

/* The command there. Strings in it belong to others, but *ret_at. */
static void command_of(const hb_args *args, const hb_event_goal *goal, const char **argv, char **ret_at)
{
	static const char *const same[] = {"execute", "mpi", NULL}, *const flags[] = {"json", "trust", NULL};
	/* what it has to say comes beside its answers: there is one way back */
	static const char *const begin[] = {"sh", "-c", "exec \"$@\" 2>&1", "hbdb", "hbdb", "debug"};
	static const char *const words[] = {"--execute", "--mpi", "--json", "--trust"};
	size_t n = 0;
	for (size_t i = 0; i < sizeof begin / sizeof *begin; i++)
		argv[n++] = begin[i];
	*ret_at = goal->process ? hb__format("%s:last", goal->process) : NULL;
	argv[n++] = goal->recording;
	if (*ret_at) {
		argv[n++] = "--at";
		argv[n++] = *ret_at;
	}
	for (size_t i = 0; same[i]; i++)
		if (hb__option_value(args, same[i])) {
			argv[n++] = words[i];
			argv[n++] = hb__option_value(args, same[i]);
		}
	for (size_t i = 0; flags[i]; i++)
		if (hb__option_value(args, flags[i]))
			argv[n++] = words[2 + i];
	if (hb__option_value(args, "command")) {
		argv[n++] = "--command";
		argv[n++] = "-";
	}
	argv[n] = NULL;
}

/* A file of commands is here: it is read as our standard input. */
static int take_file(const char *path)
{
	if (!path || !strcmp(path, "-"))
		return 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return hb__fail_with(HB_EXIT_USAGE, "%s: %s", path, strerror(errno));
	dup2(fd, 0);
	close(fd);
	return 0;
}

int hb__event_elsewhere(const hb_args *args, const hb_event_goal *goal)
{
	const char *argv[24];
	char *at, *why, *socket = hb__manager_socket(NULL);
	if (!socket)
		return HB_EXIT_USAGE;
	hb_asker *console = hb__asker_reach(socket, &why);
	int code = 0;
	if (!console)
		code = hb__fail_with(HB_EXIT_USAGE,
			"that is on node %s: there, hbdb debug %s. From here the manager leads there, but %s",
			goal->node, goal->recording, why);
	code = code ? code : take_file(hb__option_value(args, "command"));
	if (!code) {
		hb__say("on node %s:", goal->node);
		command_of(args, goal, argv, &at);
		code = hb__run_there(console, goal->node, (char *const *)argv);
		free(at);
	}
	hb__asker_close(console);
	free(socket);
	free(why);
	return code;
}
