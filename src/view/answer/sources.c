/* Source files. The name is as the compiler wrote it: on another machine, or before the folder was moved, it may have stood elsewhere;
 * so it is looked for beside the program and where the command ran, too. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "answer.h"
#include "sources.h"

#define FILES_MOST 20000       /* that a run may name */
#define BYTES_MOST (16u << 20) /* of a file */
#define AROUND_MOST 2000       /* rows before and behind the one asked for */

struct file {
	char *name, *module;
};

struct hb_view_sources {
	struct file *at;
	size_t n;
	bool all; /* the call sites of all processes have been gone through */
};

struct hb_view_sources *hb__sources_new(void) { return calloc(1, sizeof(struct hb_view_sources)); }

void hb__sources_free(struct hb_view_sources *f)
{
	for (size_t i = 0; f && i < f->n; i++) {
		free(f->at[i].name);
		free(f->at[i].module);
	}
	if (f)
		free(f->at);
	free(f);
}

/* ---- which there are ---- */

static const struct file *find(const struct hb_view_sources *f, const char *name)
{
	for (size_t i = 0; i < f->n; i++)
		if (!strcmp(f->at[i].name, name))
			return &f->at[i];
	return NULL;
}

void hb__sources_know(struct hb_view_sources *f, const char *name, const char *module)
{
	if (!name || !*name || f->n >= FILES_MOST || find(f, name))
		return;
	if (!(f->n & (f->n - 1))) {
		struct file *more = realloc(f->at, (f->n ? 2 * f->n : 1) * sizeof *more);
		if (!more)
			return;
		f->at = more;
	}
	struct file new = {strdup(name), module ? strdup(module) : NULL};
	if (new.name)
		f->at[f->n++] = new;
	else
		free(new.module);
}

static void know_all(hb_view_server *s)
{
	struct hb_view_sources *f = s->files;
	if (f->all)
		return;
	f->all = true;
	for (uint32_t p = 0; p < hb_model_get_info(s->model)->processes; p++) {
		const hb_log *log = hb_model_processes(s->model)[p].log;
		for (uint32_t site = 1; log && site < hb_log_get_info(log)->sites; site++) {
			hb_view_place place;
			if (s->o.source.place(s->o.source.user, p, site, &place))
				hb__sources_know(f, place.file, place.module);
		}
	}
}

/* ---- reading ---- */

/* Only a plain file: a pipe would never end. */
static int open_plain(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode))) {
		close(fd);
		return -1;
	}
	return fd;
}

static int open_in(const char *folder, size_t n, const char *name)
{
	char path[4096];
	int length = snprintf(path, sizeof path, "%.*s/%s", (int)n, folder, name);
	return length < (int)sizeof path ? open_plain(path) : -1;
}

static int open_source(const hb_view_server *s, const struct file *file)
{
	const char *slash = strrchr(file->name, '/'), *base = slash ? slash + 1 : file->name;
	const char *end = file->module ? strrchr(file->module, '/') : NULL;
	size_t beside = end ? (size_t)(end - file->module) : 0;
	int fd = file->name[0] == '/' ? open_plain(file->name) : -1;
	if (fd < 0 && s->o.folder && file->name[0] != '/')
		fd = open_in(s->o.folder, strlen(s->o.folder), file->name);
	if (fd < 0 && end && file->name[0] != '/')
		fd = open_in(file->module, beside, file->name);
	if (fd < 0 && end)
		fd = open_in(file->module, beside, base);
	if (fd < 0 && s->o.folder)
		fd = open_in(s->o.folder, strlen(s->o.folder), base);
	return fd;
}

/* NUL terminated; NULL: it cannot be read, or is no text of a size that people write. */
static char *read_all(int fd)
{
	struct stat st;
	if (fd < 0 || fstat(fd, &st) || st.st_size < 0 || st.st_size > BYTES_MOST)
		return NULL;
	size_t size = (size_t)st.st_size, done = 0;
	char *text = malloc(size + 1);
	while (text && done < size) {
		ssize_t n = read(fd, text + done, size - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	if (text)
		text[done] = 0;
	return text;
}

void hb__put_rows(struct hb_request *r, const char *name, int row, int around)
{
	const struct file *file = find(r->server->files, name);
	int fd = file ? open_source(r->server, file) : -1;
	char *text = read_all(fd), *at = text;
	bool first = true;
	hb_text_put(&r->out, "[");
	for (int number = 1; at && *at && number <= row + around; number++) {
		char *end = strchrnul(at, '\n');
		bool more = *end;
		*end = 0;
		if (number >= row - around) {
			hb_text_format(&r->out, "%s{\"row\":%d,\"text\":", first ? "" : ",", number);
			hb_text_json(&r->out, at);
			hb_text_put(&r->out, "}");
			first = false;
		}
		at = more ? end + 1 : end;
	}
	hb_text_put(&r->out, "]");
	free(text);
	if (fd >= 0)
		close(fd);
}

void hb__answer_source(struct hb_request *r)
{
	char name[4096];
	int64_t row, around;
	if (!hb__view_parameter(r, "file", name, sizeof name)) {
		hb__view_refuse(r, 400, "file must be a source file of this run");
		return;
	}
	if (!hb__view_whole(r, "row", 1, 1, INT32_MAX / 2, &row) ||
		!hb__view_whole(r, "around", 10, 0, AROUND_MOST, &around))
		return;
	if (!find(r->server->files, name))
		know_all(r->server);
	if (!find(r->server->files, name)) {
		hb__view_refuse(r, 404, "no call and no frame of this run is in a file of this name");
		return;
	}
	hb_text_put(&r->out, "{\"file\":");
	hb_text_json(&r->out, name);
	hb_text_put(&r->out, ",\"rows\":");
	hb__put_rows(r, name, (int)row, (int)around);
	hb_text_put(&r->out, "}");
}
