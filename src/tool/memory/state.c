/* The folder of state and its files. */
#include "state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_MOST (32u << 20) /* bytes; more is no file of ours */

char *hb__state_path(const char *name, bool make)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	if (!(state && *state == '/') && !(home && *home == '/'))
		return NULL;
	bool own = state && *state == '/';
	char *path = own ? hb__format("%s/hbdb/%s", state, name) : hb__format("%s/.local/state/hbdb/%s", home, name);
	for (char *p = strchr(path + 1, '/'); make && p; p = strchr(p + 1, '/')) {
		*p = 0;
		mkdir(path, 0700);
		*p = '/';
	}
	return path;
}

static bool read_whole(int fd, char *text, size_t n)
{
	for (size_t at = 0; at < n;) {
		ssize_t got = read(fd, text + at, n - at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		at += (size_t)got;
	}
	return true;
}

char *hb__state_read(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return NULL;
	char *text = NULL;
	int error = EPERM;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & 022) &&
		st.st_size <= READ_MOST) {
		text = hb__alloc((size_t)st.st_size + 1);
		error = EIO;
		if (!read_whole(fd, text, (size_t)st.st_size)) {
			free(text);
			text = NULL;
		}
	}
	close(fd);
	errno = error;
	return text;
}

static bool write_whole(int fd, const char *text)
{
	for (size_t n = strlen(text); n;) {
		ssize_t put = write(fd, text, n);
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return false;
		text += put;
		n -= (size_t)put;
	}
	return true;
}

int hb__state_write(const char *path, const char *text)
{
	char *next = hb__format("%s.%d", path, (int)getpid());
	unlink(next); /* of a process of the same number that was killed */
	int fd = open(next, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	bool ok = fd >= 0 && write_whole(fd, text);
	if (fd >= 0)
		ok = !close(fd) && ok;
	ok = ok && !rename(next, path);
	int error = errno;
	if (!ok && fd >= 0)
		unlink(next);
	free(next);
	errno = error;
	return ok ? 0 : -1;
}

int hb__state_append(const char *path, const char *line, size_t *ret_size)
{
	struct stat st;
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	bool ok = fd >= 0 && write_whole(fd, line) && !fstat(fd, &st);
	*ret_size = ok ? (size_t)st.st_size : 0;
	if (fd >= 0)
		ok = !close(fd) && ok;
	return ok ? 0 : -1;
}
