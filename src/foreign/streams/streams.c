/* Logs of libhbdb-self (include/hbdb/self/log.h): each process that is in one gets a log, each of its threads a lane, each type of events a function. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hbdb/self.h>
#include <hbdb/self/log.h>
#include <hbdb/self/log_file.h>

#include "base/grow.h"
#include "calls/calls.h"
#include "foreign/import.h"
#include "format/row.h"

#define BEFORE 1000 /* nanoseconds from tick 0 to the first event: a tick of 0 says that there are no times */
#define LANES_MOST 60000

/* What the values of an event are: how many bytes of data it has, and these as a number, as a text, or not at all. */
enum shape { PLAIN, NUMBER, TEXT, SHAPES };

struct thread {
	uint64_t number;
	uint64_t exit; /* of its last event */
};

struct process {
	hb_draft *draft;
	uint32_t pid;
	struct thread *thread;
	size_t threads, cap;
	uint32_t function[HB_STREAM_NAMES][SHAPES]; /* 1 + its number; 0: not defined yet */
};

struct reading {
	hb_import *import;
	struct hb_stream_file file;
	struct hb_stream_log log;
	struct process **process;
	size_t processes, cap;
	uint64_t origin, truncated;
	char host[65];
};

static struct process *process_of(struct reading *r, uint32_t pid)
{
	for (size_t i = r->processes; i-- > 0;)
		if (r->process[i]->pid == pid)
			return r->process[i];
	char program[sizeof r->log.head->program + 1];
	snprintf(program, sizeof program, "%.*s", (int)sizeof r->log.head->program, r->log.head->program);
	struct process *p = HB_GROW(r->process, r->cap, r->processes + 1) ? calloc(1, sizeof *p) : NULL;
	if (!p)
		return NULL;
	p->pid = pid;
	r->import->next_pid = pid ? pid : 1;
	p->draft = hb__import_process(r->import, program[0] ? program : "program", r->origin, false);
	if (!p->draft) {
		free(p);
		return NULL;
	}
	hb_draft_layer(p->draft, "user");
	r->process[r->processes++] = p;
	return p;
}

/* The lane of a thread; the last one has all that are too many. -1: out of memory. */
static int64_t lane_of(struct process *p, uint64_t thread)
{
	for (size_t i = p->threads; i-- > 0;)
		if (p->thread[i].number == thread)
			return (int64_t)i;
	if (p->threads == LANES_MOST)
		return LANES_MOST - 1;
	if (!HB_GROW(p->thread, p->cap, p->threads + 1))
		return -1;
	p->thread[p->threads] = (struct thread){.number = thread};
	hb_draft_lane(p->draft);
	return (int64_t)p->threads++;
}

static enum shape shape_of(const struct hb_stream_record *e)
{
	uint32_t n = e->bytes;
	if (e->id < HB_POSIX_TRACE_UNNAMED_USEREVENT)
		return e->id == HB_POSIX_TRACE_ERROR || e->id == HB_POSIX_TRACE_STOP ? NUMBER : PLAIN;
	uint32_t text = n;
	while (text && !e->data[text - 1])
		text--; /* with its terminator, or in a field of a fixed size */
	bool printable = text > 0;
	for (uint32_t i = 0; i < text; i++)
		printable = printable && (e->data[i] >= ' ' || e->data[i] == '\t' || e->data[i] == '\n');
	if (printable && text + 1 >= n && n > 1)
		return TEXT;
	return n == 1 || n == 2 || n == 4 || n == 8 ? NUMBER : n ? TEXT : PLAIN;
}

/* A signed integer in the byte order of the machine that wrote it. */
static int64_t number_of(const struct reading *r, const struct hb_stream_record *e)
{
	uint64_t v = 0;
	bool big = (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) != (r->log.turned != 0);
	for (uint32_t i = 0; i < e->bytes && i < 8; i++)
		v |= (uint64_t)e->data[big ? e->bytes - 1 - i : i] << 8 * i;
	unsigned unused = 64 - 8 * (e->bytes < 8 ? e->bytes : 8);
	return unused < 64 ? (int64_t)(v << unused) >> unused : 0;
}

/* The data as they are when they are a text, else in hexadecimal digits. */
static uint32_t text_of(struct process *p, const struct hb_stream_record *e)
{
	static const char digit[] = "0123456789abcdef";
	char text[2 * sizeof e->data + 3] = "0x";
	uint32_t n = e->bytes;
	while (n && !e->data[n - 1])
		n--;
	bool printable = n > 0 && n + 1 >= e->bytes && !memchr(e->data, 0, n);
	for (uint32_t i = 0; i < n; i++)
		printable = printable && (e->data[i] >= ' ' || e->data[i] == '\t' || e->data[i] == '\n');
	if (printable) {
		memcpy(text, e->data, n);
		text[n] = 0;
	} else {
		for (uint32_t i = 0; i < e->bytes; i++) {
			text[2 + 2 * i] = digit[e->data[i] >> 4];
			text[3 + 2 * i] = digit[e->data[i] & 15];
		}
		text[2 + 2 * e->bytes] = 0;
	}
	return hb_draft_text(p->draft, text);
}

