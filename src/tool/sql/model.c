/* The model of the recording, built when a table needs it first. */
#include <stdlib.h>

#include "sql.h"

#define TOLD_MAX 12 /* lines of troubles; the rest is counted */

void hb__sql_say_troubles(struct hb_sql *sql)
{
	uint32_t n = hb_model_get_info(sql->model)->troubles, first = sql->told;
	for (; sql->told < n && sql->told - first < TOLD_MAX; sql->told++)
		hb__say("%s", hb_model_trouble(sql->model, sql->told));
	if (sql->told < n)
		hb__say("and %u more of these", n - sql->told);
	sql->told = n;
}

int hb__sql_model(hb_sql_cursor *c)
{
	struct hb_sql *sql = c->sql;
	hb_error err = {0};
	hb_bar bar;
	size_t n;
	if (sql->model)
		return 0;
	free(sql->log_of_process);
	hb_source *sources = hb__make_sources(&sql->logs, &n, &sql->log_of_process);
	hb__bar_begin(&bar, "matching messages");
	hb_status status = hb_model_build(sources, n, hb__bar_step, &bar, &sql->model, &err);
	hb__bar_end(&bar);
	free(sources);
	if (status) {
		sql->model = NULL;
		return hb__sql_fail_log(c, NULL, &err);
	}
	free(sql->process_of_log);
	sql->process_of_log = hb__alloc(sql->logs.n * sizeof *sql->process_of_log);
	for (size_t i = 0; i < n; i++)
		if (sql->log_of_process[i] != HB_NO)
			sql->process_of_log[sql->log_of_process[i]] = (uint32_t)i;
	sql->facts = hb__facts_open(sql->model);
	hb__sql_say_troubles(sql);
	return 0;
}

/* ---- Lamport times ---- */

static bool keep_time(void *user, const hb_stamp *stamp)
{
	uint32_t **lamport = user;
	lamport[stamp->at.line][stamp->at.event - 1] = stamp->lamport < HB_NO ? (uint32_t)stamp->lamport : HB_NO;
	return true;
}

int hb__sql_lamport(hb_sql_cursor *c)
{
	struct hb_sql *sql = c->sql;
	hb_error err = {0};
	hb_bar bar;
	if (sql->lamport)
		return 0;
	if (hb__sql_model(c))
		return -1;
	const hb_line *lines = hb_model_lines(sql->model);
	uint32_t n = hb_model_get_info(sql->model)->lines;
	sql->lamport = hb__alloc((n + 1) * sizeof *sql->lamport);
	for (uint32_t i = 0; i < n; i++)
		sql->lamport[i] = hb__alloc((size_t)lines[i].events * sizeof **sql->lamport);
	hb__bar_begin(&bar, "clocks");
	hb_status status = hb_clocks_run(sql->model, keep_time, sql->lamport, hb__bar_step, &bar, &err);
	hb__bar_end(&bar);
	if (status)
		return hb__sql_fail_log(c, NULL, &err);
	hb__sql_say_troubles(sql);
	return 0;
}

/* ---- names ---- */

int32_t hb__sql_rank(const struct hb_sql *sql, uint32_t process)
{
	return process < hb_model_get_info(sql->model)->processes ? hb_model_processes(sql->model)[process].rank : -1;
}

int32_t hb__sql_line_rank(const struct hb_sql *sql, uint32_t line)
{
	return line < hb_model_get_info(sql->model)->lines ? hb__sql_rank(sql, hb_model_lines(sql->model)[line].process)
							   : -1;
}

void hb__sql_part(struct hb_sql *sql, sqlite3_context *out, hb_at at, enum hb_sql_part part)
{
	hb_fact fact;
	if (at.line >= hb_model_get_info(sql->model)->lines || !at.event)
		return;
	const hb_line *line = &hb_model_lines(sql->model)[at.line];
	if (part == HB_SQL_LANE || part == HB_SQL_EVENT) {
		sqlite3_result_int64(out, part == HB_SQL_LANE ? line->lane : at.event);
		return;
	}
	uint32_t log = sql->log_of_process[line->process];
	if (log == HB_NO || !hb__fact(sql->facts, at, &fact))
		return;
	const hb_function *function = hb_log_function(sql->views[log].log, fact.function);
	const hb_place *place = part == HB_SQL_PLACE ? hb__view_place(&sql->views[log], fact.site) : NULL;
	bool timed = fact.enter || fact.exit;
	if (part == HB_SQL_CALL)
		hb__sql_text(out, function ? function->name : NULL);
	else if (place)
		hb__sql_text(out, place->text);
	else if (part == HB_SQL_ENTER && timed)
		hb__sql_seconds(out, sql, log, fact.enter);
	else if (part == HB_SQL_EXIT && timed && fact.returned)
		hb__sql_seconds(out, sql, log, fact.exit);
}
