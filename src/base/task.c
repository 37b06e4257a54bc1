/* What /proc tells of processes and threads, and the name of this machine. */
#include "base/task.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	FIELD_STATE = 3,
	FIELD_PARENT = 4,
	FIELD_FLAGS = 9,
	FIELD_USER = 14,
	FIELD_SYSTEM = 15,
	FIELD_BEGAN = 22,
	FIELD_PENDING = 31,
	FIELD_STATUS = 52
};

#define EXITING 0x604u /* PF_EXITING, PF_DUMPCORE, PF_SIGNALED of the kernel */
#define KILLED (1ul << (SIGKILL - 1))

/* The fields are counted as in proc(5). The second one is the name of the program in parentheses, in which anything may stand,
 * blanks and parentheses, too: the last closing one ends it. */
bool hb_task_parse(const char *text, hb_task *ret)
{
	const char *at = strrchr(text, ')');
	*ret = (hb_task){0};
	if (!at || at[1] != ' ' || !at[2])
		return false;
	uint64_t status = 0;
	for (int field = FIELD_STATE; at && (at = strchr(at, ' ')); field++) {
		at++;
		if (field == FIELD_STATE)
			ret->state = *at;
		else if (field == FIELD_PARENT)
			ret->parent = (int32_t)strtol(at, NULL, 10);
		else if (field == FIELD_USER || field == FIELD_SYSTEM)
			ret->used += strtoull(at, NULL, 10);
		else if (field == FIELD_BEGAN)
			ret->began = strtoull(at, NULL, 10);
		else if (field == FIELD_FLAGS)
			ret->leaving = strtoul(at, NULL, 10) & EXITING;
		else if (field == FIELD_PENDING)
			ret->leaving = ret->leaving || strtoul(at, NULL, 10) & KILLED;
		else if (field == FIELD_STATUS)
			status = strtoull(at, NULL, 10);
	}
	ret->ended_by = (int)(status & 0x7f); /* as in wait(2) */
	return true;
}

size_t hb_task_file(int32_t pid, uint64_t thread, const char *name, char *ret, size_t size)
{
	char path[96];
	if (thread)
		snprintf(path, sizeof path, "/proc/%d/task/%llu/%s", pid, (unsigned long long)thread, name);
	else
		snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, ret, size - 1);
	if (fd >= 0)
		close(fd);
	ret[n > 0 ? n : 0] = 0;
	return n > 0 ? (size_t)n : 0;
}

bool hb_task_read(int32_t pid, uint64_t thread, hb_task *ret)
{
	char text[1024];
	hb_task_file(pid, thread, "stat", text, sizeof text);
	return hb_task_parse(text, ret);
}

/* ---- sleeping ---- */

bool hb_task_exists(int32_t pid, uint64_t thread)
{
	char path[96];
	snprintf(path, sizeof path, "/proc/%d/task/%llu", pid, (unsigned long long)thread);
	return thread && !access(path, F_OK);
}

uint64_t hb_task_awake(int32_t pid)
{
	char path[64];
	uint64_t found = 0;
	bool runs = false;
	hb_task task;
	snprintf(path, sizeof path, "/proc/%d/task", pid);
	DIR *folder = opendir(path);
	for (struct dirent *e; folder && !runs && (e = readdir(folder));) {
		uint64_t thread = strtoull(e->d_name, NULL, 10);
		if (!thread || !hb_task_read(pid, thread, &task) || strchr("tTZX", task.state))
			continue;
		runs = task.state == 'R';
		found = runs || !found ? thread : found;
	}
	if (folder)
		closedir(folder);
	return found;
}

char *hb_task_text(int32_t pid, const char *name)
{
	char path[64], *text = NULL;
	size_t n = 0, room = 0;
	ssize_t got = 1;
	snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
	if (!strcmp(name, "exe")) {
		text = malloc(PATH_MAX);
		got = text ? readlink(path, text, PATH_MAX - 1) : -1;
		n = got > 0 ? (size_t)got : 0;
	} else {
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		for (got = fd < 0 ? -1 : 1; got > 0; n += got > 0 ? (size_t)got : 0) {
			char *more = room - n < 4097 ? realloc(text, room = 2 * room + 16384) : text;
			got = more ? read(fd, more + n, room - n - 1) : -1;
			text = more ? more : text;
		}
		if (fd >= 0)
			close(fd);
	}
	if (got < 0) {
		free(text);
		return NULL;
	}
	text[n] = 0;
	return text;
}

