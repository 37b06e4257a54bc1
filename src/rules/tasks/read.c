/* Specifications and traces as text: PREFIX.spf, PREFIX.tvm. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/grow.h"
#include "rules/tasks/parts.h"

/* In a trace subtasks have no length until it is known whether node 0 splits (settle_sub). */
#define NO_LENGTH UINT32_MAX

typedef struct text {
	const char *name, *at, *end;
	uint32_t line;
	hb_tasks_trouble *trouble;
} text;

typedef struct word {
	const char *at;
	size_t n;
} word;

bool hb__tasks_wrong(const char *name, uint32_t line, hb_tasks_trouble *trouble, const char *format, ...)
{
	va_list ap;
	int n = line ? snprintf(trouble->text, sizeof trouble->text, "%.200s:%u: ", name, line)
		     : snprintf(trouble->text, sizeof trouble->text, "%.200s: ", name);
	va_start(ap, format);
	vsnprintf(trouble->text + n, sizeof trouble->text - (size_t)n, format, ap);
	va_end(ap);
	return false;
}

bool hb__tasks_no_memory(hb_tasks_trouble *trouble)
{
	trouble->memory = true;
	snprintf(trouble->text, sizeof trouble->text, "out of memory");
	return false;
}

/* ---- words and numbers ---- */

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static word next_word(text *t)
{
	while (t->at < t->end && is_blank(*t->at))
		t->at++;
	word w = {t->at, 0};
	while (t->at < t->end && !is_blank(*t->at) && *t->at != '\n')
		t->at++;
	w.n = (size_t)(t->at - w.at);
	return w;
}

static bool bad_field(const text *t, const char *field, word w, const char *wanted)
{
	if (!w.n)
		return hb__tasks_wrong(t->name, t->line, t->trouble, "%s is missing", field);
	return hb__tasks_wrong(
		t->name, t->line, t->trouble, "%s: '%.*s' is not %s", field, w.n > 40 ? 40 : (int)w.n, w.at, wanted);
}

static bool to_integer(word w, int64_t least, int64_t most, int64_t *ret)
{
	size_t i = w.n && w.at[0] == '-';
	int64_t value = 0;
	if (i == w.n || w.n > 20)
		return false;
	for (bool minus = i; i < w.n; i++) {
		if (w.at[i] < '0' || w.at[i] > '9' || __builtin_mul_overflow(value, 10, &value) ||
			__builtin_add_overflow(value, minus ? '0' - w.at[i] : w.at[i] - '0', &value))
			return false;
	}
	*ret = value;
	return value >= least && value <= most;
}

/* In thousandths; what is smaller is left out. */
static bool to_time(word w, int64_t *ret)
{
	const char *dot = memchr(w.at, '.', w.n);
	word whole = {w.at, dot ? (size_t)(dot - w.at) : w.n};
	int64_t value, scale = 1000;
	if (!to_integer(whole, 0, INT64_MAX / 1000 - 1, &value))
		return false;
	value *= 1000;
	for (const char *p = dot ? dot + 1 : w.at + w.n; p < w.at + w.n; p++) {
		if (*p < '0' || *p > '9')
			return false;
		scale /= 10;
		value += (*p - '0') * scale;
	}
	*ret = value;
	return true;
}

static bool to_hex(const char *at, size_t n, uint64_t *ret)
{
	*ret = 0;
	if (n > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))
		at += 2, n -= 2;
	if (!n || n > 16)
		return false;
	for (size_t i = 0; i < n; i++) {
		char c = at[i];
		uint64_t digit = c >= '0' && c <= '9'                 ? (uint64_t)(c - '0')
				 : (c | 32) >= 'a' && (c | 32) <= 'f' ? (uint64_t)((c | 32) - 'a') + 10
								      : 16;
		if (digit > 15)
			return false;
		*ret = *ret << 4 | digit;
	}
	return true;
}

