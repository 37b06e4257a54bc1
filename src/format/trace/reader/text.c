/* The text form of traces (hbdb-trace(5), TEXT): one process of it, read as the records that it was printed from. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "format/trace/reader/reading.h"

/* ---- words of a line ---- */

static bool literal(const char **p, const char *word)
{
	size_t n = strlen(word);
	if (strncmp(*p, word, n) != 0)
		return false;
	*p += n;
	return true;
}

static bool integer(const char **p, int64_t *ret)
{
	char *end;
	*ret = strtoll(*p, &end, 10);
	bool good = end != *p;
	*p = end;
	return good;
}

static bool natural(const char **p, uint64_t *ret)
{
	int64_t n = -1;
	bool good = integer(p, &n) && n >= 0;
	*ret = good ? (uint64_t)n : 0;
	return good;
}

static bool real(const char **p, double *ret)
{
	char *end;
	*ret = strtod(*p, &end);
	bool good = end != *p;
	*p = end;
	return good;
}

/* A text in double quotes, kept. NULL: there is none, or no memory. */
static const char *quoted(hb_trace *t, const char **p)
{
	if (!literal(p, "\""))
		return NULL;
	size_t n = 0;
	const char *end = *p;
	for (; *end && *end != '"'; end++, n++)
		if (*end == '\\' && !*++end)
			return NULL;
	char *to = *end ? hb__arena_get(&t->arena, n + 1) : NULL;
	if (!to)
		return NULL;
	for (n = 0; **p != '"'; ++*p) {
		bool escaped = **p == '\\';
		*p += escaped;
		to[n++] = escaped && **p == 'n' ? '\n' : **p;
	}
	to[n] = 0;
	++*p;
	return to;
}

static bool identity(hb_trace *t, const char **p, hb_array_id *ret)
{
	uint64_t line, ordinal;
	ret->name = (char *)(uintptr_t)quoted(t, p);
	ret->file = ret->name && literal(p, ", ") ? (char *)(uintptr_t)quoted(t, p) : NULL;
	bool good = ret->file && literal(p, ", ") && natural(p, &line) && literal(p, ", ") && natural(p, &ordinal) &&
		    line <= UINT32_MAX && ordinal <= UINT32_MAX;
	ret->line = good ? (uint32_t)line : 0;
	ret->ordinal = good ? (uint32_t)ordinal : 0;
	return good;
}

static bool element_type(const char **p, hb_element *ret)
{
	char name[32];
	size_t n = strcspn(*p, "]");
	if (!literal(p, "[") || n < 2 || n > sizeof name)
		return false;
	memcpy(name, *p, n - 1);
	name[n - 1] = 0;
	*p += n - 1;
	return literal(p, "]") && hb_element_read(name, ret);
}

/* The bytes of a value, into the room of the trace. */
static bool value(hb_trace *t, const char **p, hb_element type, hb_trace_record *r)
{
	double part[2] = {0, 0};
	float single[2];
	int64_t n = 0;
	int32_t four;
	bool complex = type == HB_COMPLEX16 || type == HB_COMPLEX8;
	bool good = complex ? literal(p, "(") && real(p, &part[0]) && literal(p, ", ") && real(p, &part[1]) &&
				      literal(p, ")")
		    : hb_element_real(type) ? real(p, &part[0])
					    : integer(p, &n);
	single[0] = (float)part[0];
	single[1] = (float)part[1];
	four = (int32_t)n;
	r->bytes = hb_element_bytes(type);
	r->value = t->value;
	const void *from = type == HB_REAL8 || type == HB_COMPLEX16 ? (const void *)part
			   : hb_element_real(type)                  ? (const void *)single
			   : type == HB_INTEGER4                    ? (const void *)&four
								    : (const void *)&n;
	memcpy(t->value, from, r->bytes);
	return good;
}

/* ---- what is defined ---- */

