/* What was started, as it stands in files: see start.c, which has them written. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/task.h"
#include "system/agent/inside.h"

#define REMEMBERED_S 86400 /* after its end */
#define REMEMBERED 1000    /* that have ended, at most: each look reads them all */

/* ---- files ---- */

bool hb__started_write(const char *folder, const char *name, const cJSON *object)
{
	char path[PATH_MAX], part[PATH_MAX + 8], *text = cJSON_PrintUnformatted(object);
	bool fine = false;
	snprintf(path, sizeof path, "%s/%s", folder, name);
	snprintf(part, sizeof part, "%s.part", path);
	int fd = text ? open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
	if (fd >= 0) {
		size_t n = strlen(text);
		fine = write(fd, text, n) == (ssize_t)n;
		int error = fine ? 0 : errno ? errno : EIO;
		fine = !close(fd) && fine && !rename(part, path);
		if (!fine) {
			error = error ? error : errno;
			unlink(part);
			errno = error;
		}
	}
	cJSON_free(text);
	return fine;
}

static cJSON *read_whole(const char *folder, const char *name)
{
	char path[PATH_MAX], *text = NULL;
	struct stat is;
	cJSON *object = NULL;
	snprintf(path, sizeof path, "%s/%s", folder, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd >= 0 && !fstat(fd, &is) && S_ISREG(is.st_mode) && is.st_uid == getuid() && is.st_size < 1 << 20 &&
		(text = malloc((size_t)is.st_size + 1))) {
		ssize_t n = read(fd, text, (size_t)is.st_size);
		if (n > 0)
			object = cJSON_ParseWithLength(text, (size_t)n);
	}
	free(text);
	if (fd >= 0)
		close(fd);
	return object;
}

bool hb__started_folder(const hb_agent *agent, char *ret, size_t size)
{
	const char *state = agent->options.state;
	char host[HOST_NAME_MAX + 1] = "";
	struct stat space;
	if (!state || gethostname(host, sizeof host - 1) || strchr(host, '/') || stat("/proc/self/ns/pid", &space) ||
		(size_t)snprintf(ret, size, "%s/started/%s.%llu", state, host, (unsigned long long)space.st_ino) >=
			size)
		return false;
	for (char *slash = ret + strlen(state); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		mkdir(ret, 0700);
		*slash = '/';
	}
	return !mkdir(ret, 0700) || errno == EEXIST;
}

/* ---- what there is ---- */

/* How it is: a keeper that was killed has left no word. */
static void complete(cJSON *o)
{
	int64_t pid, began, status;
	hb_task task;
	const char *boot = hb_wire_text(o, "boot");
	if (hb_wire_number(o, "status", &status) || !hb_wire_number(o, "pid", &pid) ||
		!hb_wire_number(o, "began", &began))
		return;
	bool there = boot && !strcmp(boot, hb_boot_id()) && hb_task_read((int32_t)pid, 0, &task) &&
		     task.began == (uint64_t)began && !strchr("ZX", task.state);
	cJSON *now = there ? hb_agent_describe((int32_t)pid) : NULL, *field;
	cJSON_DeleteItemFromObjectCaseSensitive(o, "state");
	if (!now) {
		cJSON_AddStringToObject(o, "state", there ? "running" : "gone");
		return;
	}
	while ((field = now->child)) {
		cJSON_DetachItemViaPointer(now, field);
		cJSON_DeleteItemFromObjectCaseSensitive(o, field->string);
		cJSON_AddItemToObject(o, field->string, field);
	}
	cJSON_Delete(now);
}

static int64_t ended_at(const cJSON *o)
{
	int64_t ended;
	return hb_wire_number(o, "ended", &ended) ? ended : INT64_MAX;
}

static int later(const void *x, const void *y)
{
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
	return (a < b) - (a > b);
}

/* What ended before this is forgotten: a day ago, or before the last thousand of those that have. */
static int64_t remembered_since(const cJSON *list)
{
	const cJSON *o;
	size_t n = 0;
	int64_t since = time(NULL) - REMEMBERED_S, *times = calloc((size_t)cJSON_GetArraySize(list) + 1, sizeof *times);
	if (!times)
		return since;
	cJSON_ArrayForEach(o, list) if (ended_at(o) != INT64_MAX) times[n++] = ended_at(o);
	qsort(times, n, sizeof *times, later);
	if (n > REMEMBERED && times[REMEMBERED - 1] > since)
		since = times[REMEMBERED - 1];
	free(times);
	return since;
}

/* With what it wrote. */
static void forget(int folder, const cJSON *o)
{
	char name[64];
	int64_t pid = 0, began = 0;
	const char *output = hb_wire_text(o, "output"), *slash = output ? strrchr(output, '/') : NULL;
	if (!hb_wire_number(o, "pid", &pid) || !hb_wire_number(o, "began", &began))
		return;
	snprintf(name, sizeof name, "%lld.%lld", (long long)pid, (long long)began);
	unlinkat(folder, name, 0);
	if (slash)
		unlinkat(folder, slash + 1, 0);
}

cJSON *hb_agent_started(hb_agent *agent)
{
	char folder[HB__STARTED_FOLDER];
	cJSON *list = cJSON_CreateArray(), *next;
	DIR *d = hb__started_folder(agent, folder, sizeof folder) ? opendir(folder) : NULL;
	for (const struct dirent *e; d && (e = readdir(d));) {
		size_t n = strlen(e->d_name);
		if (e->d_name[0] == '.' ||
			(n > 4 && (!strcmp(e->d_name + n - 4, ".out") || !strcmp(e->d_name + n - 5, ".part"))))
			continue;
		cJSON *o = read_whole(folder, e->d_name);
		if (cJSON_IsObject(o))
			cJSON_AddItemToArray(list, o);
		else
			cJSON_Delete(o);
	}
	int64_t since = remembered_since(list);
	for (cJSON *o = list->child; o; o = next) {
		next = o->next;
		if (ended_at(o) < since) {
			forget(dirfd(d), o);
			cJSON_Delete(cJSON_DetachItemViaPointer(list, o));
		} else {
			complete(o);
		}
	}
	if (d)
		closedir(d);
	return list;
}
