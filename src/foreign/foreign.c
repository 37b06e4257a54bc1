/* Which kind of file it is, and what is common to all kinds. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hbdb/self/log.h>

#include "base/grow.h"
#include "foreign/boards/boards.h"
#include "foreign/import.h"

hb_status hb__import_fail(hb_error *err, hb_status status, const char *file, uint64_t offset, const char *format, ...)
{
	if (!err)
		return status;
	*err = (hb_error){.status = status, .sys = status == HB_E_SYSTEM ? errno : 0, .offset = offset};
	snprintf(err->file, sizeof err->file, "%s", file ? file : "");
	va_list ap;
	va_start(ap, format);
	vsnprintf(err->message, sizeof err->message, format, ap);
	va_end(ap);
	return status;
}

hb_status hb__import_no_memory(const hb_import *m, hb_error *err)
{
	return hb__import_fail(err, HB_E_MEMORY, m->path, 0, "out of memory");
}

bool hb__import_note(hb_import *m, const char *format, ...)
{
	char text[512];
	va_list ap;
	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	char *note = strdup(text);
	if (!note || !HB_GROW(m->note, m->notes_cap, m->notes + 1)) {
		free(note);
		return false;
	}
	m->note[m->notes++] = note;
	return true;
}

void hb__import_cut(hb_import *m, uint64_t offset, const char *format, ...)
{
	if (m->cut[0])
		return;
	va_list ap;
	va_start(ap, format);
	int n = vsnprintf(m->cut, sizeof m->cut, format, ap);
	va_end(ap);
	if (n >= 0 && (size_t)n < sizeof m->cut)
		snprintf(m->cut + n, sizeof m->cut - (size_t)n, " at offset %llu", (unsigned long long)offset);
}

/* Beside recorded processes others are numbered behind all numbers that a system has. */
static uint32_t first_pid(const hb_import *m) { return m->known.network ? 1u << 30 : 1; }

hb_draft *hb__import_process(hb_import *m, const char *program, uint64_t origin, bool here)
{
	if (!HB_GROW(m->draft, m->drafts_cap, m->drafts + 1) || !HB_GROW(m->pid, m->pids_cap, m->drafts + 1))
		return NULL;
	m->pid[m->drafts] = m->next_pid ? m->next_pid : first_pid(m) + (uint32_t)m->drafts;
	/* Addresses like 127.0.0.1 mean the same at all processes of a file: where it was recorded. */
	hb_draft_process process = {.program = program,
		.host = here      ? m->known.host
			: m->host ? m->host
				  : m->from,
		.pid = m->pid[m->drafts],
		.origin = origin,
		.mono = here ? origin - m->known.ahead : 0};
	hb_draft *draft = hb_draft_begin(&process);
	if (draft)
		m->draft[m->drafts++] = draft;
	return draft;
}

/* ---- files ---- */

static hb_status map_file(hb_import *m, hb_error *err)
{
	struct stat st;
	int fd = open(m->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st)) {
		hb_status status = hb__import_fail(err, HB_E_SYSTEM, m->path, 0, "cannot open %s", m->path);
		if (fd >= 0)
			close(fd);
		return status;
	}
	hb_status status = HB_OK;
	if (!S_ISREG(st.st_mode)) {
		status = hb__import_fail(err, HB_E_FOREIGN, m->path, 0, "%s is not a file", m->path);
	} else if (st.st_size == 0) {
		status = hb__import_fail(err, HB_E_FOREIGN, m->path, 0, "%s is empty", m->path);
	} else {
		void *bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (bytes == MAP_FAILED)
			status = hb__import_fail(err, HB_E_SYSTEM, m->path, 0, "cannot read %s", m->path);
		else
			m->bytes = bytes, m->size = (size_t)st.st_size;
	}
	close(fd);
	return status;
}

static bool begins(const hb_import *m, const char *magic, size_t n)
{
	return m->size >= n && !memcmp(m->bytes, magic, n);
}

static bool is_packets(const hb_import *m)
{
	static const char magic[5][5] = {
		"\xd4\xc3\xb2\xa1", "\xa1\xb2\xc3\xd4", "\x4d\x3c\xb2\xa1", "\xa1\xb2\x3c\x4d", "\x0a\x0d\x0d\x0a"};
	for (size_t i = 0; i < sizeof magic / sizeof *magic; i++)
		if (begins(m, magic[i], 4))
			return true;
	return false;
}

