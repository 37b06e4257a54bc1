/* The list of recordings that were made, the last one at its end: a line each, ["SESSION","FOLDER","RECORDING"] as JSON. */
#include "recent.h"

#include <cjson/cJSON.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/task.h"
#include "state.h"

#define LIST_MOST (128u << 10) /* bytes; then its older half goes */

static const char *const file_names[] = {"recent", "running"};

static bool first_line(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	return n > 0;
}

/* The session of processes that this one belongs to, of which every window of a terminal has its own. Numbers of processes come
 * again: so when it began counts, and since which start of the machine. */
static char *session(void)
{
	char boot[16] = "";
	hb_task first;
	first_line("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
	hb_task_read((int32_t)getsid(0), 0, &first);
	return hb__format("%s-%d-%llu", boot, (int)getsid(0), (unsigned long long)first.began);
}

static void halve(const char *path)
{
	char *text = hb__state_read(path), *from = text ? strchr(text + strlen(text) / 2, '\n') : NULL;
	if (from)
		hb__state_write(path, from + 1);
	free(text);
}

void hb__recent_add(hb_recent_kind kind, const char *recording)
{
	char folder[PATH_MAX], *file = hb__state_path(file_names[kind], true), *own = session();
	size_t size = 0;
	if (file && getcwd(folder, sizeof folder)) {
		const char *const words[] = {own, folder, recording};
		cJSON *array = cJSON_CreateStringArray(words, 3);
		char *text = cJSON_PrintUnformatted(array);
		char *line = hb__format("%s\n", text ? text : "");
		if (!hb__state_append(file, line, &size) && size > LIST_MOST)
			halve(file);
		free(line);
		free(text);
		cJSON_Delete(array);
	}
	free(own);
	free(file);
}

static bool lies_in(const char *recording, const char *folder)
{
	const char *slash = strrchr(recording, '/');
	size_t n = slash ? (size_t)(slash - recording) : 0;
	return strlen(folder) == n && !strncmp(recording, folder, n);
}

/* The recording of a line when it is one of those asked for; NULL: it is not. */
static char *read_line(const char *line, hb_recent_how how, const char *own, const char *folder)
{
	cJSON *array = cJSON_Parse(line);
	const char *word[3];
	char *ret = NULL;
	bool whole = true;
	for (int i = 0; i < 3; i++) {
		word[i] = cJSON_GetStringValue(cJSON_GetArrayItem(array, i));
		whole = whole && word[i];
	}
	if (whole && (how == HB_RECENT_USER || (how == HB_RECENT_SESSION && !strcmp(word[0], own)) ||
			     (how == HB_RECENT_HERE && (!strcmp(word[1], folder) || lies_in(word[2], folder)))))
		ret = hb__copy(word[2]);
	cJSON_Delete(array);
	return ret;
}

char *hb__recent_last(hb_recent_kind kind, hb_recent_how how, bool (*fits)(const char *recording))
{
	char folder[PATH_MAX], *file = hb__state_path(file_names[kind], false);
	char *text = file ? hb__state_read(file) : NULL, *own = session(), *ret = NULL;
	if (!getcwd(folder, sizeof folder))
		*folder = 0;
	while (text && *text && !ret) { /* from the end */
		char *line = strrchr(text, '\n');
		ret = read_line(line ? line + 1 : text, how, own, folder);
		if (ret && !fits(ret)) {
			free(ret);
			ret = NULL;
		}
		*(line ? line : text) = 0;
	}
	free(text);
	free(own);
	free(file);
	return ret;
}
