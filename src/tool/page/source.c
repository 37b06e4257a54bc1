/* A run for the server of the page. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "page.h"

#define VALUES_SHOWN 64   /* of a piece of what came in */
#define READ_ON_MOST 4096 /* events that are read over rather than sought */

int hb__page_begin(const char *recording, hb_run *run, hb_page_run *ret)
{
	*ret = (hb_page_run){.run = run};
	int code = hb__begin_run(recording, run);
	for (size_t i = 0; run->views && i < run->logs.n; i++)
		run->views[i].colour = false;
	ret->out = hb__alloc(sizeof *ret->out);
	ret->out->fd = memfd_create("hbdb-lines", MFD_CLOEXEC);
	return code;
}

void hb__page_end(hb_page_run *p)
{
	for (uint32_t i = 0; i < p->lines; i++)
		hb_waymarks_free(p->marks[i]);
	free(p->marks);
	for (size_t i = 0; p->remarks && i < p->run->logs.n; i++)
		free(p->remarks[i].at);
	free(p->remarks);
	for (size_t i = 0; p->contents && i < p->run->logs.n; i++) {
		hb_contents_close(p->contents[i].contents);
		hb_data_close(p->contents[i].data);
	}
	free(p->contents);
	hb__page_end_model(p);
	hb__page_end_compare(p->compare);
	hb_events_close(p->events);
	if (p->out && p->out->fd >= 0)
		close(p->out->fd);
	free(p->out);
	free(p->why);
}

hb_source *hb__page_sources(const hb_page_run *p, size_t *ret_n, int64_t **ret_shift_ns)
{
	uint32_t *log_of;
	hb_source *sources = hb__make_sources(&p->run->logs, ret_n, &log_of);
	*ret_shift_ns = hb__alloc(*ret_n * sizeof **ret_shift_ns);
	for (size_t i = 0; i < *ret_n; i++)
		if (log_of[i] != HB_NO)
			(*ret_shift_ns)[i] = p->run->views[log_of[i]].shift_ns;
	free(log_of);
	return sources;
}

/* ---- building ---- */

struct part {
	hb_progress *progress;
	void *user;
};

/* The marks take a tenth of the time. */
static void step(void *user, double share)
{
	struct part *p = user;
	p->progress(p->user, 0.9 * share);
}

static hb_status build(void *user, hb_progress *progress, void *progress_user, hb_model **ret, hb_error *err)
{
	hb_page_run *p = user;
	struct part part = {progress, progress_user};
	hb_status status = hb__match_run(p->run, step, &part, err);
	if (status)
		return status;
	const hb_model *model = p->run->model;
	uint32_t lines = hb_model_get_info(model)->lines;
	p->marks = hb__alloc(lines * sizeof *p->marks);
	p->lines = lines;
	for (uint32_t i = 0; i < lines && !status; i++) {
		const hb_line *line = &hb_model_lines(model)[i];
		hb_log *log = hb_model_processes(model)[line->process].log;
		progress(progress_user, 0.9 + 0.1 * i / lines);
		if (log)
			status = hb_waymarks_make(log, line->lane, &p->marks[i], err);
	}
	*ret = p->run->model;
	return status;
}

/* ---- events ---- */

/* The event is read and held. Events that are asked for one after the other are read on, in one pass. */
static bool hold(hb_page_run *p, hb_at at)
{
	const hb_line *line = &hb_model_lines(p->run->model)[at.line];
	hb_log *log = hb_model_processes(p->run->model)[line->process].log;
	bool inside = line->inside && at.event == line->events;
	if (p->at.event && p->at.line == at.line && p->at.event == at.event)
		return true;
	bool on =
		p->at.event && p->at.line == at.line && at.event > p->at.event && at.event - p->at.event < READ_ON_MOST;
	uint32_t number = on ? p->at.event + 1 : at.event;
	p->at.event = 0;
	if (!on) {
		hb_events_close(p->events);
		p->events = NULL;
		if (!log || !p->marks[at.line] ||
			hb_events_open_marked(log, line->lane, p->marks[at.line], at.event, &p->events, NULL))
			return false;
	}
	for (; number < at.event; number++)
		if (hb_events_next(p->events, &p->event, NULL) != 1)
			return false;
	if (inside ? !hb__event_inside(p->events, line, &p->row, &p->event)
		   : hb_events_next(p->events, &p->event, NULL) != 1)
		return false;
	p->at = at;
	return true;
}

static bool event(void *user, hb_at at, hb_text *ret_line, hb_text *ret_json, uint32_t *ret_site)
{
	hb_page_run *p = user;
	hb_text *const rets[] = {ret_line, ret_json};
	const hb_line *line = &hb_model_lines(p->run->model)[at.line];
	if (!hold(p, at))
		return false;
	hb_view *view = &p->run->views[p->run->log_of[line->process]];
	view->never = line->inside && at.event == line->events;
	for (int json = 0; json < 2; json++) {
		if (!rets[json] || ftruncate(p->out->fd, 0) || lseek(p->out->fd, 0, SEEK_SET))
			continue;
		char *text = hb__event_text(p->out, view, &p->event, json);
		hb_text_put(rets[json], text);
		free(text);
	}
	view->never = false;
	*ret_site = p->event.row->site;
	return true;
}