/* VALUE, or VALUE/LENGTH. */
static bool to_sub(word w, hb_tasks_sub *ret)
{
	const char *slash = memchr(w.at, '/', w.n);
	int64_t length = NO_LENGTH;
	if (slash && !to_integer((word){slash + 1, (size_t)(w.at + w.n - slash - 1)}, 0, 64, &length))
		return false;
	ret->length = (uint32_t)length;
	return to_hex(w.at, slash ? (size_t)(slash - w.at) : w.n, &ret->part);
}

static bool is_word(word w, const char *a, const char *b, const char *c)
{
	const char *words[] = {a, b, c};
	for (int i = 0; i < 3; i++)
		if (strlen(words[i]) == w.n && !strncasecmp(words[i], w.at, w.n))
			return true;
	return false;
}

/* ---- the specification ---- */

bool hb_tasks_parse_spec(const char *name, const char *bytes, size_t n, hb_tasks_spec *ret, hb_tasks_trouble *trouble)
{
	static const char *const fields[] = {"NumProc", "Topology", "NumTasks", "TaskDegree", "TaskDepth"};
	uint32_t *to[] = {&ret->processors, &ret->topology, &ret->tasks, &ret->degree, &ret->depth};
	text t = {.name = name, .at = bytes, .end = bytes + n, .line = 1, .trouble = trouble};
	uint32_t last = 1; /* line with a word */
	int got = 0;
	for (;;) {
		word w = next_word(&t);
		if (!w.n || w.at[0] == '#') {
			while (t.at < t.end && *t.at != '\n')
				t.at++;
			if (t.at == t.end)
				break;
			t.at++;
			t.line++;
			continue;
		}
		int64_t value;
		if (got == 5)
			return hb__tasks_wrong(name, t.line, trouble, "'%.*s': nothing is expected after TaskDepth",
				w.n > 40 ? 40 : (int)w.n, w.at);
		if (!to_integer(w, 0, UINT32_MAX, &value))
			return bad_field(&t, fields[got], w, "a number");
		*to[got++] = (uint32_t)value;
		last = t.line;
	}
	if (got < 5)
		return hb__tasks_wrong(name, last, trouble,
			"%s is missing: NumProc Topology NumTasks TaskDegree TaskDepth", fields[got]);
	return hb_tasks_spec_good(ret, name, trouble);
}

/* ---- the trace ---- */

static bool read_event(text *t, hb_tasks_event *e)
{
	word w = next_word(t);
	int64_t value;
	if (!to_time(w, &e->time))
		return bad_field(t, "Ptime", w, "a time");
	w = next_word(t);
	if (!to_integer(w, HB_TASKS_RECEIVER, INT32_MAX, &value))
		return bad_field(t, "Sid", w, "a node");
	e->node = (int32_t)value;
	w = next_word(t);
	e->receive = is_word(w, "recv", "receive", "r");
	if (!e->receive && !is_word(w, "send", "sent", "s"))
		return bad_field(t, "Type", w, "send or recv");
	w = next_word(t);
	if (!to_integer(w, HB_TASKS_JOIN_FN, INT32_MAX, &value))
		return bad_field(t, "Did", w, "a node");
	e->other = (int32_t)value;
	w = next_word(t);
	if (!to_integer(w, INT64_MIN, INT64_MAX, &e->task))
		return bad_field(t, "MainTid", w, "a number");
	w = next_word(t);
	if (!to_sub(w, &e->sub))
		return bad_field(
			t, "SubTid", w, "a hexadecimal number of at most 64 bits, or one with /LENGTH behind it");
	e->line = t->line;
	w = next_word(t);
	if (w.n)
		return hb__tasks_wrong(t->name, t->line, t->trouble, "'%.*s': nothing is expected after SubTid",
			w.n > 40 ? 40 : (int)w.n, w.at);
	return true;
}

