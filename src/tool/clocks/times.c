/* When events of a run were. */
#include "times.h"

#include <stdlib.h>

hb_log *hb__line_log(const hb_run *run, uint32_t line)
{
	return hb_model_processes(run->model)[hb_model_lines(run->model)[line].process].log;
}

static hb_when *read_line(hb_log *log, const hb_line *line)
{
	hb_when *all = hb__alloc((line->events + 1) * sizeof *all);
	hb_cursor *cursor;
	hb_row row;
	if (!log || hb_cursor_open(log, line->lane, 1, &cursor, NULL))
		return all;
	const hb_log_info *info = hb_log_get_info(log);
	for (uint32_t i = 0; i < line->events && hb_cursor_next(cursor, &row, NULL) > 0; i++)
		all[i] = (hb_when){(int64_t)info->origin_real + (int64_t)hb_ticks_ns(info, row.enter),
			(int64_t)info->origin_real + (int64_t)hb_ticks_ns(info, row.exit)};
	hb_cursor_close(cursor);
	return all;
}

void hb__times_open(const hb_run *run, hb_times *ret)
{
	*ret = (hb_times){run, hb__alloc((hb_model_get_info(run->model)->lines + 1) * sizeof *ret->line)};
}

hb_when hb__time_of(hb_times *t, hb_at at)
{
	if (!t->line[at.line])
		t->line[at.line] = read_line(hb__line_log(t->run, at.line), &hb_model_lines(t->run->model)[at.line]);
	return t->line[at.line][at.event - 1];
}

void hb__times_close(hb_times *t)
{
	for (uint32_t i = 0; t->line && i < hb_model_get_info(t->run->model)->lines; i++)
		free(t->line[i]);
	free(t->line);
	*t = (hb_times){0};
}
