/* The text form of the settings: a line for each thing that is not as by default, and one for each construct and each of its arrays. # begins a
 * comment. Names stand in double quotes, in which \" is a quote, \\ a backslash and \n a line feed. */
#include "format/trace/settings.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

static const char *const levels[HB_TRACE_LEVELS] = {"NONE", "MINIMAL", "MODIFY", "FULL", "CHECKSUM", "INHERITED"};
static const char *const types[HB_CONSTRUCT_TYPES] = {"PL", "SL", "TR", "PT"};

const char *hb_trace_level_name(hb_trace_level level)
{
	return (unsigned)level < HB_TRACE_LEVELS ? levels[level] : "?";
}
const char *hb_construct_type_name(hb_construct_type type)
{
	return (unsigned)type < HB_CONSTRUCT_TYPES ? types[type] : "?";
}

void hb_settings_default(hb_trace_settings *ret)
{
	*ret = (hb_trace_settings){.level = HB_TRACE_CHECKSUM, .tolerance = 1e-8};
	for (unsigned i = 0; i < HB_DIMENSIONS; i++)
		ret->global_first[i] = ret->global_last[i] = -1;
	ret->local_first = ret->local_last = ret->loop_first = ret->loop_last = -1;
}

static void free_id(hb_array_id *id)
{
	free(id->name);
	free(id->file);
}

void hb_settings_free(hb_trace_settings *settings)
{
	for (size_t i = 0; i < settings->constructs; i++) {
		hb_construct_wanted *c = &settings->construct[i];
		for (size_t k = 0; k < c->arrays; k++)
			free_id(&c->array[k].id);
		free(c->array);
		free(c->name);
		free(c->file);
	}
	free(settings->construct);
	free_id(&settings->save);
	*settings = (hb_trace_settings){0};
}

/* ---- words of a line ---- */

struct reader {
	const char *at, *end; /* of the line */
	unsigned line;
	char *message;
};

__attribute__((format(printf, 2, 3))) static bool wrong(struct reader *r, const char *format, ...)
{
	char text[512];
	va_list args;
	if (r->message)
		return false;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (asprintf(&r->message, "line %u: %s", r->line, text) < 0)
		r->message = NULL;
	return false;
}

static bool blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static void skip(struct reader *r)
{
	while (r->at < r->end && blank(*r->at))
		r->at++;
}

static bool at_end(struct reader *r)
{
	skip(r);
	return r->at == r->end || *r->at == '#';
}

/* A word without quotes, cut off behind `size`. False: there is none. */
static bool word(struct reader *r, char *to, size_t size)
{
	size_t n = 0;
	if (at_end(r) || *r->at == '"')
		return false;
	for (; r->at < r->end && !blank(*r->at) && *r->at != '#'; r->at++)
		if (n + 1 < size)
			to[n++] = *r->at;
	to[n] = 0;
	return true;
}

static bool quoted(struct reader *r, const char *what, char **ret)
{
	if (at_end(r) || *r->at != '"')
		return wrong(r, "%s is missing; it stands in double quotes", what);
	char *to = malloc((size_t)(r->end - r->at) + 1);
	size_t n = 0;
	if (!to)
		return false;
	for (r->at++; r->at < r->end && *r->at != '"'; r->at++) {
		bool escaped = *r->at == '\\' && r->at + 1 < r->end;
		r->at += escaped;
		to[n++] = escaped && *r->at == 'n' ? '\n' : *r->at;
	}
	to[n] = 0;
	if (r->at == r->end || memchr(to, 0, n)) {
		free(to);
		return wrong(r, "%s has no closing quote", what);
	}
	r->at++;
	free(*ret);
	*ret = to;
	return true;
}

static bool integer(struct reader *r, const char *what, int64_t least, int64_t most, int64_t *ret)
{
	char text[40], *end;
	if (!word(r, text, sizeof text))
		return wrong(r, "%s is missing", what);
	errno = 0;
	long long v = strtoll(text, &end, 10);
	if (errno || *end || end == text || v < least || v > most || strlen(text) + 1 == sizeof text)
		return wrong(r, "\"%s\" is no %s: a number from %lld to %lld", text, what, (long long)least,
			(long long)most);
	*ret = v;
	return true;
}

static bool real(struct reader *r, const char *what, double *ret)
{
	char text[64], *end;
	if (!word(r, text, sizeof text))
		return wrong(r, "%s is missing", what);
	double v = strtod(text, &end);
	if (*end || end == text || !(v >= 0) || v > 1e300)
		return wrong(r, "\"%s\" is no %s: a number that is not below 0", text, what);
	*ret = v;
	return true;
}