/* Newer processors have the general forms alone. */
static bool waits_for_files(int call)
{
	switch (call) {
#ifdef SYS_epoll_wait
	case SYS_epoll_wait:
#endif
#ifdef SYS_poll
	case SYS_poll:
#endif
#ifdef SYS_select
	case SYS_select:
#endif
	case SYS_epoll_pwait:
	case SYS_ppoll:
	case SYS_pselect6:
		return true;
	default:
		return false;
	}
}

bool hb_task_sleeps(int32_t pid, uint64_t thread, hb_sleep *ret)
{
	enum { WAIT = 0, WAIT_BITSET = 9, PRIVATE = 128, COMMANDS = 127 };
	char text[300];
	unsigned long long a[4] = {0}, ran = 0, waited = 0, slices = 0;
	int call;
	*ret = (hb_sleep){0};
	if (!hb_task_file(pid, thread, "syscall", text, sizeof text) ||
		sscanf(text, "%d %llx %llx %llx %llx", &call, &a[0], &a[1], &a[2], &a[3]) != 5)
		return false;
	if (hb_task_file(pid, thread, "schedstat", text, sizeof text))
		sscanf(text, "%llu %llu %llu", &ran, &waited, &slices);
	unsigned command = (unsigned)a[1] & COMMANDS & ~256u;
	ret->ran = ((uint64_t)ran * 31 + slices) * 31 + a[0] + thread;
	ret->futex = call == SYS_futex && (command == WAIT || command == WAIT_BITSET) && !a[3];
	if (ret->futex &&
		!(a[1] & PRIVATE)) { /* others may wake it, but of the end of a thread only the system tells */
		ret->joins = a[2];
		ret->futex = hb_task_exists(pid, a[2]);
	}
	ret->polls = waits_for_files(call);
	return true;
}

bool hb_task_lives(int32_t pid)
{
	hb_task task;
	return hb_task_read(pid, 0, &task) && task.state != 'Z' && task.state != 'X';
}

bool hb_task_is_dying(int32_t pid)
{
	char path[32];
	bool dying = true;
	hb_task task;
	snprintf(path, sizeof path, "/proc/%d/task", pid);
	DIR *threads = opendir(path);
	for (struct dirent *e; dying && threads && (e = readdir(threads));) {
		uint64_t thread = strtoull(e->d_name, NULL, 10);
		dying = !thread || !hb_task_read(pid, thread, &task) || task.leaving || task.state == 'Z';
	}
	if (threads)
		closedir(threads);
	return dying;
}

bool hb_task_ended(int pidfd, int *ret)
{
	/* struct pidfd_info of linux/pidfd.h in its first form of 64 bytes, which headers of older systems lack; systems take shorter and longer ones */
	enum { KEEPS_EXIT = 1 << 3 };
	struct {
		uint64_t mask, cgroup;
		uint32_t ids[11];
		int32_t status;
	} info = {.mask = KEEPS_EXIT};
	_Static_assert(sizeof info == 64, "as the system has it");
	if (ioctl(pidfd, _IOWR(0xff, 11, info), &info) || !(info.mask & KEEPS_EXIT))
		return false;
	*ret = info.status;
	return true;
}

bool hb_host_is_here(const char *name)
{
	char own[64] = "";
	/* a longer name is cut, which is no failure: the recorder cuts it at the same place */
	gethostname(own, sizeof own - 1);
	return !strncmp(own, name, sizeof own - 1);
}

const char *hb_boot_id(void)
{
	static _Thread_local char boot[64];
	int fd = *boot ? -1 : open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, boot, sizeof boot - 1);
	if (fd >= 0)
		close(fd);
	boot[n > 0 ? (size_t)n : strlen(boot)] = 0;
	boot[strcspn(boot, "\n")] = 0;
	return boot;
}