static uint32_t function_of(struct reading *r, struct process *p, const struct hb_stream_record *e, enum shape shape)
{
	static const hb_draft_field value[SHAPES][2] = {[PLAIN] = {{HB_TYPE_INTEGER, "bytes"}},
		[NUMBER] = {{HB_TYPE_INTEGER, "bytes"}, {HB_TYPE_INTEGER, "number"}},
		[TEXT] = {{HB_TYPE_INTEGER, "bytes"}, {HB_TYPE_TEXT, "data"}}};
	if (p->function[e->id][shape])
		return p->function[e->id][shape] - 1;
	const char *at;
	char name[HB_STREAM_NAME];
	size_t n = hb_stream_log_name(&r->log, e->id, &at);
	if (n)
		snprintf(name, sizeof name, "%.*s", (int)n, at);
	else
		snprintf(name, sizeof name, "type %" PRIu32, e->id);
	hb_draft_function f = {HB_USER_EVENT, name, 0, shape == PLAIN ? 1 : 2, NULL, value[shape]};
	uint32_t number = hb_draft_define(p->draft, &f);
	p->function[e->id][shape] = number + 1;
	return number;
}

static bool add(struct reading *r, const struct hb_stream_record *e)
{
	uint64_t ns = hb_stream_log_time(r->log.head, r->log.turned, e->tick);
	struct process *p = process_of(r, e->pid);
	int64_t lane = p ? lane_of(p, e->thread) : -1;
	if (lane < 0)
		return false;
	/* one that came between two steps of another one of its thread, from a handler of signals, may be a little earlier */
	struct thread *t = &p->thread[lane];
	uint64_t tick = ns > r->origin ? ns - r->origin : 0;
	tick = tick > t->exit ? tick : t->exit;
	t->exit = tick;
	enum shape shape = shape_of(e);
	int64_t results[2] = {e->bytes, shape == NUMBER ? number_of(r, e) : shape == TEXT ? (int64_t)text_of(p, e) : 0};
	hb_row row = {.function = function_of(r, p, e, shape),
		.enter = tick,
		.exit = tick,
		.nresults = shape == PLAIN ? 1 : 2,
		.results = results};
	hb_draft_row(p->draft, (uint32_t)lane, &row);
	r->truncated += e->truncated != 0;
	hb_import *m = r->import;
	m->last = ns > m->last ? ns : m->last;
	return true;
}

static bool add_notes(struct reading *r, bool left)
{
	const struct hb_stream_head *h = r->log.head;
	int turned = r->log.turned;
	uint64_t lost = HB_STREAM_U64(h, lost, turned), kept = HB_STREAM_U64(h, log_lost, turned);
	bool good = true;
	if (lost)
		good = good &&
		       hb__import_note(r->import, "%" PRIu64 " events are not in it: the stream had no room", lost);
	if (kept)
		good = good && hb__import_note(r->import, "%" PRIu64 " events are not in it: the log was full", kept);
	if (r->truncated)
		good = good && hb__import_note(r->import, "of %" PRIu64 " events the data are cut", r->truncated);
	if (HB_STREAM_U32(h, run, turned) != HB_STREAM_OVER)
		good = good && hb__import_note(r->import,
				       "the stream was not shut down: its program runs still, or was killed%s",
				       left ? "; what was not flushed is in it, too" : "");
	return good;
}

static hb_status read_all(struct reading *r, struct hb_stream_record *e, hb_error *err)
{
	hb_import *m = r->import;
	struct stat st;
	int fd = open(m->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st)) {
		if (fd >= 0)
			close(fd);
		return hb__import_fail(err, HB_E_SYSTEM, m->path, 0, "cannot open %s", m->path);
	}
	/* not the bytes that are mapped: its program may begin it anew while it is read */
	int error = hb_stream_file_open(fd, (uint64_t)st.st_size, &r->file, &r->log);
	if (error == ENOMEM)
		return hb__import_no_memory(m, err);
	if (error)
		return hb__import_fail(
			err, HB_E_DAMAGED, m->path, 0, "%s: the head of this log of a stream makes no sense", m->path);
	bool any = false;
	snprintf(r->host, sizeof r->host, "%.*s", (int)sizeof r->log.head->host, r->log.head->host);
	m->host = r->host[0] ? r->host : NULL;
	while (hb_stream_log_next(&r->log, e)) {
		if (!any) {
			m->first = m->last = hb_stream_log_time(r->log.head, r->log.turned, e->tick);
			r->origin = m->first - BEFORE;
		}
		any = true;
		if (!add(r, e))
			return hb__import_no_memory(m, err);
	}
	if (!any)
		return hb__import_fail(err, HB_E_DAMAGED, m->path, 0,
			"%s: there are no events in this log of a stream (yet)", m->path);
	return add_notes(r, r->log.ring_to > r->log.ring_from) ? HB_OK : hb__import_no_memory(m, err);
}

hb_status hb__import_stream(hb_import *m, hb_error *err)
{
	struct reading r = {.import = m, .file.fd = -1};
	struct hb_stream_record *e = malloc(sizeof *e);
	m->from = "hbdb-self";
	m->spans = true;
	hb_status status = e ? read_all(&r, e, err) : hb__import_no_memory(m, err);
	for (size_t i = 0; i < r.processes; i++) {
		free(r.process[i]->thread);
		free(r.process[i]);
	}
	m->host = NULL;
	hb_stream_file_close(&r.file);
	free(r.process);
	free(e);
	return status;
}