static bool point(struct reader *r, hb_point *ret)
{
	char text[HB_POINT_TEXT + 8];
	if (!word(r, text, sizeof text))
		return wrong(r, "a point is missing");
	hb_point_error error = hb_point_read(text, ret);
	if (error == HB_POINT_FINE)
		return true;
	char *why = hb_point_trouble(error, text, NULL);
	wrong(r, "%s", why ? why : "out of memory");
	free(why);
	return false;
}

static bool one_of(struct reader *r, const char *what, const char *const *names, unsigned n, unsigned *ret)
{
	char text[40];
	if (!word(r, text, sizeof text))
		return wrong(r, "%s is missing", what);
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(text, names[i])) {
			*ret = i;
			return true;
		}
	return wrong(r, "\"%s\" is no %s", text, what);
}

static bool level(struct reader *r, bool inherited, hb_trace_level *ret)
{
	unsigned found = 0;
	if (!one_of(r, "level: NONE, MINIMAL, MODIFY, FULL, CHECKSUM", levels,
		    inherited ? HB_TRACE_LEVELS : HB_TRACE_INHERITED, &found))
		return false;
	*ret = (hb_trace_level)found;
	return true;
}

static bool array_id(struct reader *r, hb_array_id *ret)
{
	int64_t line, ordinal;
	if (!quoted(r, "the name of an array", &ret->name) || !quoted(r, "the file of an array", &ret->file) ||
		!integer(r, "line of an array", 0, UINT32_MAX, &line) ||
		!integer(r, "ordinal of an array", 0, UINT32_MAX, &ordinal))
		return false;
	ret->line = (uint32_t)line;
	ret->ordinal = (uint32_t)ordinal;
	return true;
}

/* ---- lines ---- */

static bool limits(struct reader *r, int64_t *first, int64_t *last)
{
	return integer(r, "limit, or -1 for none", -1, INT64_MAX, first) &&
	       integer(r, "limit, or -1 for none", -1, INT64_MAX, last);
}

static bool read_global(struct reader *r, hb_trace_settings *s)
{
	unsigned d = 0;
	do {
		if (d == HB_DIMENSIONS)
			return wrong(r, "there are at most %d dimensions", HB_DIMENSIONS);
		if (!limits(r, &s->global_first[d], &s->global_last[d]))
			return false;
		d++;
	} while (!at_end(r));
	return true;
}

static bool read_checksum(struct reader *r, hb_trace_settings *s)
{
	static const char *const modes[] = {"written", "accessed"};
	unsigned mode = 0;
	if (!one_of(r, "kind of checksums: written, accessed", modes, 2, &mode))
		return false;
	s->checksum_accessed = mode;
	return true;
}

static const hb_construct_wanted *numbered(const hb_trace_settings *s, uint32_t number)
{
	for (size_t i = 0; i < s->constructs; i++)
		if (s->construct[i].number == number)
			return &s->construct[i];
	return NULL;
}

static bool read_number(struct reader *r, hb_construct_wanted *c)
{
	char text[40];
	int n = 0;
	unsigned long number = 0, parent = 0;
	if (!word(r, text, sizeof text) || sscanf(text, "%lu(%lu)%n", &number, &parent, &n) != 2 || text[n] ||
		*text == '-' || strchr(text, '-') || number < 1 || number > UINT32_MAX || parent >= number)
		return wrong(r,
			"a construct has a number and behind it in parentheses that of the one around it, which is lower, or 0: 3(1)");
	c->number = (uint32_t)number;
	c->parent = (uint32_t)parent;
	return true;
}

static bool read_construct(struct reader *r, hb_trace_settings *s)
{
	if (!HB_GROW(s->construct, s->constructs_room, s->constructs + 1))
		return false;
	hb_construct_wanted *c = &s->construct[s->constructs];
	*c = (hb_construct_wanted){.level = HB_TRACE_INHERITED};
	s->constructs++; /* what is in it is freed with the others */
	unsigned type = 0;
	int64_t rank, line;
	if (!read_number(r, c) || !one_of(r, "type of a construct: PL, SL, TR, PT", types, HB_CONSTRUCT_TYPES, &type) ||
		!integer(r, "number of dimensions", 0, HB_DIMENSIONS, &rank) ||
		!quoted(r, "the name of the construct", &c->name) ||
		!quoted(r, "the file of the construct", &c->file) ||
		!integer(r, "line of the construct", 0, UINT32_MAX, &line) || !level(r, true, &c->level))
		return false;
	c->type = (hb_construct_type)type;
	c->rank = (unsigned)rank;
	c->line = (uint32_t)line;
	s->constructs--;
	bool twice = numbered(s, c->number), orphan = c->parent && !numbered(s, c->parent);
	s->constructs++;
	if (twice)
		return wrong(r, "there is a construct %u already", c->number);
	return orphan ? wrong(r, "construct %u is in construct %u, which does not stand before it", c->number,
				c->parent)
		      : true;
}

