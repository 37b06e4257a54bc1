/* When hbdb is killed in a replay: logs may be large, they are to go, and so are the processes that follow them. */
#include "guard.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../find.h"
#include "../../tool.h"

#define DYING_S 3 /* what a launcher gets to end its processes: it was told of the death of hbdb */

/* Whether a process was started for the replay of this folder, or of one in it: as long as it is there, no other one has the name. */
static bool is_of(const char *pid, const char *folder)
{
	char *path = hb__format("/proc/%s/environ", pid), *wanted = hb__format("HBDB_DIR=%s", folder), *word = NULL;
	size_t room = 0, length = strlen(wanted);
	bool found = false;
	FILE *f = fopen(path, "re");
	while (f && !found && getdelim(&word, &room, 0, f) > 0)
		found = !strncmp(word, wanted, length) && (!word[length] || word[length] == '/');
	if (f)
		fclose(f);
	free(word);
	free(wanted);
	free(path);
	return found;
}

/* How many of its processes there are; they get the signal unless it is 0. */
static size_t signal_all(const char *folder, int sig)
{
	size_t n = 0;
	DIR *proc = opendir("/proc");
	for (struct dirent *e; proc && (e = readdir(proc));)
		if (e->d_name[0] >= '1' && e->d_name[0] <= '9' && is_of(e->d_name, folder)) {
			n++;
			kill((pid_t)atoi(e->d_name), sig);
		}
	if (proc)
		closedir(proc);
	return n;
}

/* Processes that differ, or whose record has ended, wait for hbdb to end the job; others wait for them. A launcher that a script
 * started does not learn of the death of hbdb. */
static void end_job(const char *folder)
{
	const struct timespec tick = {0, 100000000};
	for (int i = 0; i < 10 * DYING_S && signal_all(folder, 0); i++)
		nanosleep(&tick, NULL);
	for (int i = 0; i < 10 * DYING_S && signal_all(folder, SIGKILL); i++)
		nanosleep(&tick, NULL);
}

/* The end of the keeper is the end of a pipe that nobody else has. Nothing else of the keeper's stays open: a connection of its would not end as long as
 * somebody has it. */
static void watch(int fd, const char *folder)
{
	char byte;
	setsid();
	signal(SIGTERM, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	dup2(fd, 0);
	close_range(1, ~0U, 0);
	while (read(0, &byte, 1) < 0 && errno == EINTR)
		;
	end_job(folder);
	hb__remove_folder(folder);
	_exit(0);
}

void hb__folder_guard_set(const char *folder, hb_folder_guard *ret)
{
	int ends[2];
	*ret = (hb_folder_guard){.fd = -1};
	if (pipe2(ends, O_CLOEXEC))
		return;
	pid_t pid = fork();
	if (!pid) {
		close(ends[1]);
		watch(ends[0], folder);
	}
	close(ends[0]);
	if (pid > 0)
		*ret = (hb_folder_guard){.pid = pid, .fd = ends[1]};
	else
		close(ends[1]);
}

void hb__folder_guard_dismiss(hb_folder_guard *guard)
{
	if (!guard->pid)
		return;
	kill(guard->pid, SIGKILL);
	hb__folder_guard_wait(guard);
}

void hb__folder_guard_release(hb_folder_guard *guard)
{
	if (guard->pid && guard->fd >= 0)
		close(guard->fd);
	guard->fd = -1;
}

void hb__folder_guard_wait(hb_folder_guard *guard)
{
	if (!guard->pid)
		return;
	hb__folder_guard_release(guard);
	while (waitpid(guard->pid, NULL, 0) < 0 && errno == EINTR)
		;
	*guard = (hb_folder_guard){.fd = -1};
}