/* The number of an array with this identity; of a new one the next. */
static uint64_t number_of(const hb_trace *t, const hb_array_id *id)
{
	for (uint64_t i = 1; i <= t->array.last; i++) {
		const hb_trace_array *a = hb_trace_array_of(t, i);
		if (a && a->id.line == id->line && a->id.ordinal == id->ordinal && !strcmp(a->id.name, id->name) &&
			!strcmp(a->id.file, id->file))
			return i;
	}
	return t->array.last + 1;
}

static const hb_trace_array *known(const hb_trace *t, const hb_array_id *id)
{
	return hb_trace_array_of(t, number_of(t, id));
}

static bool dimensions(const char **p, hb_array *as)
{
	while (literal(p, " (")) {
		unsigned d = as->rank;
		int64_t *const to[] = {&as->base[d], &as->global[d], &as->first[d], &as->count[d], &as->below[d],
			&as->above[d], &as->block[d], &as->over[d], &as->place[d]};
		if (d == HB_DIMENSIONS)
			return false;
		for (unsigned i = 0; i < 9; i++)
			if ((i && !literal(p, ", ")) || !integer(p, to[i]))
				return false;
		if (!literal(p, ")"))
			return false;
		as->rank++;
	}
	return true;
}

static bool array(hb_trace *t, const char *p, hb_trace_record *r)
{
	static const char *const flags[] = {" columns", " replicated", " read-only", " own"};
	hb_trace_array a = {.flags = HB_TRACE_ARRAY_WHOLE};
	if (!identity(t, &p, &a.id) || !literal(&p, ") = ") || !element_type(&p, &a.as.type))
		return false;
	for (unsigned i = 0; i < 4; i++)
		a.flags |= literal(&p, flags[i]) ? 1u << i : 0;
	if (!dimensions(&p, &a.as) || *p)
		return false;
	r->kind = HB_TRACE_ARRAY;
	r->number = a.number = number_of(t, &a.id);
	a.as.name = a.id.name;
	a.as.columns = (a.flags & HB_TRACE_ARRAY_COLUMNS) != 0;
	a.as.replicated = (a.flags & HB_TRACE_ARRAY_REPLICATED) != 0;
	a.as.read_only = (a.flags & HB_TRACE_ARRAY_READ_ONLY) != 0;
	return hb__trace_put_array(t, &a);
}

/* {"FILE", LINE}[, POINT] to the end of the line. */
static bool where(hb_trace *t, const char *p, const char **ret_file, uint32_t *ret_line, hb_point *ret_point)
{
	uint64_t line;
	*ret_file = literal(&p, "; {") ? quoted(t, &p) : NULL;
	if (!*ret_file || !literal(&p, ", ") || !natural(&p, &line) || line > UINT32_MAX || !literal(&p, "}"))
		return false;
	*ret_line = (uint32_t)line;
	*ret_point = (hb_point){0};
	return !*p || (literal(&p, ", ") && hb_point_read(p, ret_point) == HB_POINT_FINE);
}

static bool begin(hb_trace *t, const char *p, hb_construct_type type, hb_trace_record *r)
{
	hb_trace_construct c = {.type = type, .function = "", .level = HB_TRACE_INHERITED};
	uint64_t rank;
	if (!natural(&p, &c.number) || !literal(&p, "(") || !natural(&p, &c.parent) || !literal(&p, ") [") ||
		!natural(&p, &rank) || rank > HB_DIMENSIONS || !literal(&p, "] ") || !(c.name = quoted(t, &p)) ||
		!where(t, p, &c.file, &c.line, &r->point) || c.parent >= c.number ||
		!HB_GROW(t->open, t->opens_room, t->opens + 1))
		return false;
	c.rank = (unsigned)rank;
	t->open[t->opens++] = r->point;
	r->kind = HB_TRACE_BEGIN;
	r->number = c.number;
	return hb__trace_put_construct(t, &c);
}

