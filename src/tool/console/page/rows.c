/* The database as the page reads it: everything adds up here, so that a thousand nodes are a thousand short rows. */
#include <stdlib.h>
#include <string.h>

#include "page.h"

/* How a process is, or how it ended. */
#define HOW "iif(p.state = 'ended' AND (coalesce(p.signal, 0) <> 0 OR coalesce(p.status, 0) <> 0), 'failed', p.state)"
/* Of the last run of its program, or still there. */
#define PRESENT \
	"(p.state NOT IN ('ended', 'gone') OR p.process = g.process OR (p.recording IS NOT NULL AND p.recording IN (g.recording, g.part)))"
#define LATELY "(strftime('%s', 'now') - 3600) * 1000000"

sqlite3 *hb__complex_base(const char *path, hb_text *ret)
{
	sqlite3 *base = NULL;
	if (sqlite3_open_v2(path, &base, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK) {
		sqlite3_busy_timeout(base, 2000);
		return base;
	}
	hb_text_format(
		ret, "%s: %s; hbdb manager makes this database", path, base ? sqlite3_errmsg(base) : "out of memory");
	sqlite3_close(base);
	return NULL;
}

static int failed(sqlite3 *base, hb_text *ret)
{
	ret->n = 0;
	hb_text_format(ret, "the manager's database cannot be read: %s", sqlite3_errmsg(base));
	return 503;
}

/* ---- rows as JSON ---- */

static bool holds_json(const char *column) { return !strcmp(column, "command") || !strcmp(column, "states"); }

static void put_value(hb_text *out, sqlite3_stmt *s, int i)
{
	const char *text = (const char *)sqlite3_column_text(s, i);
	switch (sqlite3_column_type(s, i)) {
	case SQLITE_INTEGER:
		hb_text_format(out, "%lld", (long long)sqlite3_column_int64(s, i));
		break;
	case SQLITE_FLOAT:
		hb_text_number(out, sqlite3_column_double(s, i));
		break;
	case SQLITE_TEXT:
		if (holds_json(sqlite3_column_name(s, i)))
			hb_text_put(out, text);
		else
			hb_text_json(out, text);
		break;
	default:
		hb_text_put(out, "null");
	}
}

static void put_row(hb_text *out, sqlite3_stmt *s)
{
	for (int i = 0; i < sqlite3_column_count(s); i++) {
		hb_text_put(out, i ? "," : "{");
		hb_text_json(out, sqlite3_column_name(s, i));
		hb_text_put(out, ":");
		put_value(out, s, i);
	}
	hb_text_put(out, "}");
}

/* A list of the rows, in brackets; values: bound by their places, "" as NULL. False: it failed. */
static bool put_rows(sqlite3 *base, hb_text *out, const char *sql, const char *const *values, size_t n, size_t *ret_n)
{
	sqlite3_stmt *s;
	size_t rows = 0;
	int code;
	if (sqlite3_prepare_v2(base, sql, -1, &s, NULL) != SQLITE_OK)
		return false;
	for (size_t i = 0; i < n; i++)
		if (*values[i])
			sqlite3_bind_text(s, (int)i + 1, values[i], -1, SQLITE_STATIC);
	hb_text_put(out, "[");
	while ((code = sqlite3_step(s)) == SQLITE_ROW) {
		if (rows++)
			hb_text_put(out, ",");
		put_row(out, s);
	}
	hb_text_put(out, "]");
	sqlite3_finalize(s);
	if (ret_n)
		*ret_n = rows;
	return code == SQLITE_DONE;
}

/* {STATE: COUNT}, or a number: the first column of the first row, as it is. */
static bool put_one(sqlite3 *base, hb_text *out, const char *sql)
{
	sqlite3_stmt *s;
	if (sqlite3_prepare_v2(base, sql, -1, &s, NULL) != SQLITE_OK)
		return false;
	int code = sqlite3_step(s);
	const char *text = code == SQLITE_ROW ? (const char *)sqlite3_column_text(s, 0) : NULL;
	hb_text_put(out, text ? text : "null");
	sqlite3_finalize(s);
	return code == SQLITE_ROW;
}

/* ---- the complex ---- */

static const char nodes_sql[] =
	"WITH c AS (SELECT p.node, " HOW
	" AS how, count(*) AS n FROM process p LEFT JOIN program g ON p.program = g.program WHERE " PRESENT
	" GROUP BY 1, 2), "
	"s AS (SELECT node, json_group_object(how, n) AS states FROM c GROUP BY node), "
	"e AS (SELECT node, count(*) AS errors FROM event WHERE time > " LATELY " AND weight = 'error' GROUP BY node) "
	"SELECT n.node, n.name, n.platform, n.address, n.state, n.why, n.since, n.host, n.machine, n.version, n.load, n.memory, n.disk, s.states, "
	"e.errors FROM node n LEFT JOIN s ON s.node = n.node LEFT JOIN e ON e.node = n.node WHERE ?1 IS NULL OR n.name = ?1 ORDER BY n.node";

static const char programs_sql[] =
	"WITH c AS (SELECT p.program, " HOW
	" AS how, count(*) AS n FROM process p JOIN program g ON p.program = g.program WHERE " PRESENT
	" GROUP BY 1, 2), s AS (SELECT program, json_group_object(how, n) AS states FROM c GROUP BY program) "
	"SELECT g.program, g.name, n.name AS node_name, g.command, g.cwd, g.record IS NOT NULL AS recorded, g.recording, g.restart, g.wanted, g.state, "
	"g.since, g.runs, g.failures, g.status, g.signal, g.process, g.retry, g.ending, h.who AS holder, h.why AS held_why, s.states "
	"FROM program g LEFT JOIN node n ON g.node = n.node LEFT JOIN hold h ON h.program = g.program LEFT JOIN s ON s.program = g.program "
	"ORDER BY g.program";

static const char holds_sql[] =
	"SELECT h.process, h.who, h.why, h.since, coalesce(g.name, gp.name) AS program_name, p.name AS process_name FROM hold h "
	"LEFT JOIN program g ON h.program = g.program LEFT JOIN process p ON h.process = p.process LEFT JOIN program gp ON p.program = gp.program "
	"ORDER BY h.since";

static bool put_sums(sqlite3 *base, hb_text *out)
{
	static const struct {
		const char *name, *sql;
	} all[] = {
		{"\"nodes\":",
			"SELECT json_group_object(state, n) FROM (SELECT state, count(*) AS n FROM node GROUP BY 1)"},
		{",\"programs\":",
			"SELECT json_group_object(state, n) FROM (SELECT state, count(*) AS n FROM program GROUP BY 1)"},
		{",\"processes\":",
			"SELECT json_group_object(how, n) FROM (SELECT " HOW " AS how, count(*) AS n FROM process p "
			"LEFT JOIN program g ON p.program = g.program WHERE " PRESENT " GROUP BY 1)"},
		{",\"errors\":", "SELECT count(*) FROM event WHERE time > " LATELY " AND weight = 'error'"},
	};
	bool good = true;
	hb_text_put(out, ",\"sums\":{");
	for (size_t i = 0; good && i < sizeof all / sizeof *all; i++) {
		hb_text_put(out, all[i].name);
		good = put_one(base, out, all[i].sql);
	}
	hb_text_put(out, "}");
	return good;
}

int hb__answer_complex(sqlite3 *base, const hb_view_asked *asked, const char *head, hb_text *ret)
{
	char node[300];
	const char *values[] = {node};
	hb_view_parameter(asked->query, "node", node, sizeof node);
	hb_text_format(ret, "{%s,\"now\":%lld,\"last\":", head, (long long)hb_complex_now());
	/* one state of the database for all of it */
	bool good = sqlite3_exec(base, "BEGIN", NULL, NULL, NULL) == SQLITE_OK &&
		    put_one(base, ret, "SELECT coalesce(max(event), 0) FROM event");
	good = good && put_sums(base, ret);
	hb_text_put(ret, ",\"nodes\":");
	good = good && put_rows(base, ret, nodes_sql, values, 1, NULL);
	hb_text_put(ret, ",\"programs\":");
	good = good && put_rows(base, ret, programs_sql, NULL, 0, NULL);
	hb_text_put(ret, ",\"holds\":");
	good = good && put_rows(base, ret, holds_sql, NULL, 0, NULL);
	hb_text_put(ret, "}");
	return good ? 200 : failed(base, ret);
}

/* ---- processes and events ---- */

/* The parameters of these names, each in a place of its own. */
struct given {
	char text[8][300];
	const char *value[8];
};

static void read_given(struct given *g, const char *query, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		hb_view_parameter(query, names[i], g->text[i], sizeof g->text[i]);
		g->value[i] = g->text[i];
	}
}

