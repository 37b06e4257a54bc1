/* A file of traces: read, put in order, written. */
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "foreign/spans/spans.h"

static void free_spans(struct hb__spans *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct hb__span *span = &s->at[i];
		for (uint32_t k = 0; k < span->attributes; k++)
			free(span->attribute[k].value);
		free(span->attribute);
		free(span->link);
		free(span->name);
		free(span->trace);
		free(span->message);
	}
	for (size_t i = 0; i < s->services; i++) {
		free(s->service[i].name);
		free(s->service[i].instance);
	}
	free(s->at);
	free(s->service);
}

#define N(n, one, many) (unsigned long long)(n), (n) == 1 ? (one) : (many)

static void note_all(const struct hb__spans *s)
{
	hb_import *m = s->import;
	if (s->unfit)
		hb__import_note(
			m, "%llu %s left out: no name, identity or time", N(s->unfit, "span was", "spans were"));
	if (s->reversed)
		hb__import_note(m, "%llu %s before it begins: it is taken to end there",
			N(s->reversed, "span ends", "spans end"));
	if (s->unknown)
		hb__import_note(m, "%llu %s not in the file",
			N(s->unknown, "parent or linked span is", "parents and linked spans are"));
	if (s->against)
		hb__import_note(m, "%llu %s left out: by the clocks it began before its cause",
			N(s->against, "parent or link was", "parents and links were"));
	for (size_t i = 0; i < s->services; i++)
		if (s->service[i].forward)
			hb__import_note(m,
				"the clock of %s%s%s is set forward by %.6f ms: it contradicts those of others",
				s->service[i].name, *s->service[i].instance ? " " : "", s->service[i].instance,
				(double)s->service[i].forward / 1e6);
}

/* One JSON text after the other: a line each, or one over many lines. */
static bool read_all(struct hb__spans *s)
{
	hb_import *m = s->import;
	const char *p = (const char *)m->bytes, *end = p + m->size;
	bool is = false;
	p += m->size >= 3 && !memcmp(p, "\xef\xbb\xbf", 3) ? 3 : 0;
	while (!s->failed) {
		while (p < end && memchr(" \t\r\n", *p, 4))
			p++;
		if (p == end)
			break;
		const char *next = p;
		cJSON *root = cJSON_ParseWithLengthOpts(p, (size_t)(end - p), &next, 0);
		if (!root) {
			hb__import_cut(m, (uint64_t)((next ? next : p) - (const char *)m->bytes),
				"what stands there is not JSON");
			break;
		}
		is |= hb__otlp_take(s, root);
		cJSON_Delete(root);
		p = next;
		if (m->options.progress)
			m->options.progress(m->options.user, (double)(p - (const char *)m->bytes) / (double)m->size);
	}
	return is;
}

hb_status hb__import_spans(hb_import *m, hb_error *err)
{
	struct hb__spans s = {.import = m};
	m->from = "otlp";
	m->spans = true;
	bool is = read_all(&s);
	hb_status status = HB_OK;
	if (s.failed)
		status = hb__import_no_memory(m, err);
	else if (!is)
		status = hb__import_fail(err, m->cut[0] ? HB_E_DAMAGED : HB_E_FOREIGN, m->path, 0,
			"%s has no resourceSpans: it is no trace of OpenTelemetry%s%s", m->path, m->cut[0] ? ": " : "",
			m->cut);
	else if (!s.n)
		status = hb__import_fail(
			err, HB_E_DAMAGED, m->path, 0, "%s has no span%s%s", m->path, m->cut[0] ? ": " : "", m->cut);
	if (!status) {
		hb__causes(&s);
		if (!s.failed)
			hb__lanes(&s);
		status = s.failed ? hb__import_no_memory(m, err) : hb__spans_write(&s, err);
		note_all(&s);
	}
	free_spans(&s);
	return status;
}
