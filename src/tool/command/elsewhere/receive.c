/* hbdb receive */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../making/keep.h"
#include "../../memory/recent.h"
#include "../../options.h"
#include "../../sending/sending.h"
#include "../../store/find.h"
#include "../../store/logs.h"

const hb_option hb__receive_options[] = {
	{"output", 'o', HB_OPTION_RECORDING, "NAME.hbdb",
		"the recording to write; default: received-1, received-2, ..."},
	{"keep-raw", 0, HB_OPTION_FLAG, NULL, "keep the logs as they came; do not compress them"},
	{0},
};

#define FARTHEST (UINT64_C(1) << 44) /* no file of a recording is larger */

struct frame {
	uint8_t kind;
	char name[256];
	uint64_t offset;
	uint32_t n;
	uint8_t *bytes; /* HB_FRAME_MOST */
};

/* ---- reading ---- */

static bool get(void *to, size_t n) { return fread(to, 1, n, stdin) == n; }

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
static int get_frame(struct frame *f)
{
	uint8_t head[12], length;
	if (!get(&f->kind, 1) || !get(&length, 1) || !get(f->name, length) || !get(head, sizeof head))
		return 0;
	f->name[length] = 0;
	f->offset = number(head, 8);
	f->n = (uint32_t)number(head + 8, 4);
	if (f->kind == HB_FRAME_END)
		return 1;
	if (f->kind != HB_FRAME_FILE || f->n > HB_FRAME_MOST || f->offset > FARTHEST || strlen(f->name) != length ||
		!is_harmless(f->name))
		return -1;
	return get(f->bytes, f->n);
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

/* *ret_whole: the end came. */
static int receive(const char *recording, bool *ret_whole)
{
	struct frame f = {.bytes = hb__alloc(HB_FRAME_MOST)};
	int code = 0, more;
	while (!code && (more = get_frame(&f)) > 0 && f.kind != HB_FRAME_END)
		code = put_frame(recording, &f);
	if (!code && more < 0)
		code = hb__fail_with(HB_EXIT_RECORDING,
			"what came is not what hbdb record --send of this version sends; what had come before is kept");
	*ret_whole = !code && more > 0;
	free(f.bytes);
	return code;
}

static int keep(const char *recording, bool raw, bool whole)
{
	hb_sum sum;
	hb__finish_logs(recording, !raw, &sum);
	int code = sum.processes ? 0 : hb__fail_with(HB_EXIT_RECORDING, "no event had come");
	if (sum.processes) {
		hb__recent_add(HB_RECENT_MADE, recording);
		hb__print_sum(recording, &sum);
	} else
		hb__remove_folder(recording);
	hb__sum_free(&sum);
	if (!code && !whole)
		code = hb__fail_with(HB_EXIT_RECORDING,
			"the stream ended before the run was over: %s holds what had come until then",
			hb__short(recording));
	return code;
}

int hb__receive(const hb_args *args)
{
	char magic[sizeof HB_STREAM_MAGIC] = "", *recording = NULL;
	bool whole;
	if (isatty(0))
		return hb__fail_with(HB_EXIT_USAGE,
			"receive reads what hbdb record sends, as in hbdb record --send 'ssh HOST hbdb receive' -- mpirun -n 4 ./program");
	if (!get(magic, strlen(HB_STREAM_MAGIC)) || strcmp(magic, HB_STREAM_MAGIC) != 0)
		return hb__fail_with(HB_EXIT_RECORDING, "what comes in is not from hbdb record --send");
	int code = hb__new_recording(hb__option_value(args, "output"), "received", &recording);
	if (code)
		return code;
	code = receive(recording, &whole);
	int kept = keep(recording, hb__option_value(args, "keep-raw") != NULL, whole || code);
	free(recording);
	return code ? code : kept;
}