int hb__answer_processes(sqlite3 *base, const hb_view_asked *asked, hb_text *ret)
{
	static const char *const names[] = {"node", "program", "one", "ended"};
	static const char sql[] =
		"SELECT p.process, n.name AS node_name, n.state AS node_state, n.why AS node_why, g.name AS program_name, p.pid, p.name, p.file, p.rank, "
		"p.world, p.machine, p.recording, p.state, " HOW
		" AS how, p.call, p.events, p.messages, p.event_rate, p.message_rate, p.threads, p.used, p.memory, p.status, p.signal, p.since, "
		"p.missing, coalesce(hp.who, hg.who) AS holder, coalesce(hp.why, hg.why) AS held_why, hp.who IS NOT NULL AS held_itself FROM process p "
		"JOIN node n ON p.node = n.node LEFT JOIN program g ON p.program = g.program LEFT JOIN hold hp ON hp.process = p.process LEFT JOIN hold hg "
		"ON hg.program = p.program WHERE (?1 IS NULL OR n.name = ?1) AND (?2 IS NULL OR g.name = ?2) AND (?3 IS NULL OR p.process = CAST(?3 AS "
		"INTEGER)) AND (?3 IS NOT NULL OR ?4 IS NOT NULL OR " PRESENT
		") ORDER BY p.program, p.world, p.rank, p.process LIMIT 5001";
	struct given g;
	size_t found;
	read_given(&g, asked->query, names, 4);
	hb_text_format(ret, "{\"now\":%lld,\"rows\":", (long long)hb_complex_now());
	if (!put_rows(base, ret, sql, g.value, 4, &found))
		return failed(base, ret);
	hb_text_format(ret, ",\"found\":%zu}", found);
	return 200;
}