static hb_construct_wanted *newest(struct reader *r, hb_trace_settings *s)
{
	if (!s->constructs)
		wrong(r, "arrays stand behind the construct whose they are");
	return s->constructs ? &s->construct[s->constructs - 1] : NULL;
}

static bool read_array(struct reader *r, hb_trace_settings *s)
{
	static const char *const names[] = {"r", "w", "rw"};
	hb_construct_wanted *c = newest(r, s);
	unsigned access = 0;
	if (!c || !HB_GROW(c->array, c->arrays_room, c->arrays + 1))
		return false;
	hb_array_wanted *a = &c->array[c->arrays++];
	*a = (hb_array_wanted){0};
	if (!array_id(r, &a->id) || !one_of(r, "access: r, w, rw", names, 3, &access))
		return false;
	a->access = (uint8_t)(access + 1);
	c->knows_arrays = true;
	return true;
}

static bool read_arrays(struct reader *r, hb_trace_settings *s)
{
	static const char *const none[] = {"none"};
	hb_construct_wanted *c = newest(r, s);
	unsigned which;
	if (!c || !one_of(r, "word for no arrays: none", none, 1, &which))
		return false;
	if (c->arrays)
		return wrong(r, "construct %u has arrays", c->number);
	c->knows_arrays = true;
	return true;
}

static bool read_word(struct reader *r, const char *name, hb_trace_settings *s)
{
	if (!strcmp(name, "level"))
		return level(r, false, &s->level);
	if (!strcmp(name, "start"))
		return point(r, &s->start);
	if (!strcmp(name, "finish"))
		return point(r, &s->finish);
	if (!strcmp(name, "global"))
		return read_global(r, s);
	if (!strcmp(name, "local"))
		return limits(r, &s->local_first, &s->local_last);
	if (!strcmp(name, "loop"))
		return limits(r, &s->loop_first, &s->loop_last);
	if (!strcmp(name, "checksum"))
		return read_checksum(r, s);
	if (!strcmp(name, "trap-anyway"))
		return s->trap_anyway = true;
	if (!strcmp(name, "control"))
		return s->control = true;
	if (!strcmp(name, "dry"))
		return s->dry = true;
	if (!strcmp(name, "tolerance"))
		return real(r, "tolerance", &s->tolerance);
	if (!strcmp(name, "absolute"))
		return real(r, "absolute tolerance", &s->absolute);
	if (!strcmp(name, "save-at"))
		return point(r, &s->save_at);
	if (!strcmp(name, "save"))
		return array_id(r, &s->save);
	if (!strcmp(name, "construct"))
		return read_construct(r, s);
	if (!strcmp(name, "array"))
		return read_array(r, s);
	if (!strcmp(name, "arrays"))
		return read_arrays(r, s);
	return wrong(r, "\"%s\" is nothing that can be set (hbdb-trace(5), SETTINGS)", name);
}

static bool read_line(struct reader *r, hb_trace_settings *s)
{
	char name[40];
	if (memchr(r->at, 0, (size_t)(r->end - r->at)))
		return wrong(r, "there is a byte of value 0: this is no text");
	if (at_end(r))
		return true;
	if (!word(r, name, sizeof name))
		return wrong(r, "a line begins with what is set");
	if (!read_word(r, name, s))
		return wrong(r, "out of memory");
	return at_end(r) || wrong(r, "\"%.*s\" is too much behind %s", (int)(r->end - r->at < 60 ? r->end - r->at : 60),
				    r->at, name);
}

static bool good_window(struct reader *r, const hb_trace_settings *s)
{
	char start[HB_POINT_TEXT], finish[HB_POINT_TEXT];
	hb_point_error error = hb_point_window(&s->start, &s->finish);
	if (error == HB_POINT_FINE)
		return true;
	char *why = hb_point_trouble(error, hb_point_text(&s->start, start), hb_point_text(&s->finish, finish));
	wrong(r, "%s", why ? why : "out of memory");
	free(why);
	return false;
}