static bool read_events(text *t, hb_tasks_trace *trace)
{
	while (t->at < t->end) {
		const char *end = memchr(t->at, '\n', (size_t)(t->end - t->at));
		if (!end) {
			const char *from = t->at;
			if (next_word(t).n && *from != '#')
				trace->cut_line = t->line;
			return true;
		}
		text line = *t;
		line.end = end;
		word first = next_word(&line);
		if (first.n && first.at[0] != '#') {
			if (trace->n >= HB_TASKS_NONE - 1 || !HB_GROW(trace->event, trace->room, trace->n + 1))
				return hb__tasks_no_memory(t->trouble);
			line.at = t->at;
			if (!read_event(&line, &trace->event[trace->n]))
				return false;
			const hb_tasks_event *e = &trace->event[trace->n++];
			trace->hosts |= e->node < 0 || e->other <= HB_TASKS_COMP_FN;
		}
		t->at = end + 1;
		t->line++;
	}
	return true;
}

/* ---- what subtasks mean, and where events are ---- */

typedef struct settling {
	hb_tasks_trace *trace;
	uint8_t *splits; /* a bit for each task that node 0 splits */
	uint32_t *level; /* of nodes */
	int64_t *time;   /* the last one of each node, the hosts first */
	hb_tasks_trouble *trouble;
} settling;

static bool numbered(const settling *s, int64_t task) { return task >= 0 && task < s->trace->spec.tasks; }

/* A plain value has a digit for every node on the way that could have split the task, the one of node 0 in the lowest bits. */
static bool settle_sub(const settling *s, hb_tasks_event *e, uint32_t low)
{
	const hb_tasks_spec *spec = &s->trace->spec;
	uint32_t bits = hb_tasks_bits(spec), places = spec->degree > 1 ? spec->depth - 1 : 0, most = places;
	hb_tasks_sub sub = e->sub;
	if (sub.length == NO_LENGTH) {
		uint32_t level = s->level[hb_tasks_node_of(spec, low)] + (hb_tasks_is_function(spec, low) != 0);
		sub.length = level < places ? level : places;
		most = sub.length;
		if (!numbered(s, e->task) || !(s->splits[e->task / 8] >> e->task % 8 & 1)) {
			sub.part >>= bits;
			sub.length -= sub.length > 0;
		}
	}
	if (sub.length > most || (sub.length * bits < 64 && sub.part >> sub.length * bits))
		return hb__tasks_wrong(s->trace->name, e->line, s->trouble,
			"SubTid: between nodes %d and %d a task has been split at most %u times (TaskDegree %u, TaskDepth %u)",
			e->node, e->other, most, spec->degree, spec->depth);
	for (hb_tasks_sub rest = sub; rest.length; rest = hb_tasks_whole_of(spec, rest))
		if (hb_tasks_last_digit(spec, rest) >= spec->degree)
			return hb__tasks_wrong(s->trace->name, e->line, s->trouble,
				"SubTid: a part with number %u, but TaskDegree is %u (%u bits for each split)",
				hb_tasks_last_digit(spec, rest), spec->degree, bits);
	e->sub = sub;
	return true;
}

static bool settle_event(const settling *s, hb_tasks_event *e)
{
	const hb_tasks_spec *spec = &s->trace->spec;
	const char *name = s->trace->name;
	hb_tasks_kind kind;
	uint32_t low;
	if (e->node >= (int32_t)spec->processors)
		return hb__tasks_wrong(name, e->line, s->trouble, "Sid: there is no node %d, NumProc is %u", e->node,
			spec->processors);
	if (e->other >= (int32_t)spec->processors)
		return hb__tasks_wrong(name, e->line, s->trouble, "Did: there is no node %d, NumProc is %u", e->other,
			spec->processors);
	if (!hb__tasks_place(s->trace, e, &kind, &low))
		return hb__tasks_wrong(name, e->line, s->trouble,
			"Did: node %d does not %s node %d in this topology (%u): wrong specification, or broken trace",
			e->node, e->receive ? "take tasks or results from" : "give tasks or results to", e->other,
			spec->topology);
	if (e->time < s->time[e->node + 2])
		return hb__tasks_wrong(name, e->line, s->trouble,
			"Ptime: time goes back on node %d; its events must stand in their order", e->node);
	s->time[e->node + 2] = e->time;
	return settle_sub(s, e, low);
}

