/* Points as places of a recording. */
#include <stdlib.h>
#include <string.h>

#include "model/event.h"
#include "points.h"

bool hb__is_point(const char *text) { return !strncmp(text, HB_POINT_PREFIX, strlen(HB_POINT_PREFIX)); }

static char *read_text(const char *text, hb_point *ret)
{
	const char *point = text + strlen(HB_POINT_PREFIX);
	hb_point_error error = hb_point_read(point, ret);
	if (!error && !ret->number)
		error = HB_POINT_SYNTAX;
	return error ? hb_point_trouble(error, point, NULL) : NULL;
}

int hb__check_point(const char *text)
{
	hb_point point;
	char *why = read_text(text, &point);
	int code = why ? hb__fail_with(HB_EXIT_USAGE, "%s", why) : 0;
	free(why);
	return code;
}

static uint64_t value(const hb_event *event, const char *name)
{
	int64_t v = hb_event_value(event, name);
	return v == HB_ABSENT ? UINT64_MAX : (uint64_t)v;
}

static bool is_at(const hb_event *event, const hb_point *p)
{
	bool begins = event->means->does == HB_DOES_SPAN_BEGIN, ends = event->means->does == HB_DOES_SPAN_END;
	if (p->end ? begins : ends)
		return false;
	if (value(event, "point") != (p->nested ? p->inner : p->number))
		return false;
	return p->nested ? value(event, "region") == p->number && value(event, "task") == p->task
			 : value(event, "region") == UINT64_MAX;
}

/* The number of the event on a line; 0: it does not come by it. */
static uint32_t event_of(const hb_process *process, const hb_line *line, const hb_point *point)
{
	hb_events *events;
	hb_event event;
	uint32_t found = 0;
	if (!process->log || hb_events_open(process->log, line->lane, &events, NULL))
		return 0;
	hb_events_skip_times(events);
	while (!found && hb_events_next(events, &event, NULL) > 0)
		if (event.function && event.shape == HB_SHAPE_VALUES && is_at(&event, point))
			found = (uint32_t)event.row->number;
	hb_events_close(events);
	return found;
}

int hb__point_event(hb_run *run, uint32_t process, const char *text, hb_at *ret, char **ret_why)
{
	hb_point point;
	*ret_why = read_text(text, &point);
	if (*ret_why)
		return HB_EXIT_USAGE;
	const hb_process *p = &hb_model_processes(run->model)[process];
	for (uint32_t l = p->first_line; l < p->first_line + p->nlines; l++) {
		uint32_t event = event_of(p, &hb_model_lines(run->model)[l], &point);
		if (event) {
			*ret = (hb_at){l, event};
			return 0;
		}
	}
	*ret_why = hb__format(
		"%s%s does not come by point %s", hb_rank_word(p->name), p->name, text + strlen(HB_POINT_PREFIX));
	return HB_EXIT_USAGE;
}

/* Inside of an event is before its end, that of the last event behind all. */
static unsigned far(hb_stop stop)
{
	return stop == HB_STOP_NOTHING ? 0 : stop == HB_STOP_INSIDE ? 1 : stop == HB_STOP_AFTER ? 2 : 3;
}

static void join(uint32_t lines, uint32_t *to_event, hb_stop *to_stop, const uint32_t *event, const hb_stop *stop)
{
	for (uint32_t i = 0; i < lines; i++)
		if (event[i] > to_event[i] || (event[i] == to_event[i] && far(stop[i]) > far(to_stop[i]))) {
			to_event[i] = event[i];
			to_stop[i] = stop[i];
		}
}

int hb__find_point(hb_run *run, const char *text, hb_at *ret_at, uint32_t *ret_event, hb_stop *ret_stop,
	uint32_t *ret_processes, char **ret_why)
{
	uint32_t lines = hb_model_get_info(run->model)->lines, n = hb_model_get_info(run->model)->processes;
	uint32_t *event = hb__alloc((lines + 1) * sizeof *event);
	hb_stop *stop = hb__alloc((lines + 1) * sizeof *stop);
	hb_error err = {0};
	hb_point point;
	*ret_processes = 0;
	for (uint32_t i = 0; i < lines; i++) {
		ret_event[i] = 0;
		ret_stop[i] = HB_STOP_NOTHING;
	}
	*ret_why = read_text(text, &point);
	for (uint32_t i = 0; i < n && !*ret_why; i++) {
		hb_at at;
		char *none = NULL;
		if (!hb__point_event(run, i, text, &at, &none)) {
			if (!(*ret_processes)++)
				*ret_at = at;
			if (hb_stops(run->model, at, event, stop, &err))
				*ret_why = hb__copy(err.message);
			else
				join(lines, ret_event, ret_stop, event, stop);
		}
		free(none);
	}
	if (!*ret_why && !*ret_processes)
		*ret_why =
			hb__format("no process of this recording comes by point %s: points are those of hbdb compare",
				text + strlen(HB_POINT_PREFIX));
	free(event);
	free(stop);
	return *ret_why ? HB_EXIT_USAGE : 0;
}
