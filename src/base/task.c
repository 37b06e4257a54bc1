/* /proc/PID/stat, and the name of this machine. */
#include "base/task.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

bool hb_task_read(int32_t pid, uint64_t thread, hb_task *ret)
{
	char path[96], text[1024];
	if (thread)
		snprintf(path, sizeof path, "/proc/%d/task/%llu/stat", pid, (unsigned long long)thread);
	else
		snprintf(path, sizeof path, "/proc/%d/stat", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	return hb_task_parse(text, ret);
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

bool hb_host_is_here(const char *name)
{
	char own[64] = "";
	/* a longer name is cut, which is no failure: the recorder cuts it at the same place */
	gethostname(own, sizeof own - 1);
	return !strncmp(own, name, sizeof own - 1);
}
