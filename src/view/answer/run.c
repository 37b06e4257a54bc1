/* What run it is, and the page itself. */
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "races.h"
#include "view/build.h"
#include "view/page/page.h"

#define TAGS_MOST 100
#define TROUBLES_MOST 50
#define OUTSIDE_MOST 50

/* ---- the page ---- */

void hb__view_file(struct hb_request *r, const char *name)
{
	for (size_t i = 0; i < hb_page_files_n; i++) {
		const struct hb_page_file *file = &hb_page_files[i];
		if (strcmp(file->name, name) != 0)
			continue;
		r->type = file->type;
		hb_text_add(&r->out, (const char *)file->bytes, file->n);
		return;
	}
	hb__view_refuse(r, 404, "this hbdb was built without its page");
}

void hb__answer_page(struct hb_request *r) { hb__view_file(r, strchr(r->name, '.') ? r->name : "page.html"); }

/* ---- lists ---- */

static void put_member(hb_text *out, const char *name, const char *value)
{
	hb_text_format(out, ",\"%s\":", name);
	if (value)
		hb_text_json(out, value);
	else
		hb_text_put(out, "null");
}

static void put_processes(struct hb_request *r)
{
	const hb_view_server *s = r->server;
	hb_text *out = &r->out;
	hb_text_put(out, ",\"processes\":[");
	for (size_t i = 0; i < s->o.nsources; i++) {
		const hb_source *p = &s->o.sources[i];
		const hb_log_info *info = p->log ? hb_log_get_info(p->log) : NULL;
		hb_process_name name;
		hb_text_format(out, "%s{\"rank\":%d,\"name\":\"%s\"", i ? "," : "", p->rank,
			p->name ? p->name : hb_process_range(p->world, p->rank, p->rank, name));
		if (p->world)
			hb_text_format(out, ",\"world\":%u", p->world);
		put_member(out, "host", info ? info->host : NULL);
		hb_text_format(out, ",\"cut\":%s,\"missing\":%s}", info && info->recovered ? "true" : "false",
			info ? "false" : "true");
	}
	hb_text_put(out, "]");
}

/* Before the model is there: as it will number them. */
static uint64_t put_early_lines(struct hb_request *r)
{
	const hb_view_server *s = r->server;
	uint32_t n;
	uint64_t events = 0;
	const hb_overview_line *line = hb_overview_lines(s->overview, &n);
	hb_text_put(&r->out, ",\"lines\":[");
	for (uint32_t i = 0; i < n; i++) {
		const hb_source *p = &s->o.sources[line[i].process];
		hb_process_name name;
		events += line[i].events;
		hb_text_format(&r->out, "%s{\"process\":%u,\"lane\":%u,\"name\":\"%s", i ? "," : "", line[i].process,
			line[i].lane, p->name ? p->name : hb_process_range(p->world, p->rank, p->rank, name));
		if (line[i].lane)
			hb_text_format(&r->out, ".%u", line[i].lane);
		hb_text_format(&r->out, "\",\"events\":%llu,\"inside\":%s}", (unsigned long long)line[i].events,
			line[i].inside ? "true" : "false");
	}
	hb_text_put(&r->out, "]");
	return events;
}

static void put_lines(struct hb_request *r)
{
	const hb_view_server *s = r->server;
	hb_text *out = &r->out;
	hb_text_put(out, ",\"lines\":[");
	for (uint32_t i = 0; i < hb_model_get_info(s->model)->lines; i++) {
		const hb_line *line = &hb_model_lines(s->model)[i];
		char name[48];
		s->o.source.line_name(s->o.source.user, i, name);
		hb_text_format(out, "%s{\"process\":%u,\"lane\":%u,\"name\":\"%s\",\"events\":%u,\"inside\":%s",
			i ? "," : "", line->process, line->lane, name, line->events, line->inside ? "true" : "false");
		uint32_t depth = hb_layout_depth(s->layout, i);
		if (depth)
			hb_text_format(out, ",\"spans\":%u", depth);
		hb_text_put(out, "}");
	}
	hb_text_put(out, "]");
}

