/* What all tables share: the logs, and how a table fails. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sql.h"

const char *hb__sql_state(const hb_log_info *info)
{
	static const char *const states[] = {"inside", "finalized", "left", "aborted"};
	return info->stopped ? "stopped" : info->state < 4 ? states[info->state] : "unknown";
}

static void add_up(struct hb_sql *sql)
{
	for (size_t i = 0; i < sql->logs.n; i++) {
		const hb_log *log = sql->logs.at[i].log;
		sql->ordered = sql->ordered && (!i || sql->logs.at[i].rank > sql->logs.at[i - 1].rank);
		if (!log)
			continue;
		const hb_log_info *info = hb_log_get_info(log);
		sql->processes++;
		sql->events += info->events;
		sql->lanes += info->lanes;
		for (uint32_t lane = 0; lane < info->lanes; lane++) {
			hb_lane_info l;
			if (!hb_log_lane(log, lane, &l) && l.events > sql->longest)
				sql->longest = l.events < HB_NO ? (uint32_t)l.events : HB_NO;
		}
	}
}

/* The logs of a world of `size` ranks that are not there. */
static uint32_t count_missing(const struct hb_sql *sql, int32_t *ret_first)
{
	int32_t size = 0;
	uint32_t there = 0;
	*ret_first = -1;
	for (size_t i = 0; i < sql->logs.n; i++)
		if (sql->logs.at[i].log && !sql->logs.at[i].world && hb_log_get_info(sql->logs.at[i].log)->size > size)
			size = hb_log_get_info(sql->logs.at[i].log)->size;
	for (size_t i = 0; i < sql->logs.n; i++) {
		if (sql->logs.at[i].world || sql->logs.at[i].rank >= size)
			continue;
		if (*ret_first < 0 && sql->logs.at[i].rank != (int32_t)there)
			*ret_first = (int32_t)there;
		there++;
	}
	if (*ret_first < 0 && there < (uint32_t)size)
		*ret_first = (int32_t)there;
	return (uint32_t)size > there ? (uint32_t)size - there : 0;
}

int hb__sql_open(const char *recording, struct hb_sql *ret)
{
	int32_t first;
	*ret = (struct hb_sql){.recording = recording, .ordered = true};
	int code = hb__open_logs(recording, &ret->logs);
	bool strangers = hb__drop_strangers(recording, &ret->logs) > 0;
	ret->views = hb__make_views(&ret->logs);
	add_up(ret);
	ret->missing = count_missing(ret, &first);
	if (ret->missing == 1)
		hb__say("there is no log of rank %d: what it did is in no table", first);
	else if (ret->missing)
		hb__say("there are no logs of %u processes, the first is rank %d: what they did is in no table",
			ret->missing, first);
	return code || (!ret->missing && !strangers && hb__logs_whole(&ret->logs)) ? code : HB_EXIT_RECORDING;
}

void hb__sql_close(struct hb_sql *sql)
{
	hb__sql_races_close(sql);
	hb__sql_contents_close(sql);
	hb__sql_index_close(sql);
	hb__facts_close(sql->facts);
	if (sql->lamport)
		for (uint32_t i = 0; i < hb_model_get_info(sql->model)->lines; i++)
			free(sql->lamport[i]);
	free(sql->lamport);
	hb_model_close(sql->model);
	free(sql->process_of_log);
	free(sql->log_of_process);
	hb__free_views(sql->views, sql->logs.n);
	hb__close_logs(&sql->logs);
}

int hb__sql_fail(hb_sql_cursor *c, int code, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	sqlite3_free(c->base.pVtab->zErrMsg);
	c->base.pVtab->zErrMsg = sqlite3_vmprintf(format, ap);
	va_end(ap);
	c->sql->code = code;
	return -1;
}

int hb__sql_fail_log(hb_sql_cursor *c, const char *path, const hb_error *err)
{
	int code = err->status == HB_E_ARGUMENT ? HB_EXIT_USAGE : HB_EXIT_RECORDING;
	const char *file = err->file[0] ? err->file : path;
	if (err->sys)
		return hb__sql_fail(c, code, "%s: %s", file, strerror(err->sys));
	return hb__sql_fail(c, code, "%s%s%s", file ? file : "", file ? ": " : "", err->message);
}
