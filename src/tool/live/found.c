/* A job that runs without hbdb: its processes, from the pid of its launcher or of one of them. Which rank a process is says the
 * environment that its launcher gave it. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hbdb/mpis.h>

#include "parts.h"

#define RANKS_MOST (1 << 20)

/* The content of a file of /proc; NULL: it cannot be read. Strings in it may end with a 0. */
static char *content(pid_t pid, const char *name, size_t *ret_n)
{
	char *path = hb__format("/proc/%d/%s", (int)pid, name), *text = NULL;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t n = 0, room = 0;
	free(path);
	if (fd < 0)
		return NULL;
	for (ssize_t got = 1; got > 0; n += got > 0 ? (size_t)got : 0) {
		if (n + 4097 > room)
			text = hb__resize(text, room = 2 * room + 16384);
		got = read(fd, text + n, 4096);
	}
	close(fd);
	text[n] = 0;
	*ret_n = n;
	return text;
}

/* -1: it is none of an MPI job. */
static long rank_of(pid_t pid)
{
	static const char *const names[] = {"OMPI_COMM_WORLD_RANK=", "PMIX_RANK=", "PMI_RANK=", "SLURM_PROCID="};
	size_t n = 0;
	long rank = -1;
	char *text = content(pid, "environ", &n);
	for (size_t k = 0; text && rank < 0 && k < sizeof names / sizeof *names; k++)
		for (char *p = text; rank < 0 && p < text + n; p += strlen(p) + 1)
			if (!strncmp(p, names[k], strlen(names[k])))
				rank = strtol(p + strlen(names[k]), NULL, 10);
	free(text);
	return rank < RANKS_MOST ? rank : -1;
}

/* It has an MPI library loaded, and is not a shell or the like that started the program. */
static bool has_mpi(pid_t pid)
{
	size_t n;
	char *text = content(pid, "maps", &n), *rest = NULL;
	bool has = false;
	for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line && !has; line = strtok_r(NULL, "\n", &rest)) {
		const char *path = strchr(line, '/');
		has = path && hb_mpi_library_of(path)->part == HB_PART_CORE;
	}
	free(text);
	return has;
}

static pid_t parent_of(pid_t pid)
{
	size_t n;
	char *text = content(pid, "stat", &n), *p = text ? strrchr(text, ')') : NULL;
	pid_t parent = p ? (pid_t)atoi(p + 4) : 0;
	free(text);
	return parent;
}

/* Puts the processes below `root`, and itself, at their ranks. Returns how many ranks there are up to the last. */
static int32_t collect(pid_t root, int32_t **pids)
{
	pid_t *below;
	int32_t size = 0;
	size_t n = hb__processes_below(root, &below);
	*pids = NULL;
	for (size_t i = 0; i <= n; i++) {
		pid_t pid = i < n ? below[i] : root;
		long rank = rank_of(pid);
		if (rank < 0)
			continue;
		if (rank >= size) {
			*pids = hb__resize(*pids, ((size_t)rank + 1) * sizeof **pids);
			memset(*pids + size, 0, (size_t)(rank + 1 - size) * sizeof **pids);
			size = (int32_t)rank + 1;
		}
		/* what the program has started has the same environment */
		if (!(*pids)[rank] || (!has_mpi((*pids)[rank]) && has_mpi(pid)))
			(*pids)[rank] = pid;
	}
	free(below);
	return size;
}

int hb__find_job(const char *text, bool any, int32_t **ret_pids, int32_t *ret_size)
{
	char *end;
	long pid = strtol(text, &end, 10);
	*ret_pids = NULL;
	if (*end || end == text || pid < 1 || pid > INT32_MAX)
		return hb__fail_with(HB_EXIT_USAGE,
			"--attach takes the pid of a launcher (mpirun) or of one process of the job, but got '%s'",
			text);
	if (kill((pid_t)pid, 0) && errno == ESRCH)
		return hb__fail_with(HB_EXIT_USAGE, "there is no process %ld", pid);
	pid_t root = (pid_t)pid;
	while (root > 1 && rank_of(root) >= 0)
		root = parent_of(root);
	int32_t size = collect(root > 1 ? root : (pid_t)pid, ret_pids), missing = 0;
	if (!size && (any || has_mpi((pid_t)pid))) { /* started without a launcher */
		*ret_pids = hb__resize(*ret_pids, sizeof **ret_pids);
		**ret_pids = (int32_t)pid;
		size = 1;
	}
	for (int32_t i = 0; i < size; i++)
		missing += !(*ret_pids)[i];
	*ret_size = size;
	if (size && !missing)
		return 0;
	free(*ret_pids);
	*ret_pids = NULL;
	if (size)
		return hb__fail_with(HB_EXIT_USAGE,
			"%d of the %d processes of this job do not run on this machine: hbdb can only attach to a job when all of its processes do",
			missing, size);
	return hb__fail_with(HB_EXIT_USAGE,
		"process %ld is no MPI process and has started none that can be seen here: give the pid of mpirun or of one of the MPI processes",
		pid);
}
