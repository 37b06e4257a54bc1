/* Findings for programs: an object on a line each. */
#include <stdlib.h>

#include "../show/out.h"
#include "findings.h"
#include "../store/lone.h"

static void text(hb_output *out, const char *name, const char *value)
{
	hb__put_text(out, ",\"");
	hb__put_text(out, name);
	hb__put_text(out, "\":");
	if (value)
		hb__put_json(out, value);
	else
		hb__put_text(out, "null");
}

static void number_member(hb_output *out, const char *name, int64_t value)
{
	hb__put_text(out, ",\"");
	hb__put_text(out, name);
	hb__put_text(out, "\":");
	hb__put_int(out, value);
}

static void truth(hb_output *out, const char *name, bool value)
{
	hb__put_text(out, ",\"");
	hb__put_text(out, name);
	hb__put_text(out, value ? "\":true" : "\":false");
}

static void put_spot(hb_output *out, const hb_spot *p)
{
	hb__put_text(out, "{\"rank\":");
	hb__put_int(out, p->rank);
	if (p->world)
		number_member(out, "world", p->world);
	text(out, "event", *p->event ? p->event : NULL);
	text(out, "function", *p->function ? p->function : NULL);
	if (p->place && p->place->file) {
		text(out, "file", p->place->file);
		number_member(out, "line", p->place->line);
	} else if (p->place)
		text(out, "address", p->place->text);
	text(out, "role", p->role);
	hb__put_char(out, '}');
}

/* Of another world than the first its name, as in hbdb sql. */
static void put_rank(hb_output *out, hb_ranked p)
{
	if (p.world)
		hb__put_json(out, p.name);
	else
		hb__put_int(out, p.rank);
}

static void put_finding(hb_output *out, const hb_told_finding *s)
{
	char *print = hb__format("%016llx", (unsigned long long)s->print);
	hb__put_text(out, "{\"finding\":");
	hb__put_json(out, s->kind->id);
	text(out, "severity", hb__severity_names[s->severity]);
	text(out, "category", hb_category_names[s->kind->category]);
	text(out, "title", s->kind->title);
	truth(out, "possible", s->possible);
	text(out, "sentence", s->sentence);
	text(out, "advice", s->advice);
	number_member(out, "times", (int64_t)s->times);
	hb__put_text(out, ",\"points\":[");
	for (uint32_t i = 0; i < s->nspots; i++) {
		if (i)
			hb__put_char(out, ',');
		put_spot(out, &s->spot[i]);
	}
	hb__put_text(out, "],\"also_ranks\":[");
	for (size_t i = 0; i < s->nalso; i++) {
		if (i)
			hb__put_char(out, ',');
		put_rank(out, s->also[i]);
	}
	hb__put_char(out, ']');
	text(out, "fingerprint", print);
	hb__put_text(out, "}\n");
	free(print);
}

void hb__findings_json(const hb_findings *f, int fd, int exit_status)
{
	hb_output *out = hb__alloc(sizeof *out);
	out->fd = fd;
	for (size_t i = 0; i < f->n; i++)
		if (hb__is_shown(&f->at[i]))
			put_finding(out, &f->at[i]);
	hb__model_json(f, out);
	const hb_model_info *info = hb_model_get_info(f->run->model);
	hb__put_text(out, "{\"summary\":");
	hb__put_json(out, hb__lone_file(f->run->path));
	number_member(out, "errors", (int64_t)f->count[0]);
	number_member(out, "warnings", (int64_t)f->count[1]);
	number_member(out, "notes", (int64_t)f->count[2]);
	number_member(out, "suppressed", (int64_t)f->suppressed);
	number_member(out, "processes", info->processes);
	number_member(out, "events", (int64_t)info->events);
	truth(out, "remarks", f->remarked);
	truth(out, "hanging", f->hanging);
	truth(out, "ended", f->run->ended);
	text(out, "died", f->died);
	text(out, "ending", f->ending);
	if (exit_status >= 0)
		number_member(out, "exit_status", exit_status);
	hb__put_text(out, "}\n");
	hb__flush(out);
	free(out);
}
