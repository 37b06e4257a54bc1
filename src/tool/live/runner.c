/* Processes of other processors, and the stubs at which their gdb gets them. */
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

/* Whether somebody listens at a socket: its file is there a moment before. */
static bool listens(const char *path)
{
	char *line = NULL;
	size_t room = 0, length = strlen(path);
	bool found = false;
	FILE *sockets = fopen("/proc/net/unix", "re");
	for (ssize_t n; !found && sockets && (n = getline(&line, &room, sockets)) > 0;) {
		unsigned flags;
		line[strcspn(line, "\n")] = 0;
		n = (ssize_t)strlen(line);
		found = (size_t)n > length && !strcmp(line + n - length, path) &&
			sscanf(line, "%*s %*x %*x %x", &flags) == 1 && flags & 0x10000; /* __SO_ACCEPTCON */
	}
	if (sockets)
		fclose(sockets);
	free(line);
	return found;
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

/* -L FOLDER and the program, where they stand in the order in which platforms have them. */
static void read_words(int32_t pid, hb_stub_found *ret)
{
	char *words = words_of(pid), link[64], folder[PATH_MAX];
	const char *w = next_word(words);
	snprintf(link, sizeof link, "/proc/%d/cwd", pid);
	ssize_t n = readlink(link, folder, sizeof folder - 1);
	folder[n > 0 ? n : 0] = 0;
	if (!strcmp(w, "-L")) {
		ret->root = hb__copy(next_word(w));
		w = next_word(next_word(w));
	}
	if (*w && *w != '-')
		ret->program = *w == '/' ? hb__copy(w) : hb__format("%s/%s", folder, w);
	free(words);
}

/* src/capture/core/descend/runner.c makes this name: RUNNER.PID. */
bool hb__stub_read(const char *folder, const char *file, hb_stub_found *ret)
{
	char program[NAME_MAX + 1];
	const char *dot = strrchr(file, '.');
	int32_t pid = dot ? atoi(dot + 1) : 0;
	*ret = (hb_stub_found){.pid = pid};
	/* one that is left of a process that is gone says nothing */
	if (pid <= 0 || !program_of(pid, program) || strlen(program) != (size_t)(dot - file) ||
		strncmp(program, file, (size_t)(dot - file)) != 0)
		return false;
	ret->address = hb__format("%s/%s", folder, file);
	hb_platform *p = listens(ret->address) ? platform_of(program) : NULL;
	if (!p) {
		hb__stub_free(ret);
		return false;
	}
	ret->gdb = hb__copy(p->gdb ? p->gdb : "gdb");
	read_words(pid, ret);
	hb_platform_free(p);
	return true;
}

void hb__stub_free(hb_stub_found *stub)
{
	free(stub->gdb);
	free(stub->address);
	free(stub->root);
	free(stub->program);
	*stub = (hb_stub_found){0};
}

char *hb__beyond_gdb_of(const char *program)
{
	const char *slash = strrchr(program, '/'), *runner = slash ? slash + 1 : program;
	hb_platform *p = platform_of(runner);
	char *text =
		p ? hb__format(
			    "is run by %s, which gdb would see in its place: %s has to have it from its beginning, as hbdb debug begins it, "
			    "or begun with HBDB_STUBS=FOLDER in the environment, where it waits for that gdb; a process that it makes by fork cannot be had",
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
