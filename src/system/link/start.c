/* Commands whose standard input and output are a connection. */
#include "system/link/start.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <unistd.h>

extern char **environ;

int hb_link_start(char *const *argv, int error, pid_t *ret_pid, int *ret_fd)
{
	int end[2], trouble;
	posix_spawn_file_actions_t files;
	posix_spawnattr_t how;
	sigset_t none, pipe;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, end))
		return errno;
	sigemptyset(&none);
	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&how);
	posix_spawn_file_actions_adddup2(&files, end[1], 0);
	posix_spawn_file_actions_adddup2(&files, end[1], 1);
	if (error >= 0)
		posix_spawn_file_actions_adddup2(&files, error, 2);
	posix_spawn_file_actions_addclosefrom_np(&files, 3);
	posix_spawnattr_setsigmask(&how, &none);
	posix_spawnattr_setsigdefault(&how, &pipe);
	posix_spawnattr_setpgroup(&how, 0); /* keys pressed at the terminal are not for it */
	posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
	trouble = posix_spawnp(ret_pid, argv[0], &files, &how, argv, environ);
	posix_spawnattr_destroy(&how);
	posix_spawn_file_actions_destroy(&files);
	close(end[1]);
	if (trouble)
		close(end[0]);
	*ret_fd = end[0];
	return trouble;
}