/* Lines as the numbers and ranges that `view` reads, a text for each kind. */
static void put_alike(struct hb_request *r)
{
	uint32_t kinds, lines = hb_model_get_info(r->server->model)->lines;
	const uint32_t *alike = hb_totals_alike(r->server->totals, &kinds);
	hb_text *lists = calloc((size_t)kinds + 1, sizeof *lists);
	hb_text_put(&r->out, ",\"alike\":[");
	for (uint32_t i = 0, end; lists && i < lines; i = end) {
		for (end = i + 1; end < lines && alike[end] == alike[i]; end++)
			continue;
		hb_text *list = &lists[alike[i]];
		hb_text_format(list, end > i + 1 ? "%s%u:%u" : "%s%u", list->n ? "," : "", i, end - 1);
	}
	for (uint32_t k = 0; lists && k < kinds; k++) {
		hb_text_format(&r->out, "%s\"%s\"", k ? "," : "", lists[k].at ? lists[k].at : "");
		r->out.broken = r->out.broken || lists[k].broken;
		free(lists[k].at);
	}
	r->out.broken = r->out.broken || !lists;
	hb_text_put(&r->out, "]");
	free(lists);
}

static void put_range(hb_text *out, const char *name, double from, double to)
{
	hb_text_format(out, "\"%s\":[", name);
	hb_text_number(out, from);
	hb_text_put(out, ",");
	hb_text_number(out, to);
	hb_text_put(out, "]");
}

static void put_span(struct hb_request *r, bool ready)
{
	const hb_view_server *s = r->server;
	double from = 0, to = 0;
	if (ready)
		hb_layout_span(s->layout, HB_AXIS_LOGICAL, &from, &to);
	hb_text_put(&r->out, ",\"span\":{");
	put_range(&r->out, "logical", from, to);
	if (ready)
		hb_layout_span(s->layout, HB_AXIS_PHYSICAL, &from, &to);
	else
		hb_overview_span(s->overview, &from, &to);
	hb_text_put(&r->out, ",");
	put_range(&r->out, "physical", from, to);
	hb_text_put(&r->out, "}");
}

static void put_names(struct hb_request *r)
{
	const hb_view_server *s = r->server;
	uint32_t n;
	const char *const *functions = hb_layout_functions(s->layout, &n);
	hb_text_put(&r->out, ",\"functions\":[");
	for (uint32_t i = 0; i < n; i++) {
		hb_text_put(&r->out, i ? "," : "");
		hb_text_json(&r->out, functions[i]);
	}
	hb_text_put(&r->out, "],\"groups\":[");
	for (uint32_t i = 0; i < hb_model_get_info(s->model)->groups; i++) {
		const hb_group *g = &hb_model_groups(s->model)[i];
		hb_text_put(&r->out, i ? ",{\"name\":" : "{\"name\":");
		hb_text_json(&r->out, hb_model_group_title(s->model, i));
		hb_text_format(&r->out, ",\"size\":%u}", g->size + g->remote_size);
	}
	hb_text_put(&r->out, "]");
}

/* ---- tags, the most used ones ---- */

struct tag {
	int32_t tag;
	uint64_t n;
};

static int by_tag(const void *a, const void *b)
{
	const struct tag *x = a, *y = b;
	return x->tag < y->tag ? -1 : x->tag > y->tag;
}

static int by_number(const void *a, const void *b)
{
	const struct tag *x = a, *y = b;
	return x->n != y->n ? (x->n > y->n ? -1 : 1) : by_tag(a, b);
}

static void put_tags(struct hb_request *r)
{
	const hb_model *model = r->server->model;
	uint32_t n = hb_model_get_info(model)->channels, kept = 0;
	struct tag *tags = malloc(((size_t)n + 1) * sizeof *tags);
	hb_text_put(&r->out, ",\"tags\":[");
	uint32_t tagged = 0;
	for (uint32_t i = 0; tags && i < n; i++) {
		const hb_channel *c = &hb_model_channels(model)[i];
		if (!hb_model_groups(model)[c->group].untagged)
			tags[tagged++] = (struct tag){c->tag, c->sent};
	}
	if (tags && tagged)
		qsort(tags, tagged, sizeof *tags, by_tag);
	for (uint32_t i = 0; tags && i < tagged; i++)
		if (kept && tags[kept - 1].tag == tags[i].tag)
			tags[kept - 1].n += tags[i].n;
		else
			tags[kept++] = tags[i];
	if (kept)
		qsort(tags, kept, sizeof *tags, by_number);
	for (uint32_t i = 0; i < kept && i < TAGS_MOST; i++)
		hb_text_format(&r->out, "%s[%d,%llu]", i ? "," : "", tags[i].tag, (unsigned long long)tags[i].n);
	hb_text_put(&r->out, "]");
	free(tags);
}