static bool end(hb_trace *t, const char *p, hb_trace_record *r)
{
	const char *file;
	uint32_t line;
	r->kind = HB_TRACE_END;
	t->opens -= t->opens > 0;
	return natural(&p, &r->number) && where(t, p, &file, &line, &r->point) && hb_trace_construct_of(t, r->number);
}

/* ---- checksums and values ---- */

static bool tile(const char *p, hb_tile *to)
{
	char *after;
	to->hash = strtoull(p, &after, 16);
	if (after == p)
		return false;
	p = after;
	double *const moments[] = {&to->least, &to->greatest, &to->sum, &to->squares};
	bool good = natural(&p, &to->count) && natural(&p, &to->odd);
	for (unsigned i = 0; good && i < 4 + 2 * HB_SKETCH; i++)
		good = real(&p, i < 4 ? moments[i] : &to->sketch[(i - 4) / HB_SKETCH][(i - 4) % HB_SKETCH]);
	return good && !strcmp(p, "\"");
}

static bool checksum(hb_trace *t, const char *p, hb_trace_record *r)
{
	static const char *const why[] = {"", "gone", "unreadable", "strange"};
	hb_array_id id;
	if (!identity(t, &p, &id) || !known(t, &id) || !literal(&p, ", \""))
		return false;
	r->kind = HB_TRACE_CHECKED;
	r->number = number_of(t, &id);
	r->access = literal(&p, "rw") ? 3 : literal(&p, "r") ? 1 : literal(&p, "w") ? 2 : 0;
	hb__trace_point_of_sum(t, r);
	if (literal(&p, "\") FAILED ")) {
		for (r->state = HB_CHECKSUM_GONE; r->state <= HB_CHECKSUM_STRANGE; r->state++)
			if (!strcmp(p, why[r->state]))
				return true;
		return false;
	}
	r->tile = t->tile;
	r->tile_number = t->tile_number;
	r->tiles = known(t, &id)->tiled;
	t->tile_number[0] = 0;
	return literal(&p, "\") = \"") && tile(p, &t->tile[0]);
}

static bool indices(const char **p, hb_trace_record *r)
{
	do {
		if (r->n == HB_TRACE_INDICES || !integer(p, &r->index[r->n++]))
			return false;
	} while (literal(p, ", "));
	return true;
}

static bool access(hb_trace *t, const char *p, hb_trace_kind kind, hb_trace_record *r)
{
	hb_array_id id;
	hb_element type;
	if (!element_type(&p, &type) || !literal(&p, " (") || !identity(t, &p, &id) || !literal(&p, ")[") ||
		!indices(&p, r) || !literal(&p, "] = ") || !value(t, &p, type, r))
		return false;
	const hb_trace_array *a = known(t, &id);
	r->kind = kind;
	r->number = number_of(t, &id);
	if (!a || a->as.type != type)
		return false;
	int64_t index[HB_DIMENSIONS], offset = r->index[0];
	bool boxed = a->tiled && !(a->flags & HB_TRACE_ARRAY_OWN);
	if (boxed && r->n != a->as.rank)
		return false;
	for (unsigned d = 0; boxed && d < a->as.rank; d++)
		index[d] = (int64_t)((uint64_t)r->index[d] - (uint64_t)a->as.base[d]);
	if (boxed)
		offset = hb_array_offset(&a->as, index);
	r->element = (uint64_t)offset;
	r->n = 0;
	return offset >= 0;
}

static bool variable(hb_trace *t, const char *p, hb_trace_kind kind, hb_trace_record *r)
{
	hb_array_id id;
	hb_trace_variable v = {.how = HB_OTHER};
	if (!element_type(&p, &v.type) || !literal(&p, " (") || !identity(t, &p, &id) || !literal(&p, ") = ") ||
		!value(t, &p, v.type, r))
		return false;
	r->kind = kind;
	for (r->number = 1; r->number <= t->variable.last; r->number++) {
		const hb_trace_variable *old = hb_trace_variable_of(t, r->number);
		if (old && old->line == id.line && old->type == v.type && !strcmp(old->name, id.name) &&
			!strcmp(old->file, id.file))
			return true;
	}
	v.number = r->number;
	v.name = id.name;
	v.file = id.file;
	v.line = id.line;
	return hb__trace_put_variable(t, &v);
}

