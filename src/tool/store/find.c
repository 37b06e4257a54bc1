/* Names of recordings. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "find.h"
#include "manifest.h"

#define SUFFIX ".hbdb"

static bool is_folder(const char *path)
{
	struct stat st;
	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static int cannot_make(const char *path)
{
	if (errno == EEXIST)
		return hb__fail_with(
			HB_EXIT_USAGE, "%s exists already: remove it, or choose another name with -o", path);
	return hb__fail_with(
		HB_EXIT_USAGE, "cannot create the folder %s: %s; choose another place with -o", path, strerror(errno));
}

/* A place that cannot be written must not keep the program from running: the recording goes elsewhere. */
static int make_elsewhere(const char *path, char **ret)
{
	int error = errno;
	const char *folder = getenv("TMPDIR"), *slash = strrchr(path, '/');
	if (error != EACCES && error != EROFS && error != EPERM && error != ENOSPC && error != EDQUOT)
		return cannot_make(path);
	folder = folder && *folder == '/' ? folder : "/tmp";
	for (unsigned i = 1; i < 1000000; i++) {
		char *other = hb__format("%s/%u-%s", folder, i, slash ? slash + 1 : path);
		if (!mkdir(other, 0777)) {
			hb__say("cannot create the folder %s: %s; recording to %s", path, strerror(error), other);
			*ret = other;
			return 0;
		}
		free(other);
		if (errno != EEXIST)
			break;
	}
	errno = error;
	return cannot_make(path);
}

static int make(const char *path, char **ret)
{
	if (mkdir(path, 0777))
		return make_elsewhere(path, ret);
	*ret = realpath(path, NULL);
	return *ret ? 0 : cannot_make(path);
}

int hb__new_recording(const char *given, const char *program, char **ret)
{
	if (given)
		return make(given, ret);
	const char *slash = strrchr(program, '/');
	const char *name = slash ? slash + 1 : program;
	const char *dot = strrchr(name, '.');
	int length = dot && dot > name && (!strcmp(dot, ".py") || !strcmp(dot, ".sh")) ? (int)(dot - name)
										       : (int)strlen(name);
	for (unsigned i = 1;; i++) {
		char *path = hb__format("%.*s-%u" SUFFIX, length, name, i);
		int code = 0;
		if (!mkdir(path, 0777)) {
			*ret = realpath(path, NULL);
			code = *ret ? 0 : cannot_make(path);
		} else if (errno == EEXIST && i < 1000000) {
			free(path);
			continue;
		} else
			code = make_elsewhere(path, ret);
		free(path);
		return code;
	}
}

#define LAST "last"
#define RUNNING "running"

/* $XDG_STATE_HOME/hbdb/NAME, or ~/.local/state/hbdb/NAME; NULL without a home. */
static char *memory_path(const char *name, bool make_folders)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	if (!(state && *state == '/') && !(home && *home == '/'))
		return NULL;
	bool own = state && *state == '/';
	char *path = own ? hb__format("%s/hbdb/%s", state, name) : hb__format("%s/.local/state/hbdb/%s", home, name);
	for (char *p = strchr(path + 1, '/'); make_folders && p; p = strchr(p + 1, '/')) {
		*p = 0;
		mkdir(path, 0700);
		*p = '/';
	}
	return path;
}

static void remember(const char *name, const char *path)
{
	char *file = memory_path(name, true);
	if (!file)
		return;
	char *next = hb__format("%s.%d", file, (int)getpid());
	FILE *f = fopen(next, "we");
	if (f) {
		bool ok = fprintf(f, "%s\n", path) > 0;
		ok = !fclose(f) && ok;
		if (!ok || rename(next, file))
			unlink(next);
	}
	free(next);
	free(file);
}

void hb__remember(const char *path) { remember(LAST, path); }
void hb__remember_running(const char *path) { remember(RUNNING, path); }

static bool looks_recorded(const char *path)
{
	char *manifest = hb__format("%s/manifest.json", path);
	bool found = !access(manifest, F_OK);
	free(manifest);
	DIR *dir = found ? NULL : opendir(path);
	for (struct dirent *e; dir && !found && (e = readdir(dir));) {
		size_t n = strlen(e->d_name);
		found = !strncmp(e->d_name, "rank.", 5) && n > 9 && !strcmp(e->d_name + n - 4, ".log");
	}
	if (dir)
		closedir(dir);
	return found;
}

