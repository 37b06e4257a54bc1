/* A file in the place of a recording. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <hbdb/self/log.h>

#include "find.h"
#include "lone.h"

static char *temporary; /* the folder that the recording of this process is in */
static pid_t made_by;

/* What is in it, files before their folders, for a handler of signals: it may remove what it knows, but not look. */
static hb_strings inside;

/* Recordings, each before the file that it was made of. */
static hb_strings made;

const char *hb__lone_file(const char *recording)
{
	for (size_t i = 0; i + 1 < made.n; i += 2)
		if (!strcmp(made.at[i], recording))
			return made.at[i + 1];
	return recording;
}

static void remove_temporary(void)
{
	if (temporary && made_by == getpid())
		hb__remove_folder(temporary);
}

/* The process is ended from outside; a command that has to do with these signals itself takes them later. */
static void on_end(int number)
{
	for (size_t i = 0; made_by == getpid() && i < inside.n; i++)
		if (unlink(inside.at[i]))
			rmdir(inside.at[i]);
	rmdir(temporary);
	signal(number, SIG_DFL);
	raise(number);
}

static void note_inside(const char *folder)
{
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
	DIR *dir = opendir(folder);
	for (struct dirent *e; dir && (e = readdir(dir));)
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..")) {
			char *path = hb__format("%s/%s", folder, e->d_name);
			hb__push(&inside, path);
			free(path);
		}
	if (dir)
		closedir(dir);
	hb__push(&inside, folder);
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		void (*before)(int) = signal(ends[i], on_end);
		if (before != SIG_DFL)
			signal(ends[i], before);
	}
}

bool hb__is_lone(const char *path)
{
	char magic[sizeof HB_STREAM_MAGIC - 1];
	int file = open(path, O_RDONLY | O_CLOEXEC);
	bool is = file >= 0 && read(file, magic, sizeof magic) == (ssize_t)sizeof magic &&
		  !memcmp(magic, HB_STREAM_MAGIC, sizeof magic);
	if (file >= 0)
		close(file);
	return is;
}

void hb__lone_manifest(const hb_import_told *told, const char *file, hb_manifest *m)
{
	char *nothing[] = {NULL}, path[PATH_MAX], text[64];
	time_t seconds = (time_t)(told->begun / 1000000000);
	struct tm utc;
	hb__manifest_begin(m, nothing);
	hb__strings_free(&m->environment);
	free(m->started);
	strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", gmtime_r(&seconds, &utc));
	m->started = hb__format("%s.%03uZ", text, (unsigned)(told->begun / 1000000 % 1000));
	m->level = hb__copy("events");
	m->layers = told->spans ? HB_LAYER_USER : HB_LAYER_SOCKETS;
	m->imported_from = hb__copy(told->from);
	m->imported_file = hb__copy(realpath(file, path) ? path : file);
	m->finished = true;
	m->processes = told->processes;
	m->seconds = (double)(told->ended - told->begun) / 1e9;
}

/* TMPDIR/hbdb.XXXXXX/NAME.hbdb: the recording is called as the file is. NULL: errno says why. */
static char *make_folder(const char *file)
{
	const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file, *tmp = getenv("TMPDIR");
	if (!temporary) {
		char *folder = hb__format("%s/hbdb.XXXXXX", tmp && *tmp == '/' ? tmp : "/tmp");
		if (!mkdtemp(folder)) {
			free(folder);
			return NULL;
		}
		temporary = folder;
		made_by = getpid();
		atexit(remove_temporary);
	}
	for (unsigned i = 1;; i++) { /* a command may take two files of the same name */
		char *recording = i > 1 ? hb__format("%s/%s-%u.hbdb", temporary, name, i)
					: hb__format("%s/%s.hbdb", temporary, name);
		if (!mkdir(recording, 0700))
			return recording;
		free(recording);
		if (errno != EEXIST)
			return NULL;
	}
}

static int fill(const char *file, const hb_import *import, const char *folder)
{
	hb_error err = {0};
	hb_manifest m = {0};
	hb_import_told told;
	if (hb_import_write(import, folder, &err))
		return hb__fail_with(HB_EXIT_USAGE, "%s: %s", folder, err.sys ? strerror(err.sys) : err.message);
	hb_import_tell(import, &told);
	for (size_t i = 0; i < told.notes; i++)
		hb__say("%s: %s", file, told.note[i]);
	hb__lone_manifest(&told, file, &m);
	int code = hb__manifest_write(&m, folder)
			   ? hb__fail_with(HB_EXIT_USAGE, "%s/manifest.json: %s", folder, strerror(errno))
			   : 0;
	hb__manifest_free(&m);
	return code;
}

int hb__find_lone(const char *file, char **ret)
{
	hb_error err = {0};
	hb_import *import;
	if (hb_import_read(file, NULL, &import, &err))
		return hb__fail_with(
			HB_EXIT_RECORDING, "%s", err.status == HB_E_SYSTEM ? strerror(err.sys) : err.message);
	char *folder = make_folder(file);
	int code = folder ? fill(file, import, folder)
			  : hb__fail_with(HB_EXIT_USAGE, "cannot make a folder for temporary files: %s; set TMPDIR",
				    strerror(errno));
	hb_import_free(import);
	if (folder && !code) {
		note_inside(folder);
		hb__push(&made, folder);
		hb__push(&made, file);
	}
	if (code)
		free(folder);
	else
		*ret = folder;
	return code;
}
