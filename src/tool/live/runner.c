/* Processes of other processors, and the stubs at which their gdb gets them. */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runner.h"
#include "system/platforms/platform.h"

/* The name of the program that a process executes; false: it is gone, or not ours. */
static bool program_of(int32_t pid, char ret[NAME_MAX + 1])
{
	char link[64], path[PATH_MAX];
	snprintf(link, sizeof link, "/proc/%d/exe", pid);
	ssize_t n = readlink(link, path, sizeof path - 1);
	if (n <= 0)
		return false;
	path[n] = 0;
	const char *slash = strrchr(path, '/');
	snprintf(ret, NAME_MAX + 1, "%.*s", NAME_MAX, slash ? slash + 1 : path);
	return true;
}

/* The platform whose programs this one runs: hb_platform_free. NULL: there is none. */
static hb_platform *platform_of(const char *runner)
{
	char why[HB_PLATFORM_WHY], **names = hb_platform_names();
	hb_platform *found = NULL;
	for (char **n = names; n && *n && !found; n++) {
		hb_platform *p = hb_platform_load(*n, why);
		if (p && p->runner && !strcmp(p->runner, runner))
			found = p;
		else
			hb_platform_free(p);
	}
	hb_platform_words_free(names);
	return found;
}

/* ---- stubs ---- */

/* src/capture/core/descend/runner.c makes this name. */
static char *socket_of(const char *runner, int32_t pid)
{
	const char *folder = getenv("HBDB_STUBS");
	char *path = folder && *folder ? hb__format("%s/%s.%d", folder, runner, pid) : NULL;
	if (path && !access(path, F_OK))
		return path;
	free(path);
	return NULL;
}

size_t hb__stubs(int32_t **ret)
{
	const char *folder = getenv("HBDB_STUBS");
	DIR *dir = folder && *folder ? opendir(folder) : NULL;
	size_t n = 0;
	*ret = NULL;
	for (struct dirent *e; dir && (e = readdir(dir));) {
		char program[NAME_MAX + 1];
		const char *dot = strrchr(e->d_name, '.');
		int32_t pid = dot ? atoi(dot + 1) : 0;
		/* one that is left of a process that is gone says nothing */
		if (pid <= 0 || !program_of(pid, program) || strlen(program) != (size_t)(dot - e->d_name) ||
			strncmp(program, e->d_name, (size_t)(dot - e->d_name)) != 0)
			continue;
		*ret = hb__resize(*ret, (n + 1) * sizeof **ret);
		(*ret)[n++] = pid;
	}
	if (dir)
		closedir(dir);
	return n;
}

/* The words of its command line, each with a zero behind it and one more at the end. */
static char *words_of(int32_t pid)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/cmdline", pid);
	char *words = hb__alloc(65536 + 2);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, words, 65536) : 0;
	memset(words + (n > 0 ? n : 0), 0, 2);
	if (fd >= 0)
		close(fd);
	return words;
}

static const char *next_word(const char *word) { return *word ? word + strlen(word) + 1 : word; }

/* -L FOLDER and the program, where they stand in the order in which platforms have them: gdb is told where libraries and lines are. */
static char *symbols(int32_t pid)
{
	char *words = words_of(pid), link[64], folder[PATH_MAX], *more = hb__copy("");
	const char *w = next_word(words);
	snprintf(link, sizeof link, "/proc/%d/cwd", pid);
	ssize_t n = readlink(link, folder, sizeof folder - 1);
	folder[n > 0 ? n : 0] = 0;
	if (!strcmp(w, "-L")) {
		const char *root = next_word(w);
		free(more);
		more = hb__format(" -ex 'set sysroot %s'", root);
		w = next_word(root);
	}
	if (*w && *w != '-') {
		char *both = *w == '/' ? hb__format("%s -ex 'file %s'", more, w)
				       : hb__format("%s -ex 'file %s/%s'", more, folder, w);
		free(more);
		more = both;
	}
	free(words);
	return more;
}

char *hb__stub_command(int32_t pid)
{
	char runner[NAME_MAX + 1];
	hb_platform *p = program_of(pid, runner) ? platform_of(runner) : NULL;
	char *socket = p ? socket_of(runner, pid) : NULL, *with = socket ? symbols(pid) : NULL;
	char *text = socket ? hb__format("%s%s -ex 'target remote %s'", p->gdb ? p->gdb : "gdb", with, socket) : NULL;
	free(socket);
	free(with);
	hb_platform_free(p);
	return text;
}

char *hb__beyond_gdb_of(const char *program)
{
	const char *slash = strrchr(program, '/'), *runner = slash ? slash + 1 : program;
	hb_platform *p = platform_of(runner);
	char *text =
		p ? hb__format(
			    "is run by %s, which gdb would see in its place; begun with HBDB_STUBS=FOLDER in the environment it waits "
			    "there for %s",
			    runner, p->gdb ? p->gdb : "a gdb that knows its processor")
		  : NULL;
	hb_platform_free(p);
	return text;
}

char *hb__beyond_gdb(int32_t pid)
{
	char program[NAME_MAX + 1];
	return program_of(pid, program) ? hb__beyond_gdb_of(program) : NULL;
}