bool hb_settings_read(const char *text, size_t bytes, hb_trace_settings *settings, char **ret_message)
{
	struct reader r = {.line = 0};
	const char *at = text, *end = text + bytes;
	bool good = true;
	while (good && at < end) {
		const char *feed = memchr(at, '\n', (size_t)(end - at));
		r.at = at;
		r.end = feed ? feed : end;
		r.line++;
		at = feed ? feed + 1 : end;
		good = read_line(&r, settings);
	}
	good = good && good_window(&r, settings);
	*ret_message = r.message;
	return good;
}

/* ---- writing ---- */

__attribute__((format(printf, 2, 3))) static void put(FILE *out, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vfprintf(out, format, args);
	va_end(args);
}

static void put_quoted(const char *text, FILE *out)
{
	fputc('"', out);
	for (const char *c = text ? text : ""; *c; c++) {
		if (*c == '"' || *c == '\\')
			fputc('\\', out);
		fputs(*c == '\n' ? "\\n" : (const char[]){*c, 0}, out);
	}
	fputc('"', out);
}

static void put_id(const hb_array_id *id, FILE *out)
{
	put_quoted(id->name, out);
	fputc(' ', out);
	put_quoted(id->file, out);
	put(out, " %u %u", id->line, id->ordinal);
}

static void put_point(const char *name, const hb_point *p, FILE *out)
{
	char text[HB_POINT_TEXT];
	if (p->number)
		put(out, "%s %s\n", name, hb_point_text(p, text));
}

static void put_limits(const char *name, int64_t first, int64_t last, FILE *out)
{
	if (first >= 0 || last >= 0)
		put(out, "%s %lld %lld\n", name, (long long)first, (long long)last);
}

static void put_global(const hb_trace_settings *s, FILE *out)
{
	unsigned n = HB_DIMENSIONS;
	while (n && s->global_first[n - 1] < 0 && s->global_last[n - 1] < 0)
		n--;
	for (unsigned i = 0; i < n; i++)
		put(out, "%s%lld %lld", i ? " " : "global ", (long long)s->global_first[i],
			(long long)s->global_last[i]);
	if (n)
		fputc('\n', out);
}

static void put_construct(const hb_construct_wanted *c, FILE *out)
{
	static const char *const access[] = {"r", "r", "w", "rw"};
	if (c->times || c->iterations || c->bytes)
		put(out, "# %llu times, %llu iterations, %llu bytes at level FULL\n", (unsigned long long)c->times,
			(unsigned long long)c->iterations, (unsigned long long)c->bytes);
	put(out, "construct %u(%u) %s %u ", c->number, c->parent, hb_construct_type_name(c->type), c->rank);
	put_quoted(c->name, out);
	fputc(' ', out);
	put_quoted(c->file, out);
	put(out, " %u %s\n", c->line, hb_trace_level_name(c->level));
	for (size_t i = 0; i < c->arrays; i++) {
		fputs("  array ", out);
		put_id(&c->array[i].id, out);
		put(out, " %s\n", access[c->array[i].access & 3]);
	}
	if (c->knows_arrays && !c->arrays)
		fputs("  arrays none\n", out);
}

static void put_flag(bool flag, const char *line, FILE *out)
{
	if (flag)
		put(out, "%s\n", line);
}

void hb_settings_write(const hb_trace_settings *s, FILE *out)
{
	put(out, "# NONE, MINIMAL, MODIFY, FULL or CHECKSUM; of a construct also INHERITED\nlevel %s\n",
		hb_trace_level_name(s->level));
	put_point("start", &s->start, out);
	put_point("finish", &s->finish, out);
	put_global(s, out);
	put_limits("local", s->local_first, s->local_last, out);
	put_limits("loop", s->loop_first, s->loop_last, out);
	put_flag(s->checksum_accessed, "checksum accessed", out);
	put_flag(s->trap_anyway, "trap-anyway", out);
	put_flag(s->control, "control", out);
	put_flag(s->dry, "dry", out);
	if (s->tolerance != 1e-8)
		put(out, "tolerance %.17g\n", s->tolerance);
	if (s->absolute != 0)
		put(out, "absolute %.17g\n", s->absolute);
	put_point("save-at", &s->save_at, out);
	if (s->save.name) {
		fputs("save ", out);
		put_id(&s->save, out);
		fputc('\n', out);
	}
	if (s->constructs)
		fputs("\n# construct NUMBER(PARENT) TYPE DIMENSIONS \"NAME\" \"FILE\" LINE LEVEL\n", out);
	for (size_t i = 0; i < s->constructs; i++)
		put_construct(&s->construct[i], out);
}
