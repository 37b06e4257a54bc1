/* The grammar of gdb/MI's output: [token] kind word {, name=value}, or kind "text". */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "session/gdb/mi/mi.h"

#define DEPTH 64 /* of nested tuples */

struct reader {
	struct hb__mi *mi;
	char *p;
};

/* ---- values ---- */

static bool new_value(struct hb__mi *mi, uint32_t *ret)
{
	if (mi->n == mi->cap) {
		uint32_t cap = mi->cap ? 2 * mi->cap : 64;
		void *more = cap > UINT32_MAX / 64 ? NULL : realloc(mi->values, cap * sizeof *mi->values);
		if (!more)
			return false;
		mi->values = more;
		mi->cap = cap;
	}
	mi->values[mi->n] = (struct hb__mi_value){0};
	*ret = mi->n++;
	return true;
}

/* One character behind a backslash; *p stands on it. */
static char unescape(char **p)
{
	static const char from[] = "ntrabfve", to[] = "\n\t\r\a\b\f\v\033";
	const char *found = **p ? strchr(from, **p) : NULL;
	if (found) {
		(*p)++;
		return to[found - from];
	}
	if (**p < '0' || **p > '7')
		return *(*p)++;
	unsigned value = 0;
	for (int i = 0; i < 3 && **p >= '0' && **p <= '7'; i++)
		value = value * 8 + (unsigned)(*(*p)++ - '0');
	return value & 255 ? (char)value : '?'; /* a NUL would end the text */
}

/* "..." */
static bool read_string(struct reader *r, const char **ret)
{
	if (*r->p != '"')
		return false;
	char *to = ++r->p;
	*ret = to;
	while (*r->p != '"') {
		if (!*r->p || (*r->p == '\\' && !r->p[1]))
			return false;
		if (*r->p == '\\') {
			r->p++;
			*to++ = unescape(&r->p);
		} else
			*to++ = *r->p++;
	}
	r->p++;
	*to = 0;
	return true;
}

static bool in_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

static bool read_items(struct reader *r, uint32_t into, char end, int depth);

/* [name=] string, {...} or [...] */
static bool read_value(struct reader *r, uint32_t at, int depth)
{
	const char *text;
	if (in_name(*r->p)) {
		char *name = r->p;
		while (in_name(*r->p))
			r->p++;
		if (*r->p != '=')
			return false;
		*r->p++ = 0;
		r->mi->values[at].name = name;
	}
	switch (*r->p) {
	case '"':
		if (!read_string(r, &text))
			return false;
		r->mi->values[at].text = text;
		return true;
	case '{':
	case '[': {
		char end = *r->p++ == '{' ? '}' : ']';
		if (*r->p == end) {
			r->p++;
			return true;
		}
		return depth < DEPTH && read_items(r, at, end, depth + 1);
	}
	default:
		return false;
	}
}

/* Values with commas between, up to `end` (0: of the line). */
static bool read_items(struct reader *r, uint32_t into, char end, int depth)
{
	uint32_t last = 0, at;
	for (;;) {
		if (!new_value(r->mi, &at))
			return false;
		if (last)
			r->mi->values[last].next = at;
		else
			r->mi->values[into].first = at;
		last = at;
		if (!read_value(r, at, depth))
			return false;
		if (*r->p == end) {
			if (end)
				r->p++;
			return true;
		}
		if (*r->p++ != ',')
			return false;
	}
}

bool hb__mi_read(struct hb__mi *mi, char *line)
{
	struct reader r = {mi, line};
	uint32_t root;
	mi->n = 0;
	mi->token = -1;
	mi->what = "";
	if (!new_value(mi, &root))
		return false;
	size_t length = strlen(line);
	if (length && line[length - 1] == '\r')
		line[length - 1] = 0;
	if (!strncmp(line, "(gdb)", 5)) {
		mi->kind = '(';
		return true;
	}
	if (*r.p >= '0' && *r.p <= '9') {
		char *end;
		mi->token = strtoll(r.p, &end, 10);
		r.p = end;
	}
	if (!*r.p || !strchr("^*+=~@&", *r.p))
		return false;
	mi->kind = *r.p++;
	if (strchr("~@&", mi->kind)) {
		const char *text;
		bool good = read_string(&r, &text) && !*r.p;
		mi->values[0].text = good ? text : NULL;
		return good;
	}
	char *what = r.p;
	while (in_name(*r.p))
		r.p++;
	if (r.p == what || (*r.p && *r.p != ','))
		return false;
	bool more = *r.p == ',';
	*r.p = 0;
	r.p++;
	mi->what = what;
	return !more || read_items(&r, root, 0, 0);
}

void hb__mi_free(struct hb__mi *mi)
{
	free(mi->values);
	*mi = (struct hb__mi){0};
}

/* ---- looking at them ---- */

const struct hb__mi_value *hb__mi_first(const struct hb__mi *mi, const struct hb__mi_value *in)
{
	return in && in->first ? &mi->values[in->first] : NULL;
}

const struct hb__mi_value *hb__mi_next(const struct hb__mi *mi, const struct hb__mi_value *value)
{
	return value->next ? &mi->values[value->next] : NULL;
}

const struct hb__mi_value *hb__mi_get(const struct hb__mi *mi, const struct hb__mi_value *in, const char *name)
{
	for (const struct hb__mi_value *v = hb__mi_first(mi, in); v; v = hb__mi_next(mi, v))
		if (v->name && !strcmp(v->name, name))
			return v;
	return NULL;
}

const char *hb__mi_text(const struct hb__mi *mi, const struct hb__mi_value *in, const char *name)
{
	const struct hb__mi_value *v = hb__mi_get(mi, in, name);
	return v ? v->text : NULL;
}

int hb__mi_int(const struct hb__mi *mi, const struct hb__mi_value *in, const char *name, int otherwise)
{
	const char *text = hb__mi_text(mi, in, name);
	char *end;
	long long value = text ? strtoll(text, &end, 10) : 0;
	return !text || end == text || value < INT_MIN || value > INT_MAX ? otherwise : (int)value;
}

char *hb__mi_quote(const char *text)
{
	char *quoted = malloc(2 * strlen(text) + 3), *p = quoted;
	if (!quoted)
		return NULL;
	*p++ = '"';
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			*p++ = '\\';
		*p++ = *text == '\n' || *text == '\r' ? ' ' : *text;
	}
	*p++ = '"';
	*p = 0;
	return quoted;
}
