/* gdbserver, and how gdb comes to it: over a Unix socket in a folder that nobody else can enter, whose accepted end is
 * gdbserver's standard input and output. Over a pipe (`target extended-remote | gdbserver`) gdb 13 makes a system call for each
 * character that it gets, a third of what attaching costs. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "session/gdb/inside.h"

/* ---- the socket ---- */

struct door {
	char folder[64];
	struct sockaddr_un address;
	int fd;
};

static bool open_door(struct door *door)
{
	const char *where = getenv("TMPDIR");
	bool fits = where && *where == '/' && strlen(where) < 40;
	*door = (struct door){.fd = -1, .address.sun_family = AF_UNIX};
	snprintf(door->folder, sizeof door->folder, "%s/hbdb-gdb.XXXXXX", fits ? where : "/tmp");
	if (!mkdtemp(door->folder)) {
		door->folder[0] = 0;
		return false;
	}
	snprintf(door->address.sun_path, sizeof door->address.sun_path, "%s/s", door->folder);
	door->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	return door->fd >= 0 && !bind(door->fd, (struct sockaddr *)&door->address, sizeof door->address) &&
	       !listen(door->fd, 1);
}

static void close_door(struct door *door)
{
	if (door->fd >= 0)
		close(door->fd);
	if (door->folder[0]) {
		unlink(door->address.sun_path);
		rmdir(door->folder);
	}
}

/* The connection of gdb; -1: it did not come. */
static int let_in(hb_gdb *gdb, struct door *door)
{
	double until = hb_seconds() + gdb->patience * HB__GDB_WORK;
	do {
		struct pollfd fds[2] = {{door->fd, POLLIN, 0}, {gdb->process, POLLIN, 0}};
		if (poll(fds, 2, 100) < 0 && errno != EINTR)
			return -1;
		if (fds[0].revents)
			return accept4(door->fd, NULL, NULL, SOCK_CLOEXEC);
		if (fds[1].revents)
			return -1;
	} while (hb_seconds() < until);
	return -1;
}

/* ---- gdbserver ---- */

static int spawn(const char *program, int fd, char **environment, pid_t *ret_pid)
{
	static char name[] = "gdbserver", once[] = "--once", multi[] = "--multi", standard[] = "-";
	char *argv[] = {name, once, multi, standard, NULL};
	posix_spawn_file_actions_t files;
	posix_spawnattr_t how;
	sigset_t none, all;
	sigemptyset(&none);
	sigfillset(&all);
	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&how);
	posix_spawn_file_actions_adddup2(&files, fd, 0);
	posix_spawn_file_actions_adddup2(&files, fd, 1);
	posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addclosefrom_np(&files, 3);
	posix_spawnattr_setsigmask(&how, &none);
	posix_spawnattr_setsigdefault(&how, &all);
	posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	int trouble = posix_spawn(ret_pid, program, &files, &how, argv, environment);
	posix_spawnattr_destroy(&how);
	posix_spawn_file_actions_destroy(&files);
	return trouble;
}

hb_status hb__gdb_connect(hb_gdb *gdb, const char *program, hb_error *err)
{
	struct door door;
	int fd = -1, trouble = 0;
	int64_t token = -1;
	if (!open_door(&door)) {
		hb_status status =
			hb__gdb_fail(err, HB_E_SYSTEM, "cannot make a socket for gdbserver: %s", strerror(errno));
		close_door(&door);
		return status;
	}
	token = hb__gdb_send(gdb, "-target-select extended-remote %s", door.address.sun_path);
	if (token >= 0)
		fd = let_in(gdb, &door);
	if (fd >= 0) {
		char **environment = hb__gdb_environment();
		trouble = environment ? spawn(program, fd, environment, &gdb->server) : ENOMEM;
		free(environment);
		close(fd); /* gdbserver's end is its own: without it, gdb gets an end of file */
	}
	close_door(&door);
	/* what gdb says when gdbserver dies depends on what it was about to hear */
	gdb->server_life = gdb->server > 0 ? pidfd_open(gdb->server, 0) : -1;
	if (gdb->server_life >= 0)
		hb__gdb_watch(gdb, gdb->server_life);
	if (trouble) {
		gdb->server = 0;
		errno = trouble;
		return hb__gdb_fail(err, HB_E_SYSTEM, "cannot start %s: %s", program, strerror(trouble));
	}
	return hb__gdb_answer(gdb, token, gdb->patience * HB__GDB_WORK, err);
}

/* It ends when gdb has: it then lets go of everything. */
void hb__gdb_end_server(hb_gdb *gdb)
{
	double until = hb_seconds() + 3;
	int how;
	if (gdb->server <= 0)
		return;
	while (!waitpid(gdb->server, &how, WNOHANG)) {
		if (hb_seconds() > until)
			kill(gdb->server, SIGKILL);
		usleep(2000);
	}
	gdb->server = 0;
}
