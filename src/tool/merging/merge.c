/* The recording that a capture is merged with. */
#include "merge.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../store/find.h"

static int refuse(const hb_merge *m, const char *why)
{
	return hb__fail_with(HB_EXIT_USAGE, "import --with %s: %s", hb__short(m->path), why);
}

int hb__merging_begin(const char *given, hb_merge *ret)
{
	*ret = (hb_merge){0};
	int code = hb__find_recording(given, &ret->path);
	if (code)
		return code;
	if (hb__manifest_read(ret->path, &ret->manifest))
		return HB_EXIT_RECORDING;
	if (ret->manifest.imported_from)
		return refuse(ret, "it was made of a file itself; give the recording of a run");
	if (!ret->manifest.finished || ret->manifest.open)
		return refuse(ret, "it is still being made, or was never completed (hbdb record --stop)");
	if (!hb__manifest_has_calls(&ret->manifest))
		return refuse(ret, "it has choices alone, and not all calls: record at level events or data");
	code = hb__list_logs(ret->path, &ret->logs);
	ret->log_paths = hb__alloc((ret->logs.n + 1) * sizeof *ret->log_paths);
	for (size_t i = 0; i < ret->logs.n; i++)
		ret->log_paths[i] = ret->logs.at[i].path;
	return code || ret->logs.n ? code : refuse(ret, "it has no rank.N.log: nothing was recorded");
}

void hb__merging_end(hb_merge *m)
{
	hb__close_logs(&m->logs);
	hb__manifest_free(&m->manifest);
	free(m->log_paths);
	free(m->path);
}

/* False: errno. */
static bool copy_file(int from_folder, int to_folder, const char *name)
{
	static char bytes[1 << 16];
	ssize_t n = -1;
	int from = openat(from_folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	int to = from < 0 ? -1 : openat(to_folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	while (to >= 0 && (n = read(from, bytes, sizeof bytes)) > 0)
		for (ssize_t done = 0, wrote; done < n; done += wrote)
			if ((wrote = write(to, bytes + done, (size_t)(n - done))) < 0) {
				n = -1;
				goto end;
			}
end:;
	int why = errno;
	if (from >= 0)
		close(from);
	if (to >= 0 && close(to) && !n) {
		n = -1;
		why = errno;
	}
	errno = why;
	return n == 0;
}

/* Logs, and the contents beside them. */
static bool is_wanted(const char *name)
{
	size_t n = strlen(name), data = strlen(".data");
	char *log =
		n > data && !strcmp(name + n - data, ".data") ? hb__format("%.*s.log", (int)(n - data), name) : NULL;
	bool wanted = hb__is_log_name(log ? log : name);
	free(log);
	return wanted;
}

int hb__merging_copy(const hb_merge *m, const char *folder)
{
	DIR *from = opendir(m->path), *to = opendir(folder);
	int code = 0;
	if (!from || !to)
		code = hb__fail_with(HB_EXIT_RECORDING, "%s: %s", from ? folder : m->path, strerror(errno));
	for (struct dirent *e; !code && (e = readdir(from));)
		if (is_wanted(e->d_name) && !copy_file(dirfd(from), dirfd(to), e->d_name))
			code = hb__fail_with(HB_EXIT_USAGE, "%s/%s cannot be copied to %s: %s", m->path, e->d_name,
				folder, strerror(errno));
	if (from)
		closedir(from);
	if (to)
		closedir(to);
	return code;
}
