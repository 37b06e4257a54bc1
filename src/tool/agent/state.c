/* What each thread of a recording does now: by its counters, which are looked at all the time, and by its log, of which the end is read. */
#include <stdlib.h>
#include <string.h>

#include "../show/line.h"
#include "../show/source.h"
#include "../run/run.h"
#include "../watch/lanes.h"
#include "agent.h"
#include "base/clock.h"
#include "model/event.h"

#define ASKED_S 1.0 /* who was told no so long ago asks again and again */

/* Call and place of a row; since: seconds since a tick of the process, whose clock is this machine's. */
static void add_row(cJSON *thread, hb_view *view, const hb_row *row, bool over)
{
	const hb_function *f = hb_log_function(view->log, row->function);
	const hb_place *place = hb__view_place(view, row->site);
	if (f && f->name)
		cJSON_AddStringToObject(thread, over ? "after" : "call", f->name);
	if (place)
		cJSON_AddStringToObject(thread, "place", place->text);
}

static void add_since(cJSON *thread, const hb_view *view, uint64_t tick)
{
	double for_s = hb_seconds() - ((double)view->info->origin_mono + hb_ticks_ns(view->info, tick)) * 1e-9;
	if (for_s >= 0)
		cJSON_AddNumberToObject(thread, "seconds", for_s);
}

/* The last call that is over; nothing where there was none. */
static void add_last(cJSON *thread, hb_view *view, uint32_t lane, uint64_t events)
{
	hb_cursor *cursor;
	hb_row row;
	if (!events || hb_cursor_open((hb_log *)view->log, lane, events, &cursor, NULL))
		return;
	if (hb_cursor_next(cursor, &row, NULL) == 1) {
		add_row(thread, view, &row, true);
		add_since(thread, view, row.exit);
	}
	hb_cursor_close(cursor);
}

/* A call that the thread is in, or asks with again and again. False: it cannot be read. */
static bool add_slot(cJSON *thread, hb_view *view, uint32_t lane, uint64_t events, uint32_t slot)
{
	hb_cursor *cursor;
	hb_row row;
	if (hb_cursor_open((hb_log *)view->log, lane, events + 1, &cursor, NULL))
		return false;
	bool is = !hb_cursor_slot(cursor, slot, &row);
	if (is)
		add_row(thread, view, &row, false);
	hb_cursor_close(cursor);
	return is;
}

static cJSON *thread_of(hb_view *view, const hb_lane_now *now)
{
	cJSON *thread = cJSON_CreateObject();
	hb_lane_info lane = {0};
	bool read = view && !hb_log_lane(view->log, now->is.lane, &lane);
	bool asks = now->asked > 0 && hb_seconds() - now->asked < ASKED_S;
	const char *does = read && lane.inside          ? "inside"
			   : !read && now->is.inside    ? "inside"
			   : asks                       ? "asks"
			   : !now->asleep               ? "computes"
			   : now->joins == now->is.lane ? "ended"
							: "asleep";
	cJSON_AddNumberToObject(thread, "lane", now->is.lane);
	if (now->is.task)
		cJSON_AddNumberToObject(thread, "thread", (double)now->is.task);
	cJSON_AddNumberToObject(thread, "events", (double)(read ? lane.events : now->is.events));
	cJSON_AddStringToObject(thread, "does", does);
	if (read && lane.inside) {
		add_slot(thread, view, now->is.lane, lane.events, lane.inside_slot);
		add_since(thread, view, lane.inside_enter);
	} else if (read &&
		   (!asks || !lane.polling || !add_slot(thread, view, now->is.lane, lane.events, lane.polling_slot)))
		add_last(thread, view, now->is.lane, lane.events);
	if (!strcmp(does, "asleep") && now->joins != HB_NO)
		cJSON_AddNumberToObject(thread, "joins", now->joins);
	return thread;
}

static cJSON *threads_of(const hb_process_now *p)
{
	cJSON *threads = cJSON_CreateArray();
	hb_log_file file = {.path = p->path, .rank = p->rank, .pid = p->pid};
	hb_logs logs = {.at = &file, .n = 1};
	if (hb_log_open(p->path, &file.log, NULL))
		file.log = NULL;
	hb_view *views = hb__make_views(&logs);
	for (size_t i = 0; i < p->nlanes; i++)
		cJSON_AddItemToArray(threads, thread_of(file.log ? views : NULL, &p->lane[i]));
	hb__free_views(views, 1);
	if (file.log)
		hb_log_close(file.log);
	return threads;
}

/* One that is told: by its pid and the moment when it began. */
static bool is_meant(const cJSON *process, const cJSON *one)
{
	return cJSON_Compare(cJSON_GetObjectItemCaseSensitive(process, "pid"),
		       cJSON_GetObjectItemCaseSensitive(one, "pid"), true) &&
	       cJSON_Compare(cJSON_GetObjectItemCaseSensitive(process, "began"),
		       cJSON_GetObjectItemCaseSensitive(one, "began"), true);
}

static cJSON *states_of(const cJSON *ask, const hb_watched *all, size_t n)
{
	cJSON *answer = cJSON_CreateObject();
	const cJSON *one = cJSON_GetObjectItemCaseSensitive(ask, "process");
	int64_t pid = 0;
	hb_wire_number(one, "pid", &pid);
	hb_wire_list fits = {.rows = cJSON_CreateArray()};
	const hb_watched *last = NULL;
	for (size_t i = hb__list_from(ask, all, n); i < n && !fits.full; i++) {
		cJSON *process = one && all[i].now->pid != pid ? NULL : hb__watched_describe(&all[i]);
		if (!process || (one && !is_meant(process, one))) {
			cJSON_Delete(process);
			continue;
		}
		cJSON_DeleteItemFromObjectCaseSensitive(process, "threads");
		cJSON_AddItemToObject(
			process, "threads", hb__is_over(all[i].now) ? cJSON_CreateArray() : threads_of(all[i].now));
		if (hb_wire_list_add(&fits, process))
			last = &all[i];
	}
	cJSON_AddItemToObject(answer, "processes", fits.rows);
	if (fits.full && last)
		hb__list_more(answer, last);
	return answer;
}

void hb__ask_state(hb_agent *agent, hb_wire *wire, uint64_t id, const cJSON *ask)
{
	const char *folder = hb_wire_text(ask, "folder");
	hb_watched *all = NULL;
	size_t n;
	if (!folder || !hb__watched_all(((hb_tool_agent *)hb_agent_user(agent))->watching, folder, &all, &n)) {
		hb_wire_refuse(wire, id, HB_EXIT_USAGE,
			"%s is not watched here, or is complete: what its threads do now is not known",
			folder ? folder : "(none)");
		return;
	}
	int said = hb__work_for(agent, wire, id);
	if (said >= 0)
		hb__work_done(said, states_of(ask, all, n));
	free(all);
}