/* ---- the run ---- */

static void put_troubles(struct hb_request *r, bool ready)
{
	const hb_view_server *s = r->server;
	size_t n = ready ? hb_model_get_info(s->model)->troubles : 0;
	hb_text_put(&r->out, ",\"troubles\":[");
	for (size_t i = 0; i < s->o.ntroubles + n && i < TROUBLES_MOST; i++) {
		hb_text_put(&r->out, i ? "," : "");
		hb_text_json(&r->out, i < s->o.ntroubles ? s->o.troubles[i]
							 : hb_model_trouble(s->model, (uint32_t)(i - s->o.ntroubles)));
	}
	hb_text_put(&r->out, "]");
	if (s->o.ntroubles + n > TROUBLES_MOST)
		hb_text_format(&r->out, ",\"more_troubles\":%zu", s->o.ntroubles + n - TROUBLES_MOST);
}

/* Whom processes talked to that are not recorded. */
static void put_outside(struct hb_request *r)
{
	const hb_model *model = r->server->model;
	const hb_outside *o = hb_model_outside(model);
	uint32_t n = hb_model_get_info(model)->outside;
	hb_text_put(&r->out, ",\"outside\":[");
	for (uint32_t i = 0; i < n && i < OUTSIDE_MOST; i++) {
		hb_text_format(&r->out, "%s{\"process\":%u,\"name\":", i ? "," : "", o[i].process);
		hb_text_json(&r->out, o[i].name);
		hb_text_format(&r->out, ",\"sent\":%llu,\"received\":%llu}", (unsigned long long)o[i].sent,
			(unsigned long long)o[i].received);
	}
	hb_text_put(&r->out, "]");
	if (n > OUTSIDE_MOST)
		hb_text_format(&r->out, ",\"more_outside\":%u", n - OUTSIDE_MOST);
}

/* The command of a recording may name a library that no process used. */
static bool uses_mpi(const hb_view_server *s)
{
	bool some = !s->o.nsources;
	for (size_t i = 0; i < s->o.nsources && !some; i++)
		some = !s->o.sources[i].log || hb_log_get_info(s->o.sources[i].log)->library;
	return some;
}

void hb__answer_run(struct hb_request *r)
{
	hb_view_server *s = r->server;
	hb_error failed;
	double progress;
	bool ready = hb__built(s, &progress, &failed);
	hb_text_put(&r->out, "{\"name\":");
	hb_text_json(&r->out, s->o.name);
	put_member(&r->out, "command", s->o.command);
	put_member(&r->out, "mpi", uses_mpi(s) ? s->o.mpi : NULL);
	put_member(&r->out, "level", s->o.level);
	hb_text_format(&r->out, ",\"ready\":%s,\"progress\":%.3f", ready ? "true" : "false", progress);
	put_member(&r->out, "failed", failed.status ? failed.message : NULL);
	put_processes(r);
	if (ready) {
		hb__view_lock(&s->lock);
		hb_text_format(&r->out, ",\"events\":%llu,\"races\":%llu",
			(unsigned long long)hb_model_get_info(s->model)->events,
			(unsigned long long)hb__races_found(s->races));
		put_lines(r);
		put_alike(r);
		put_span(r, true);
		put_names(r);
		put_tags(r);
		put_outside(r);
		put_troubles(r, true);
		hb__view_unlock(&s->lock);
	} else {
		uint64_t events = put_early_lines(r);
		put_span(r, false);
		hb_text_format(&r->out,
			",\"events\":%llu,\"races\":0,\"functions\":[],\"groups\":[],\"tags\":[],\"alike\":[]",
			(unsigned long long)events);
		put_troubles(r, false);
	}
	hb_text_format(&r->out, ",\"model\":%s,\"compare\":%s,\"control\":%s", s->o.source.model ? "true" : "false",
		s->o.source.differences ? "true" : "false", s->o.control ? "true" : "false");
	put_member(&r->out, "no_control", s->o.control ? NULL : s->o.no_control);
	hb_text_put(&r->out, "}");
}