static bool settle(settling *s)
{
	hb_tasks_trace *trace = s->trace;
	const hb_tasks_spec *spec = &trace->spec;
	uint64_t digit = (UINT64_C(1) << hb_tasks_bits(spec)) - 1;
	s->splits = calloc(spec->tasks / 8 + 1, 1);
	s->level = malloc(spec->processors * sizeof *s->level);
	s->time = calloc(spec->processors + 2, sizeof *s->time);
	if (!s->splits || !s->level || !s->time)
		return hb__tasks_no_memory(s->trouble);
	for (uint32_t i = 0; i < spec->processors; i++)
		s->level[i] = i ? s->level[hb_tasks_parent(spec, i)] + 1 : 0;
	for (size_t i = 0; i < trace->n; i++) {
		const hb_tasks_event *e = &trace->event[i];
		if (numbered(s, e->task) && e->sub.length == NO_LENGTH && e->sub.part & digit)
			s->splits[e->task / 8] |= (uint8_t)(1 << e->task % 8);
	}
	for (size_t i = 0; i < trace->n; i++)
		if (!settle_event(s, &trace->event[i]))
			return false;
	return true;
}

bool hb_tasks_parse_trace(const char *name, const char *bytes, size_t n, const hb_tasks_spec *spec, hb_tasks_trace *ret,
	hb_tasks_trouble *trouble)
{
	text t = {.name = name, .at = bytes, .end = bytes + n, .line = 1, .trouble = trouble};
	settling s = {.trace = ret, .trouble = trouble};
	snprintf(ret->name, sizeof ret->name, "%s", name);
	ret->spec = *spec;
	bool good = read_events(&t, ret) && settle(&s);
	free(s.splits);
	free(s.level);
	free(s.time);
	return good;
}

void hb_tasks_trace_free(hb_tasks_trace *trace)
{
	free(trace->event);
	trace->event = NULL;
	trace->n = trace->room = 0;
}

/* ---- files ---- */

static bool read_file(const char *path, char **ret, size_t *ret_n, hb_tasks_trouble *trouble)
{
	FILE *f = fopen(path, "rb");
	size_t room = 0, n = 0, got = 1;
	*ret = NULL;
	if (!f)
		return hb__tasks_wrong(path, 0, trouble, "%s", strerror(errno));
	while (got) {
		if (!HB_GROW(*ret, room, n + 65536)) {
			fclose(f);
			return hb__tasks_no_memory(trouble);
		}
		got = fread(*ret + n, 1, room - n, f);
		n += got;
	}
	int bad = ferror(f) ? errno : 0;
	fclose(f);
	*ret_n = n;
	return bad ? hb__tasks_wrong(path, 0, trouble, "%s", strerror(bad)) : true;
}

bool hb_tasks_read_spec(const char *path, hb_tasks_spec *ret, hb_tasks_trouble *trouble)
{
	char *bytes;
	size_t n;
	bool good = read_file(path, &bytes, &n, trouble) && hb_tasks_parse_spec(path, bytes, n, ret, trouble);
	free(bytes);
	return good;
}

bool hb_tasks_read_trace(const char *path, const hb_tasks_spec *spec, hb_tasks_trace *ret, hb_tasks_trouble *trouble)
{
	char *bytes;
	size_t n;
	bool good = read_file(path, &bytes, &n, trouble) && hb_tasks_parse_trace(path, bytes, n, spec, ret, trouble);
	free(bytes);
	return good;
}
