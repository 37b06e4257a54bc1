/* What comes in becomes files. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../store/logs.h"
#include "sending.h"

#define FARTHEST (UINT64_C(1) << 44) /* no file of a recording is larger */

struct frame {
	uint8_t kind;
	char name[256];
	uint64_t offset;
	uint32_t n;
	uint8_t *bytes; /* HB_FRAME_MOST */
};

/* ---- reading ---- */

static bool get(FILE *from, void *to, size_t n) { return fread(to, 1, n, from) == n; }

static uint64_t number(const uint8_t *p, int n)
{
	uint64_t v = 0;
	while (n-- > 0)
		v = v << 8 | p[n];
	return v;
}

/* A name of a file in the recording, or in a folder of it: nothing that leads out of it, and nothing hidden. */
static bool is_harmless(const char *name)
{
	const char *slash = strchr(name, '/');
	if (!*name || *name == '.' ||
		(slash && (slash == name || slash[1] == '.' || !slash[1] || strchr(slash + 1, '/'))))
		return false;
	return !name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/")];
}

/* 1, 0 when the stream is cut, -1 when it is not one. */
static int get_frame(FILE *from, struct frame *f)
{
	uint8_t head[12], length;
	if (!get(from, &f->kind, 1) || !get(from, &length, 1) || !get(from, f->name, length) ||
		!get(from, head, sizeof head))
		return 0;
	f->name[length] = 0;
	f->offset = number(head, 8);
	f->n = (uint32_t)number(head + 8, 4);
	if (f->kind == HB_FRAME_END)
		return 1;
	if (f->kind != HB_FRAME_FILE || f->n > HB_FRAME_MOST || f->offset > FARTHEST || strlen(f->name) != length ||
		!is_harmless(f->name))
		return -1;
	return get(from, f->bytes, f->n);
}

/* ---- writing ---- */

static bool put(int fd, const struct frame *f)
{
	for (uint32_t at = 0; at < f->n;) {
		ssize_t n = pwrite(fd, f->bytes + at, f->n - at, (off_t)(f->offset + at));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += (uint32_t)n;
	}
	return true;
}

/* Logs are written at any place; other files from their beginning, and anew when they come again. */
static int put_frame(const char *recording, const struct frame *f)
{
	char *path = hb__format("%s/%s", recording, f->name), *slash = strrchr(f->name, '/');
	int flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | (f->offset || hb__is_log_name(f->name) ? 0 : O_TRUNC);
	if (slash) {
		char *folder = hb__format("%s/%.*s", recording, (int)(slash - f->name), f->name);
		mkdir(folder, 0777);
		free(folder);
	}
	int fd = open(path, flags, 0666);
	bool good = fd >= 0 && put(fd, f);
	int code = good ? 0 : hb__fail_with(HB_EXIT_USAGE, "%s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	free(path);
	return code;
}

bool hb__stream_begins(FILE *from)
{
	char magic[sizeof HB_STREAM_MAGIC] = "";
	return get(from, magic, strlen(HB_STREAM_MAGIC)) && !strcmp(magic, HB_STREAM_MAGIC);
}

int hb__receive_stream(FILE *from, const char *recording, bool *ret_whole)
{
	struct frame f = {.bytes = hb__alloc(HB_FRAME_MOST)};
	int code = 0, more;
	while (!code && (more = get_frame(from, &f)) > 0 && f.kind != HB_FRAME_END)
		code = put_frame(recording, &f);
	if (!code && more < 0)
		code = hb__fail_with(HB_EXIT_RECORDING,
			"what came is not what hbdb record --send of this version sends; what had come before is kept");
	*ret_whole = !code && more > 0;
	free(f.bytes);
	return code;
}