static char *remembered(const char *name)
{
	char line[PATH_MAX + 2] = "";
	char *file = memory_path(name, false);
	FILE *f = file ? fopen(file, "re") : NULL;
	free(file);
	if (f && fgets(line, sizeof line, f))
		line[strcspn(line, "\n")] = 0;
	if (f)
		fclose(f);
	return *line && is_folder(line) && looks_recorded(line) ? hb__copy(line) : NULL;
}

/* The end of the run stands in the manifest, once there is one. */
static bool under_way(const char *path)
{
	hb_manifest m;
	if (hb__manifest_read(path, &m))
		return false;
	bool finished = m.finished;
	hb__manifest_free(&m);
	return !finished;
}

static char *newest_here(bool running)
{
	char *best = NULL;
	struct timespec time = {0};
	DIR *dir = opendir(".");
	for (struct dirent *e; dir && (e = readdir(dir));) {
		struct stat st;
		size_t n = strlen(e->d_name), s = strlen(SUFFIX);
		if (n <= s || strcmp(e->d_name + n - s, SUFFIX) || stat(e->d_name, &st) || !S_ISDIR(st.st_mode) ||
			!looks_recorded(e->d_name) || (running && !under_way(e->d_name)))
			continue;
		if (!best || st.st_mtim.tv_sec > time.tv_sec ||
			(st.st_mtim.tv_sec == time.tv_sec && st.st_mtim.tv_nsec > time.tv_nsec)) {
			free(best);
			best = hb__copy(e->d_name);
			time = st.st_mtim;
		}
	}
	if (dir)
		closedir(dir);
	return best;
}

static int find_last(char **ret)
{
	char *last = remembered(LAST);
	if (!last)
		last = newest_here(false);
	if (!last)
		return hb__fail_with(HB_EXIT_USAGE,
			"there is no recording yet: make one with 'hbdb record -- COMMAND', or give the name of one");
	*ret = realpath(last, NULL);
	hb__say("recording %s", hb__short(*ret ? *ret : last));
	free(last);
	return *ret ? 0 : HB_EXIT_RECORDING;
}

int hb__find_recording(const char *given, char **ret)
{
	*ret = NULL;
	if (!given)
		return find_last(ret);
	char *longer = hb__format("%s" SUFFIX, given);
	struct stat st;
	if (stat(given, &st) && is_folder(longer))
		*ret = realpath(longer, NULL);
	free(longer);
	if (!*ret && stat(given, &st))
		return hb__fail_with(HB_EXIT_RECORDING, "%s: %s", given,
			errno == ENOENT ? "there is no recording of this name" : strerror(errno));
	if (!*ret && !S_ISDIR(st.st_mode))
		return hb__fail_with(HB_EXIT_RECORDING, "%s is a file; a recording is a folder, NAME" SUFFIX, given);
	if (!*ret)
		*ret = realpath(given, NULL);
	DIR *dir = *ret ? opendir(*ret) : NULL;
	if (!dir)
		return hb__fail_with(HB_EXIT_RECORDING, "%s: %s", given, strerror(errno));
	closedir(dir);
	if (!looks_recorded(*ret))
		return hb__fail_with(HB_EXIT_RECORDING,
			"%s is a folder, but not an hbdb recording: it has neither manifest.json nor rank.N.log",
			given);
	return 0;
}

int hb__find_running(const char *given, char **ret)
{
	if (given)
		return hb__find_recording(given, ret);
	char *last = remembered(RUNNING);
	if (last && !under_way(last)) {
		free(last);
		last = NULL;
	}
	last = last ? last : newest_here(true);
	*ret = last ? realpath(last, NULL) : NULL;
	free(last);
	if (!*ret)
		return hb__fail_with(HB_EXIT_USAGE,
			"no job is being recorded: start one with 'hbdb record -- COMMAND', or give the name of its recording");
	hb__say("recording %s", hb__short(*ret));
	return 0;
}

void hb__remove_folder(const char *path)
{
	DIR *dir = opendir(path);
	for (struct dirent *e; dir && (e = readdir(dir));) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		char *inside = hb__format("%s/%s", path, e->d_name);
		if (e->d_type == DT_DIR)
			hb__remove_folder(inside);
		else
			unlink(inside);
		free(inside);
	}
	if (dir)
		closedir(dir);
	rmdir(path);
}

const char *hb__short(const char *path)
{
	char here[PATH_MAX];
	if (!getcwd(here, sizeof here))
		return path;
	size_t n = strlen(here);
	return !strncmp(path, here, n) && path[n] == '/' ? path + n + 1 : path;
}