/* Read of a process when they are asked for. */
static const hb_remark_list *remarks_of(hb_page_run *p, uint32_t log)
{
	hb_run *run = p->run;
	if (!p->remarks)
		p->remarks = hb__alloc((run->logs.n + 1) * sizeof *p->remarks);
	if (!p->remarks[log].at)
		hb__list_remarks(run->logs.at[log].log, &p->remarks[log]);
	return &p->remarks[log];
}

static void remarks(void *user, hb_at at, size_t most, hb_text *ret_json, size_t *ret_n)
{
	hb_page_run *p = user;
	const hb_line *line = &hb_model_lines(p->run->model)[at.line];
	uint32_t log = p->run->log_of[line->process];
	*ret_n = 0;
	if (log == HB_NO)
		return;
	const hb_remark_list *list = remarks_of(p, log);
	hb_text_put(ret_json, "[");
	for (size_t i = hb__first_remark(list, line->lane, at.event); i < list->n; i++) {
		if (list->at[i].lane != line->lane || list->at[i].event != at.event)
			break;
		if (++*ret_n > most || ftruncate(p->out->fd, 0) || lseek(p->out->fd, 0, SEEK_SET))
			continue;
		hb__put_remark_object(p->out, &p->run->views[log], &list->at[i]);
		char *text = hb__taken(p->out, 0);
		hb_text_put(ret_json, *ret_n > 1 ? "," : "");
		hb_text_put(ret_json, text);
		free(text);
	}
	hb_text_put(ret_json, "]");
}

/* Opened when they are asked for. NULL: nothing is kept of this process. */
static hb_contents *contents_of(hb_page_run *p, uint32_t log)
{
	hb_log_file *file = &p->run->logs.at[log];
	if (!p->contents)
		p->contents = hb__alloc((p->run->logs.n + 1) * sizeof *p->contents);
	struct hb_page_contents *of = &p->contents[log];
	if (!of->tried && file->log && !hb__open_contents(file, &of->data) && of->data)
		hb_contents_open(file->log, of->data, &of->contents, NULL);
	of->tried = true;
	return of->contents;
}

static void data(void *user, hb_at at, size_t most, hb_text *ret_json, size_t *ret_n)
{
	hb_page_run *p = user;
	const hb_line *line = &hb_model_lines(p->run->model)[at.line];
	uint32_t log = p->run->log_of[line->process], n = 0;
	const hb_content *content = NULL;
	hb_contents *contents = log == HB_NO ? NULL : contents_of(p, log);
	*ret_n = 0;
	if (!contents || !hold(p, at) || hb_contents_of(contents, &p->event, &content, &n, NULL) != 1)
		return;
	const hb_contents_view of = {&p->run->views[log], contents, VALUES_SHOWN, true};
	*ret_n = n;
	hb_text_put(ret_json, "[");
	for (uint32_t i = 0; i < n && i < most; i++) {
		if (ftruncate(p->out->fd, 0) || lseek(p->out->fd, 0, SEEK_SET))
			break;
		bool good = !hb__put_contents(p->out, &of, line->lane, at.event, NULL, &content[i], 1, NULL);
		char *text = hb__taken(p->out, 0);
		hb_text_put(ret_json, i ? "," : "");
		hb_text_put(ret_json, good ? text : "null");
		free(text);
	}
	hb_text_put(ret_json, "]");
}

static bool place(void *user, uint32_t process, uint32_t site, hb_view_place *ret)
{
	hb_page_run *p = user;
	const hb_place *found = hb__process_place(p->run, process, site);
	if (!found)
		return false;
	const hb_log *log = hb_model_processes(p->run->model)[process].log;
	const hb_site *at = log ? hb_log_site(log, site) : NULL;
	const hb_module *module = at ? hb_log_module(log, at->module) : NULL;
	*ret = (hb_view_place){
		.text = found->text, .file = found->file, .module = module ? module->path : NULL, .line = found->line};
	return true;
}

static void event_name(void *user, hb_at at, char ret[48])
{
	hb_page_run *p = user;
	hb__event_name(p->run, at, ret);
}

static void line_name(void *user, uint32_t line, char ret[48])
{
	hb_page_run *p = user;
	hb__line_name(p->run, line, ret);
}

static bool read_event(void *user, const char *name, hb_at *ret, const char **ret_why)
{
	hb_page_run *p = user;
	free(p->why);
	p->why = NULL;
	if (!hb__find_event(p->run, name, ret, &p->why))
		return true;
	*ret_why = p->why;
	return false;
}

static void differences(void *user, hb_text *ret_json)
{
	hb_page_run *p = user;
	char *text = hb__page_differences(p->compare);
	hb_text_put(ret_json, text);
	free(text);
}

static bool map(void *user, size_t of, const char *part, hb_text *ret_json, const char **ret_why)
{
	hb_page_run *p = user;
	char *text = hb__page_map(p->compare, p->run, p->out, of, part, ret_why);
	hb_text_put(ret_json, text ? text : "");
	free(text);
	return !*ret_why;
}

hb_view_source hb__page_source(hb_page_run *p)
{
	_Static_assert(HB_EVENT_NAME == 48, "the names of events fit");
	return (hb_view_source){.user = p,
		.build = build,
		.event = event,
		.remarks = remarks,
		.data = data,
		.place = place,
		.event_name = event_name,
		.line_name = line_name,
		.read_event = read_event,
		.model = p->model ? hb__page_model : NULL,
		.key = p->model ? hb__page_key : NULL,
		.differences = p->compare ? differences : NULL,
		.map = p->compare ? map : NULL};
}