int hb__answer_events(sqlite3 *base, const hb_view_asked *asked, hb_text *ret)
{
	static const char *const names[] = {"since", "before", "weight", "kind", "node", "program", "process", "most"};
	static const char sql[] =
		"SELECT e.event, e.time, e.kind, e.weight, e.text, n.name AS node_name, g.name AS program_name, e.process, p.name AS process_name, p.rank, "
		"coalesce(p.recording, iif(json_valid(e.data), json_extract(e.data, '$.folder'), NULL)) AS recording "
		"FROM event e LEFT JOIN node n ON e.node = n.node LEFT JOIN program g ON e.program = g.program LEFT JOIN process p ON e.process = p.process "
		"WHERE e.event > CAST(coalesce(?1, 0) AS INTEGER) AND (?2 IS NULL OR e.event < CAST(?2 AS INTEGER)) AND (?3 IS NULL OR e.weight = ?3 OR "
		"(?3 = 'warning' AND e.weight = 'error')) AND (?4 IS NULL OR e.kind = ?4) AND (?5 IS NULL OR n.name = ?5) AND (?6 IS NULL OR g.name = ?6) "
		"AND (?7 IS NULL OR e.process = CAST(?7 AS INTEGER)) ORDER BY iif(?1 IS NULL, -e.event, e.event) "
		"LIMIT min(max(CAST(coalesce(?8, 200) AS INTEGER), 1), 2000)";
	struct given g;
	read_given(&g, asked->query, names, 8);
	hb_text_put(ret, "{\"rows\":");
	if (!put_rows(base, ret, sql, g.value, 8, NULL))
		return failed(base, ret);
	hb_text_put(ret, "}");
	return 200;
}
