/* What the database has, as objects. */
#include <stdlib.h>
#include <string.h>

#include "system/complex/inside.h"

/* ?1 name of a node, ?2 of a program, ?3 one number, ?4 since, ?5 at most, ?6 behind this row. */
static const struct shown {
	const char *what, *sql;
} all[] = {
	{"nodes",
		"SELECT n.*, (SELECT count(*) FROM process p WHERE p.node = n.node AND p.state NOT IN ('ended', 'gone')) AS processes "
		"FROM node n WHERE (?1 IS NULL OR n.name = ?1) AND (?2 IS NULL OR 1) AND (?3 = 0 OR n.node = ?3) AND (?4 OR 1) AND n.node > ?6 "
		"ORDER BY n.node LIMIT iif(?5, ?5, -1)"},
	{"programs",
		"SELECT g.*, n.name AS node_name, (SELECT who FROM hold h WHERE h.program = g.program) AS holder "
		"FROM program g LEFT JOIN node n ON g.node = n.node WHERE (?1 IS NULL OR n.name = ?1) AND "
		"(?2 IS NULL OR g.name = ?2) AND (?3 = 0 OR g.program = ?3) AND (?4 OR 1) AND g.program > ?6 ORDER BY g.program LIMIT iif(?5, ?5, -1)"},
	{"processes",
		"SELECT p.*, n.name AS node_name, g.name AS program_name, coalesce((SELECT who FROM hold h WHERE h.process = p.process), "
		"(SELECT who FROM hold h WHERE h.program = p.program)) AS holder FROM process p JOIN node n ON p.node = n.node "
		"LEFT JOIN program g ON p.program = g.program WHERE (?1 IS NULL OR n.name = ?1) AND (?2 IS NULL OR g.name = ?2) "
		"AND (?3 = 0 OR p.process = ?3) AND (?4 OR 1) AND p.process > ?6 ORDER BY p.process LIMIT iif(?5, ?5, -1)"},
	{"events",
		"SELECT * FROM (SELECT e.*, n.name AS node_name, g.name AS program_name, p.name AS process_name, p.rank, p.world, p.pid, g.process AS main, "
		"p.recording FROM event e LEFT JOIN node n ON e.node = n.node LEFT JOIN program g ON e.program = g.program LEFT JOIN "
		"process p ON e.process = p.process WHERE (?1 IS NULL OR n.name = ?1) AND (?2 IS NULL OR g.name = ?2) "
		"AND (?3 = 0 OR e.event = ?3) AND e.event > max(?4, ?6) ORDER BY iif(?4 OR ?6, e.event, -e.event) LIMIT iif(?5, ?5, -1)) ORDER BY event"},
	{"reactions",
		"SELECT * FROM reaction WHERE (?1 IS NULL OR 1) AND (?2 IS NULL OR 1) AND (?3 = 0 OR reaction = ?3) "
		"AND (?4 OR 1) ORDER BY enabled DESC, file, line LIMIT iif(?5, ?5, -1) OFFSET ?6"},
	{"holds",
		"SELECT h.rowid AS hold, h.*, g.name AS program_name, p.name AS process_name, n.name AS node_name FROM hold h LEFT JOIN program g ON "
		"h.program = g.program LEFT JOIN process p ON h.process = p.process LEFT JOIN node n ON p.node = n.node "
		"WHERE (?1 IS NULL OR n.name = ?1) AND (?2 IS NULL OR g.name = ?2) AND (?3 = 0 OR 1) AND (?4 OR 1) AND h.rowid > ?6 ORDER BY h.rowid "
		"LIMIT iif(?5, ?5, -1)"},
};

static bool holds_json(const char *column)
{
	return !strcmp(column, "command") || !strcmp(column, "environment") || !strcmp(column, "record") ||
	       !strcmp(column, "data");
}

static cJSON *object_of(sqlite3_stmt *s, int i)
{
	const char *text = (const char *)sqlite3_column_text(s, i);
	cJSON *inner = NULL;
	switch (sqlite3_column_type(s, i)) {
	case SQLITE_INTEGER:
		return cJSON_CreateNumber((double)sqlite3_column_int64(s, i));
	case SQLITE_FLOAT:
		return cJSON_CreateNumber(sqlite3_column_double(s, i));
	case SQLITE_TEXT:
		if (holds_json(sqlite3_column_name(s, i)))
			inner = cJSON_Parse(text);
		return inner ? inner : cJSON_CreateString(text);
	default:
		return cJSON_CreateNull();
	}
}

static cJSON *row_of(sqlite3_stmt *s)
{
	cJSON *row = cJSON_CreateObject();
	for (int i = 0; i < sqlite3_column_count(s); i++)
		cJSON_AddItemToObject(row, sqlite3_column_name(s, i), object_of(s, i));
	return row;
}

hb_status hb_complex_rows(hb_complex *c, const char *what, const hb_complex_filter *filter, hb_complex_visit *visit,
	void *user, hb_error *err)
{
	const struct shown *shown = NULL;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (!strcmp(all[i].what, what))
			shown = &all[i];
	if (!shown)
		return hb__complex_fail(err, HB_E_ARGUMENT, "there are no '%.60s' in the complex", what);
	sqlite3_stmt *s = hb__db_ask(c, err, shown->sql, "ssiiii", filter->node, filter->program, filter->one,
		filter->since, filter->most, filter->after);
	if (!s)
		return HB_E_SYSTEM;
	int code;
	bool more = true;
	while (more && (code = sqlite3_step(s)) == SQLITE_ROW) {
		cJSON *row = row_of(s);
		more = visit(user, row);
	}
	hb_status status = more && code != SQLITE_DONE ? hb__complex_wrong(c, err) : HB_OK;
	sqlite3_finalize(s);
	return status;
}

static bool take(void *user, cJSON *row)
{
	*(cJSON **)user = row;
	return false;
}

cJSON *hb_complex_row(hb_complex *c, const char *what, int64_t number)
{
	cJSON *row = NULL;
	hb_complex_rows(c, what, &(hb_complex_filter){.one = number}, take, &row, NULL);
	return row;
}
