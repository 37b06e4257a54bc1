/* Where the output goes: written under another name, and renamed when it is whole. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../store/find.h"
#include "export.h"

static int cannot_write(const char *path, int error)
{
	return hb__fail_with(HB_EXIT_RECORDING, "cannot write %s: %s", path, strerror(error));
}

static hb_output *new_output(int fd)
{
	hb_output *out = hb__alloc(sizeof *out);
	out->fd = fd;
	return out;
}

static int there_already(const char *path)
{
	return hb__fail_with(
		HB_EXIT_USAGE, "%s exists already: replace it with --force, or choose another name with -o", path);
}

int hb__target_file(const char *path, bool force, hb_export_target *ret)
{
	struct stat st;
	*ret = (hb_export_target){.path = hb__copy(path)};
	if (!strcmp(path, "-")) {
		ret->out = new_output(1);
		return 0;
	}
	bool exists = !stat(path, &st);
	if (exists && S_ISDIR(st.st_mode)) {
		free(ret->path);
		return hb__fail_with(HB_EXIT_USAGE, "%s is a folder: give the name of a file with -o", path);
	}
	if (exists && S_ISREG(st.st_mode) && !force) {
		free(ret->path);
		return there_already(path);
	}
	bool device = exists && !S_ISREG(st.st_mode);
	if (!device)
		ret->part = hb__format("%s.%d.part", path, (int)getpid());
	int fd = open(device ? path : ret->part,
		device ? O_WRONLY | O_CLOEXEC : O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0) {
		int code = cannot_write(path, errno);
		free(ret->part);
		free(ret->path);
		return code;
	}
	ret->out = new_output(fd);
	return 0;
}

/* An archive holds NAME.otf2, NAME.def and the folder NAME, nothing else. */
static bool is_archive(const char *path)
{
	DIR *dir = opendir(path);
	bool anchor = false, other = false;
	for (struct dirent *e; dir && (e = readdir(dir));) {
		anchor = anchor || !strcmp(e->d_name, "traces.otf2");
		other = other || (strcmp(e->d_name, ".") && strcmp(e->d_name, "..") && strcmp(e->d_name, "traces") &&
					 strcmp(e->d_name, "traces.otf2") && strcmp(e->d_name, "traces.def"));
	}
	if (dir)
		closedir(dir);
	return anchor && !other;
}

int hb__target_folder(const char *path, bool force, hb_export_target *ret)
{
	struct stat st;
	*ret = (hb_export_target){.path = hb__copy(path)};
	for (size_t n = strlen(ret->path); n > 1 && ret->path[n - 1] == '/'; n--)
		ret->path[n - 1] = 0;
	int code = 0;
	if (!strcmp(path, "-"))
		code = hb__fail_with(HB_EXIT_USAGE, "an OTF2 archive is a folder: it cannot go to standard output");
	else if (!lstat(ret->path, &st) && !force)
		code = there_already(ret->path);
	else if (!lstat(ret->path, &st) && !is_archive(ret->path))
		code = hb__fail_with(HB_EXIT_USAGE,
			"%s is not an OTF2 archive written by hbdb, so --force does not replace it: choose another name with -o",
			ret->path);
	if (!code) {
		ret->part = hb__format("%s.%d.part", ret->path, (int)getpid());
		if (mkdir(ret->part, 0777))
			code = cannot_write(ret->path, errno);
	}
	if (code) {
		free(ret->part);
		free(ret->path);
	}
	return code;
}

/* The old one leaves only when the new one is whole. */
static bool into_place(const char *part, const char *path, bool folder)
{
	if (!folder || !rename(part, path))
		return folder || !rename(part, path);
	char *old = hb__format("%s.old", part);
	bool good = !rename(path, old) && !rename(part, path);
	if (good)
		hb__remove_folder(old);
	free(old);
	return good;
}

int hb__target_end(hb_export_target *t, bool keep)
{
	int code = 0, error = 0;
	bool folder = !t->out;
	if (t->out) {
		if (keep)
			hb__flush(t->out);
		if (t->out->fd != 1 && close(t->out->fd) && !t->out->broken) {
			t->out->broken = true;
			t->out->error = errno;
		}
		error = t->out->broken ? t->out->error : 0;
	}
	if (keep && error && !(t->out->fd == 1 && error == EPIPE))
		code = cannot_write(t->path, error);
	keep = keep && !error;
	if (keep && t->part && !into_place(t->part, t->path, folder)) {
		code = cannot_write(t->path, errno);
		keep = false;
	}
	if (!keep && t->part && folder)
		hb__remove_folder(t->part);
	else if (!keep && t->part)
		unlink(t->part);
	free(t->out);
	free(t->part);
	free(t->path);
	*t = (hb_export_target){0};
	return code;
}