static bool is_json(const hb_import *m)
{
	size_t i = begins(m, "\xef\xbb\xbf", 3) ? 3 : 0;
	while (i < m->size && strchr(" \t\r\n", m->bytes[i]) && m->bytes[i])
		i++;
	return i < m->size && (m->bytes[i] == '{' || m->bytes[i] == '[');
}

static hb_status read_file(hb_import *m, hb_error *err)
{
	hb_status status = map_file(m, err);
	if (status)
		return status;
	if (is_packets(m)) {
		status = m->options.with ? hb__known_read(m->options.with, m->options.withs, &m->known, err) : HB_OK;
		return status ? status : hb__import_packets(m, err);
	}
	if (m->options.with)
		return hb__import_fail(err, HB_E_FOREIGN, m->path, 0,
			"%s is no capture file (pcap, pcapng): nothing else is merged with a recording", m->path);
	if (begins(m, HB_STREAM_MAGIC, strlen(HB_STREAM_MAGIC)))
		return hb__import_stream(m, err);
	if (begins(m, HB_BOARD_MAGIC, strlen(HB_BOARD_MAGIC)))
		return hb__import_boards(m, err);
	if (is_json(m))
		return hb__import_spans(m, err);
	if (begins(m, "\xa1\xb2\xcd\x34", 4) || begins(m, "\x34\xcd\xb2\xa1", 4))
		return hb__import_fail(err, HB_E_VERSION, m->path, 0,
			"%s is a capture file of a kind that only old systems wrote; turn it into pcap first", m->path);
	bool packed = begins(m, "\x1f\x8b", 2) || begins(m, "\x28\xb5\x2f\xfd", 4);
	return hb__import_fail(err, HB_E_FOREIGN, m->path, 0,
		packed ? "%s is compressed; decompress it first"
		       : "%s is neither a capture file (pcap, pcapng), nor a trace of OpenTelemetry as JSON, nor a log of libhbdb-self, nor what a board said",
		m->path);
}

hb_status hb_import_read(const char *file, const hb_import_options *options, hb_import **ret, hb_error *err)
{
	*ret = NULL;
	hb_import *m = calloc(1, sizeof *m);
	char *path = m ? strdup(file) : NULL;
	if (!path) {
		free(m);
		return hb__import_fail(err, HB_E_MEMORY, file, 0, "out of memory");
	}
	m->path = path;
	m->options = options ? *options : (hb_import_options){0};
	hb_status status = read_file(m, err);
	if (status)
		hb_import_free(m);
	else
		*ret = m;
	return status;
}

void hb_import_tell(const hb_import *m, hb_import_told *ret)
{
	*ret = (hb_import_told){.from = m->from,
		.spans = m->spans,
		.processes = m->drafts,
		.first = m->first,
		.last = m->last,
		.begun = m->known.network && m->known.begun < m->first ? m->known.begun : m->first,
		.ended = m->known.ended > m->last ? m->known.ended : m->last,
		.first_pid = first_pid(m),
		.cut = m->cut[0] ? m->cut : NULL,
		.note = (const char *const *)m->note,
		.notes = m->notes};
	for (size_t i = 0; i < m->drafts; i++)
		ret->events += hb_draft_events(m->draft[i]);
}

hb_status hb_import_write(const hb_import *m, const char *folder, hb_error *err)
{
	hb_status status = HB_OK;
	for (size_t i = 0; i < m->drafts && !status; i++) {
		char *path;
		if (asprintf(&path, "%s/rank.0.%u.log", folder, m->pid[i]) < 0)
			return hb__import_no_memory(m, err);
		status = hb_draft_seal(m->draft[i], path, err);
		free(path);
	}
	return status;
}

void hb_import_free(hb_import *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->drafts; i++)
		hb_draft_free(m->draft[i]);
	for (size_t i = 0; i < m->notes; i++)
		free(m->note[i]);
	hb__known_free(&m->known);
	if (m->bytes)
		munmap((void *)m->bytes, m->size);
	free(m->draft);
	free(m->pid);
	free(m->note);
	free((void *)m->path);
	free(m);
}