/* ---- lines ---- */

static bool line_of_values(hb_trace *t, const char *p, hb_trace_record *r)
{
	static const struct {
		const char *word;
		hb_trace_kind kind;
	} words[] = {{"RD: ", HB_TRACE_READ}, {"BW: ", HB_TRACE_BEFORE}, {"AW: ", HB_TRACE_AFTER},
		{"RV_RD: ", HB_TRACE_RV_READ}, {"RV_BW: ", HB_TRACE_RV_BEFORE}, {"RV_AW: ", HB_TRACE_RV_AFTER},
		{"RV: ", HB_TRACE_RESULT}};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (literal(&p, words[i].word))
			return words[i].kind <= HB_TRACE_AFTER ? access(t, p, words[i].kind, r)
							       : variable(t, p, words[i].kind, r);
	return false;
}

/* A line that is a record. */
static bool line(hb_trace *t, const char *p, hb_trace_record *r)
{
	uint64_t thread = 0;
	if (literal(&p, "@") && (!natural(&p, &thread) || thread > UINT32_MAX || !literal(&p, " ")))
		return false;
	r->thread = (uint32_t)thread;
	for (unsigned type = 0; type < HB_CONSTRUCT_TYPES; type++)
		if (!strncmp(p, hb_construct_type_name((hb_construct_type)type), 2) && !strncmp(p + 2, ": ", 2))
			return begin(t, p + 4, (hb_construct_type)type, r);
	if (literal(&p, "EL: "))
		return end(t, p, r);
	if (literal(&p, "ARRAY("))
		return array(t, p, r);
	if (literal(&p, "CS("))
		return checksum(t, p, r);
	if (literal(&p, "IT: ")) {
		r->kind = HB_TRACE_ITERATION;
		return (!*p || indices(&p, r)) && !*p; /* none: which one it is is not known */
	}
	if (literal(&p, "TASK: ")) {
		r->kind = HB_TRACE_TASK;
		return natural(&p, &r->number) && !*p;
	}
	if (!strcmp(p, "OVER")) {
		r->kind = HB_TRACE_OVER;
		return true;
	}
	return line_of_values(t, p, r);
}

/* Ends the line at p; where the next one begins. */
static char *cut_line(char *p, char *end)
{
	char *feed = memchr(p, '\n', (size_t)(end - p));
	if (!feed)
		return end;
	*feed = 0;
	return feed + 1;
}

int hb__trace_text_next(hb_trace *t, hb_trace_record *r)
{
	while (t->line < t->last_line) {
		char *p = t->line;
		t->line = cut_line(p, t->last_line);
		t->lines++;
		if (!*p || *p == '#' || !strncmp(p, "SKP", 3))
			continue;
		if (!strncmp(p, "process ", 8)) {
			t->line = t->last_line;
			return 0;
		}
		return line(t, p, r) ? 1 : -1;
	}
	return 0;
}

bool hb__trace_text_begin(hb_trace *t, uint32_t process)
{
	while (t->line < t->last_line) {
		char *p = t->line;
		int64_t rank, size;
		const char *at = p + 8;
		t->line = cut_line(p, t->last_line);
		t->lines++;
		if (strncmp(p, "process ", 8) != 0 || process--)
			continue;
		if (!integer(&at, &rank) || !literal(&at, " of ") || !integer(&at, &size) || *at || rank < INT32_MIN ||
			rank > INT32_MAX || size < 0 || size > INT32_MAX)
			return false;
		t->header.rank = (int32_t)rank;
		t->header.size = (int32_t)size;
		return true;
	}
	return false;
}
