/* A trace as a file: its header and its blocks. */
#include "format/trace/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/grow.h"
#include "format/trace/reader/reading.h"

/* Bytes at an offset: all of them, or -1 where the file cannot be read, or as many as there are. */
static ssize_t read_at(const hb_trace *t, void *to, size_t n, uint64_t offset)
{
	size_t got = 0;
	while (got < n) {
		ssize_t more = pread(t->fd, (uint8_t *)to + got, n - got, (off_t)(offset + got));
		if (more < 0 && errno == EINTR)
			continue;
		if (more < 0)
			return -1;
		if (!more)
			break;
		got += (size_t)more;
	}
	return (ssize_t)got;
}

static hb_status read_header(hb_trace *t, uint32_t process, hb_error *err)
{
	(void)process; /* a file has one */
	ssize_t n = read_at(t, &t->header, sizeof t->header, 0);
	if (n < 0)
		return hb__fail(err, HB_E_SYSTEM, t->path, 0, "cannot read %s", t->path);
	size_t known = (size_t)n < sizeof t->header.magic ? (size_t)n : sizeof t->header.magic;
	if (memcmp(t->header.magic, HB_TRACE_MAGIC, known) != 0)
		return hb__fail(err, HB_E_FOREIGN, t->path, 0, "%s is no trace of hbdb compare", t->path);
	if ((size_t)n < sizeof t->header)
		return hb__fail(err, HB_E_DAMAGED, t->path, (uint64_t)n, "the trace ends within its header");
	if (t->header.version != HB_TRACE_VERSION || t->header.incompatible)
		return hb__fail(err, HB_E_VERSION, t->path, 8,
			"the trace is of version %u with flags %#x; this hbdb reads version %u", t->header.version,
			t->header.incompatible, HB_TRACE_VERSION);
	t->next = sizeof t->header;
	return HB_OK;
}

/* All of a text, and its process. */
static hb_status read_text(hb_trace *t, uint32_t process, hb_error *err)
{
	static const char head[] = "hbdb-trace 1\n";
	struct stat st;
	if (fstat(t->fd, &st))
		return hb__fail(err, HB_E_SYSTEM, t->path, 0, "cannot read %s", t->path);
	size_t size = S_ISREG(st.st_mode) && st.st_size > 0 ? (size_t)st.st_size : 0;
	t->whole = calloc(1, size + 1);
	if (!t->whole)
		return hb__fail(err, HB_E_MEMORY, t->path, 0, "out of memory");
	ssize_t n = read_at(t, t->whole, size, 0);
	if (n < 0)
		return hb__fail(err, HB_E_SYSTEM, t->path, 0, "cannot read %s", t->path);
	if ((size_t)n < sizeof head - 1 || memcmp(t->whole, head, sizeof head - 1) != 0)
		return hb__fail(
			err, HB_E_FOREIGN, t->path, 0, "%s is no text of traces (hbdb dump --compare)", t->path);
	t->line = t->whole + sizeof head - 1;
	t->last_line = t->whole + n;
	t->lines = 1;
	if (!hb__trace_text_begin(t, process))
		return hb__fail(err, HB_E_ARGUMENT, t->path, 0, "%s has not so many processes", t->path);
	return HB_OK;
}

static hb_status open_file(const char *path, hb_status (*read)(hb_trace *, uint32_t, hb_error *), uint32_t process,
	hb_trace **ret, hb_error *err)
{
	hb_trace *t = calloc(1, sizeof *t);
	*ret = NULL;
	if (!t || !(t->path = strdup(path))) {
		free(t);
		return hb__fail(err, HB_E_MEMORY, path, 0, "out of memory");
	}
	t->fd = open(path, O_RDONLY | O_CLOEXEC);
	hb_status status =
		t->fd < 0 ? hb__fail(err, HB_E_SYSTEM, path, 0, "cannot open %s", path) : read(t, process, err);
	if (status)
		hb_trace_close(t);
	else
		*ret = t;
	return status;
}

hb_status hb_trace_open(const char *path, hb_trace **ret_trace, hb_error *err)
{
	return open_file(path, read_header, 0, ret_trace, err);
}

hb_status hb_trace_open_text(const char *path, uint32_t process, hb_trace **ret_trace, hb_error *err)
{
	return open_file(path, read_text, process, ret_trace, err);
}

void hb_trace_close(hb_trace *t)
{
	if (!t)
		return;
	if (t->fd >= 0)
		close(t->fd);
	hb__trace_forget(t);
	free(t->payload);
	free(t->whole);
	free(t->open);
	free(t->text);
	free(t->other_text);
	free(t->path);
	free(t);
}

const struct hb_trace_header *hb_trace_get_header(const hb_trace *t) { return &t->header; }

bool hb_trace_over(const hb_trace *t) { return t->over; }

static int damage(hb_trace *t, uint64_t offset, const char *what, hb_error *err)
{
	if (!t->damage[0])
		snprintf(t->damage, sizeof t->damage, "%s", what);
	return hb__fail(err, HB_E_DAMAGED, t->path, offset, "%s", t->damage);
}

/* The next block: 1; 0: there is none yet; or a negative status. */
static int read_block(hb_trace *t, hb_error *err)
{
	struct hb_trace_block head;
	ssize_t n = read_at(t, &head, sizeof head, t->next);
	if (n < 0)
		return hb__fail(err, HB_E_SYSTEM, t->path, t->next, "cannot read %s", t->path);
	if ((size_t)n < sizeof head)
		return 0;
	if (!head.bytes || head.bytes > HB_TRACE_BLOCK_MOST)
		return damage(t, t->next, "a block of the trace has no possible length", err);
	if (!HB_GROW(t->payload, t->room, head.bytes))
		return hb__fail(err, HB_E_MEMORY, t->path, t->next, "out of memory");
	t->at = t->next + sizeof head;
	n = read_at(t, t->payload, head.bytes, t->at);
	if (n < 0)
		return hb__fail(err, HB_E_SYSTEM, t->path, t->at, "cannot read %s", t->path);
	if ((size_t)n < head.bytes)
		return 0;
	if (XXH3_64bits_withSeed(t->payload, head.bytes, t->block) != head.check)
		return damage(t, t->next, "a block of the trace is damaged: its checksum does not fit", err);
	t->in = (struct hb__in){.p = t->payload, .end = t->payload + head.bytes};
	t->thread = head.thread;
	t->next = t->at + head.bytes;
	t->block++;
	return 1;
}

static int next_line(hb_trace *t, hb_trace_record *ret, hb_error *err)
{
	int got = hb__trace_text_next(t, ret);
	char what[80];
	snprintf(what, sizeof what, "line %llu is no record", (unsigned long long)t->lines);
	t->over = t->over || ret->kind == HB_TRACE_OVER;
	return got < 0 ? damage(t, 0, what, err) : got;
}

int hb_trace_next(hb_trace *t, hb_trace_record *ret, hb_error *err)
{
	*ret = (hb_trace_record){0};
	if (t->damage[0])
		return damage(t, t->next, t->damage, err);
	if (t->whole)
		return next_line(t, ret, err);
	while (t->in.p == t->in.end) {
		int got = read_block(t, err);
		if (got <= 0)
			return got;
	}
	uint64_t offset = t->at + (uint64_t)(t->in.p - t->payload);
	if (!hb__trace_record(t, ret)) {
		t->in.p = t->in.end;
		return damage(t, offset, "a record of the trace contradicts the format", err);
	}
	t->over = t->over || ret->kind == HB_TRACE_OVER;
	return 1;
}
