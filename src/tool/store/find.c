/* Names of recordings. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../memory/recent.h"
#include "../options.h"
#include "find.h"
#include "lone.h"
#include "logs.h"
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

static bool looks_recorded(const char *path)
{
	char *manifest = hb__format("%s/manifest.json", path);
	bool found = !access(manifest, F_OK);
	free(manifest);
	DIR *dir = found ? NULL : opendir(path);
	for (struct dirent *e; dir && !found && (e = readdir(dir));) {
		found = hb__is_log_name(e->d_name) || hb__is_node_file(e->d_name);
	}
	if (dir)
		closedir(dir);
	return found;
}

/* The end of the run stands in the manifest, once there is one. */
static bool under_way(const char *path)
{
	hb_manifest m;
	if (hb__manifest_read(path, &m))
		return false;
	bool over = m.finished && !m.open;
	hb__manifest_free(&m);
	return !over;
}

static bool is_recording(const char *path) { return is_folder(path) && looks_recorded(path); }
static bool is_under_way(const char *path) { return is_recording(path) && under_way(path); }

/* It says itself that it was made in this folder: it was given another name since, or who made it is not known. */
static bool made_here(const char *path)
{
	hb_manifest m;
	char here[PATH_MAX];
	char *manifest = hb__format("%s/manifest.json", path);
	bool found = !access(manifest, R_OK) && getcwd(here, sizeof here) && !hb__manifest_read(path, &m);
	free(manifest);
	if (!found)
		return false;
	bool same = m.folder && !strcmp(m.folder, here);
	hb__manifest_free(&m);
	return same;
}

static char *newest_here(bool (*fits)(const char *path))
{
	char *best = NULL;
	struct timespec time = {0};
	DIR *dir = opendir(".");
	for (struct dirent *e; dir && (e = readdir(dir));) {
		struct stat st;
		size_t n = strlen(e->d_name), s = strlen(SUFFIX);
		if (n <= s || strcmp(e->d_name + n - s, SUFFIX) || stat(e->d_name, &st) || !is_recording(e->d_name))
			continue;
		bool later = !best || st.st_mtim.tv_sec > time.tv_sec ||
			     (st.st_mtim.tv_sec == time.tv_sec && st.st_mtim.tv_nsec > time.tv_nsec);
		if (!later || !fits(e->d_name))
			continue;
		free(best);
		best = hb__copy(e->d_name);
		time = st.st_mtim;
	}
	if (dir)
		closedir(dir);
	return best;
}

static int say_found(char *found, const char *which, char **ret)
{
	*ret = realpath(found, NULL);
	hb__say("recording %s%s", hb__short(*ret ? *ret : found), which);
	free(found);
	return *ret ? 0 : HB_EXIT_RECORDING;
}

static int find_last(char **ret)
{
	char *last = hb__recent_last(HB_RECENT_MADE, HB_RECENT_HERE, is_recording);
	if (!last)
		last = newest_here(made_here);
	if (last)
		return say_found(last, "", ret);
	last = hb__recent_last(HB_RECENT_MADE, HB_RECENT_SESSION, is_recording);
	if (last)
		return say_found(
			last, ": none was made in this folder; this is the last one of this terminal session", ret);
	last = hb__recent_last(HB_RECENT_MADE, HB_RECENT_USER, is_recording);
	if (last)
		return say_found(
			last, ": none was made in this folder or in this terminal session; this is your last one", ret);
	last = newest_here(is_recording);
	if (last)
		return say_found(last, "", ret);
	return hb__fail_with(HB_EXIT_USAGE,
		"there is no recording yet: make one with 'hbdb record -- COMMAND', or give the name of one");
}

/* ---- by name ---- */

/* Says so, and which recording of the same folder is called nearly so. */
static int no_recording(const char *given)
{
	const char *slash = strrchr(given, '/');
	char *folder = hb__format("%.*s", slash ? (int)(slash + 1 - given) : 0, given);
	char *word = hb__copy(slash ? slash + 1 : given);
	size_t s = strlen(SUFFIX);
	if (strlen(word) > s && !strcmp(word + strlen(word) - s, SUFFIX))
		word[strlen(word) - s] = 0;
	hb_guess g = {.word = word};
	DIR *dir = opendir(slash ? folder : ".");
	for (struct dirent *e; dir && (e = readdir(dir));) {
		size_t n = strlen(e->d_name);
		char *path = hb__format("%s%s", folder, e->d_name);
		char *name = n > s && !strcmp(e->d_name + n - s, SUFFIX) && is_recording(path)
				     ? hb__format("%.*s", (int)(n - s), e->d_name)
				     : NULL;
		if (name)
			hb__guess(&g, name);
		free(name);
		free(path);
	}
	if (dir)
		closedir(dir);
	int code = *g.best ? hb__fail_with(HB_EXIT_RECORDING,
				     "%s: there is no recording of this name; did you mean '%s%s" SUFFIX "'?", given,
				     folder, g.best)
			   : hb__fail_with(HB_EXIT_RECORDING, "%s: there is no recording of this name", given);
	free(word);
	free(folder);
	return code;
}

int hb__find_recording(const char *given, char **ret)
{
	*ret = NULL;
	if (!given)
		return find_last(ret);
	char *longer = hb__format("%s" SUFFIX, given);
	struct stat st;
	/* the program farm, or a folder of its sources, may lie beside farm.hbdb */
	if (is_recording(longer) ? !is_recording(given) : !is_folder(given) && is_folder(longer))
		*ret = realpath(longer, NULL);
	free(longer);
	if (!*ret && stat(given, &st))
		return errno == ENOENT ? no_recording(given)
				       : hb__fail_with(HB_EXIT_RECORDING, "%s: %s", given, strerror(errno));
	if (!*ret && S_ISREG(st.st_mode) && hb__is_lone(given))
		return hb__find_lone(given, ret);
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
			"%s is a folder, but not an hbdb recording: it has neither manifest.json nor a log", given);
	return 0;
}

int hb__find_running(const char *given, char **ret)
{
	if (given)
		return hb__find_recording(given, ret);
	char *last = NULL;
	for (int how = HB_RECENT_HERE; how <= HB_RECENT_USER && !last; how++)
		last = hb__recent_last(HB_RECENT_RUNNING, (hb_recent_how)how, is_under_way);
	last = last ? last : newest_here(is_under_way);
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
