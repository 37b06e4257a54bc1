/* What the recorder remarked of each process: a row for each thing that a remark says. */
#include <stdio.h>
#include <string.h>

#include "../sql.h"
#include "format/remark/remark.h"

struct cursor {
	hb_sql_cursor c;
	size_t log;
	uint64_t remark;
	uint32_t field;
	bool read; /* `value` is of this remark */
	hb_remark_value value[HB_REMARK_FIELDS_MOST];
};

enum { M_RANK, M_LANE, M_EVENT, M_NUMBER, M_KIND, M_FIELD, M_VALUE };

static const hb_sql_column columns[] = {
	{"rank", "INTEGER", 0, HB_SQL_BY_RANK, "rank in MPI_COMM_WORLD"},
	{"lane", "INTEGER", 0, HB_SQL_NO_KEY, "the thread; NULL: it is about the process"},
	{"event", "INTEGER", 0, HB_SQL_NO_KEY, "the event before which it stands"},
	{"number", "INTEGER", 0, HB_SQL_NO_KEY,
		"which remark of the process, counted from 0: its fields have the same one"},
	{"kind", "TEXT", 0, HB_SQL_BY_TEXT, "what is remarked: leak, rma, window ..."},
	{"field", "TEXT", 0, HB_SQL_BY_TEXT,
		"what is told of it: fn, site, made, target ...; a field with its usual value is not"},
	{"value", "ANY", 0, HB_SQL_NO_KEY,
		"a number or a text; a function by its name, a call site as file and line, a request as LANE.POSTING, a list with commas"},
	{0},
};

static const hb_log *log_of(const struct cursor *m) { return m->c.sql->logs.at[m->log].log; }

static int start(hb_sql_cursor *c)
{
	struct cursor *m = (struct cursor *)c;
	m->log = 0;
	m->remark = m->field = 0;
	m->read = false;
	return 0;
}

static const hb_remark_kind *kind_of(const struct cursor *m)
{
	return hb_log_remark_kind(log_of(m), hb_log_remark(log_of(m), m->remark)->kind);
}

/* The next field of this remark that is told. */
static bool next_field(struct cursor *m)
{
	const hb_remark_kind *kind = kind_of(m);
	const char *only = m->c.text[M_KIND], *name = m->c.text[M_FIELD];
	if (!kind || (only && strcmp(only, kind->word) != 0))
		return false;
	if (!m->read && !hb_remark_read(log_of(m), hb_log_remark(log_of(m), m->remark), m->value))
		return false;
	m->field += m->read;
	m->read = true;
	for (; m->field < kind->fields; m->field++)
		if (m->value[m->field].told && (!name || !strcmp(name, kind->field[m->field].name)))
			return true;
	return false;
}

static int next(hb_sql_cursor *c)
{
	struct cursor *m = (struct cursor *)c;
	for (; m->log < c->sql->logs.n; m->log++, m->remark = 0) {
		if (!log_of(m) || !hb__sql_within(c, M_RANK, c->sql->views[m->log].info->rank))
			continue;
		for (; m->remark < c->sql->views[m->log].info->remarks; m->remark++) {
			if (next_field(m))
				return 1;
			m->field = 0;
			m->read = false;
		}
	}
	return 0;
}

static void give_list(sqlite3_context *out, const hb_remark_value *v)
{
	int64_t number[96];
	char text[96 * 22];
	size_t used = 0;
	uint64_t n = hb_remark_numbers(v, number, 96);
	*text = 0;
	for (uint64_t i = 0; i < n; i++)
		used += (size_t)snprintf(text + used, sizeof text - used, i ? ",%lld" : "%lld", (long long)number[i]);
	sqlite3_result_text(out, text, -1, SQLITE_TRANSIENT);
}

static void give_value(struct cursor *m, sqlite3_context *out)
{
	const hb_remark_field *field = &kind_of(m)->field[m->field];
	const hb_remark_value *v = &m->value[m->field];
	const hb_function *f = NULL;
	const hb_place *place = NULL;
	char request[48];
	switch (field->type) {
	case HB_FIELD_FUNCTION:
		f = hb_log_function(log_of(m), (uint32_t)v->number);
		hb__sql_text(out, f ? f->name : NULL);
		return;
	case HB_FIELD_SITE:
		place = hb__view_place(&m->c.sql->views[m->log], (uint32_t)v->number);
		hb__sql_text(out, place ? place->text : NULL);
		return;
	case HB_FIELD_WORD:
		hb__sql_text(out, field->word[v->number]);
		return;
	case HB_FIELD_TEXT:
		sqlite3_result_text(out, v->text, (int)v->bytes, SQLITE_TRANSIENT);
		return;
	case HB_FIELD_REQUEST:
		snprintf(request, sizeof request, "%u.%lld", v->lane, (long long)v->number);
		sqlite3_result_text(out, request, -1, SQLITE_TRANSIENT);
		return;
	case HB_FIELD_LIST:
	case HB_FIELD_RUNS:
		give_list(out, v);
		return;
	default:
		sqlite3_result_int64(out, v->number);
	}
}

static int give(hb_sql_cursor *c, sqlite3_context *out, int column)
{
	struct cursor *m = (struct cursor *)c;
	const hb_remark_row *r = hb_log_remark(log_of(m), m->remark);
	if (column == M_RANK)
		sqlite3_result_int(out, c->sql->views[m->log].info->rank);
	else if (column == M_NUMBER)
		sqlite3_result_int64(out, (int64_t)m->remark);
	else if (column == M_KIND)
		hb__sql_text(out, kind_of(m)->word);
	else if (column == M_FIELD)
		hb__sql_text(out, kind_of(m)->field[m->field].name);
	else if (column == M_VALUE)
		give_value(m, out);
	else if (r->lane != HB_NO)
		sqlite3_result_int64(out, column == M_LANE ? (int64_t)r->lane : (int64_t)r->event);
	return 0;
}

static double many(const struct hb_sql *sql) { return sql->processes * 100.0; }

const hb_sql_table hb__sql_remarks = {
	.name = "remarks",
	.help = "a row for each thing that the recorder remarked for hbdb check (recordings made with --check)",
	.columns = columns,
	.size = sizeof(struct cursor),
	.rows = many,
	.start = start,
	.next = next,
	.column = give,
};
