/* The answer to `profile`: calls and times by place, function or process. */
#include <stdlib.h>
#include <string.h>

#include "parts.h"
#include "view/answer/answer.h"

#define ROWS_MOST 100000

/* Some of the calls of the run, under a name. */
struct row {
	uint64_t key; /* of the call site, until places are known */
	char *place;
	uint32_t function, line; /* line: the last of them */
	uint32_t lines, site;
	uint64_t calls;
	double time, waited;
};

struct table {
	struct row *row;
	size_t n;
};

static int by_key(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->line != y->line ? (x->line > y->line) - (x->line < y->line)
				  : (x->site > y->site) - (x->site < y->site);
}

static int by_place(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int order = strcmp(x->place, y->place);
	return order ? order : (x->function > y->function) - (x->function < y->function);
}

static int by_time(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	if (x->time != y->time)
		return x->time < y->time ? 1 : -1;
	return (x->line > y->line) - (x->line < y->line);
}

static bool same_place(const struct row *a, const struct row *b) { return !by_place(a, b); }
static bool same_key(const struct row *a, const struct row *b) { return a->key == b->key; }

/* Neighbours that are the same become one. */
static void merge(struct table *t, bool (*same)(const struct row *a, const struct row *b))
{
	size_t kept = 0;
	for (size_t i = 0; i < t->n; i++) {
		struct row *last = kept ? &t->row[kept - 1] : NULL, now = t->row[i];
		if (!last || !same(last, &now)) {
			t->row[kept++] = now;
			continue;
		}
		last->calls += now.calls;
		last->time += now.time;
		last->waited += now.waited;
		if (same == same_key) /* these come line by line */
			last->lines += now.line != last->line;
		else if (now.lines > last->lines)
			last->lines = now.lines;
		last->line = now.line; /* the number of a site is one of its process */
		last->site = now.site;
		free(now.place);
	}
	t->n = kept;
}

static bool collect(const hb_view_server *s, const char *by, struct table *t)
{
	uint32_t lines = hb_model_get_info(s->model)->lines, n;
	size_t all = 0;
	for (uint32_t i = 0; i < lines; i++) {
		hb_totals_calls(s->totals, i, &n);
		all += n;
	}
	t->row = calloc(all + 1, sizeof *t->row);
	for (uint32_t i = 0; t->row && i < lines; i++) {
		const hb_calls *c = hb_totals_calls(s->totals, i, &n);
		const hb_log *log = hb_model_processes(s->model)[hb_model_lines(s->model)[i].process].log;
		for (uint32_t k = 0; k < n; k++)
			t->row[t->n++] = (struct row){
				.key = !strcmp(by, "process")    ? i
				       : !strcmp(by, "function") ? c[k].function
								 : hb__site_key(log, c[k].site) * 31 + c[k].function,
				.function = c[k].function,
				.line = i,
				.lines = 1,
				.site = c[k].site,
				.calls = c[k].calls,
				.time = c[k].time,
				.waited = c[k].waited};
	}
	return t->row != NULL;
}

/* Several call sites may stand in one line of the source. */
static bool name_places(const hb_view_server *s, struct table *t)
{
	bool good = true;
	for (size_t i = 0; i < t->n; i++) {
		hb_view_place place = {.text = NULL};
		uint32_t process = hb_model_lines(s->model)[t->row[i].line].process;
		if (t->row[i].site != HB_NO)
			s->o.source.place(s->o.source.user, process, t->row[i].site, &place);
		t->row[i].place = strdup(place.text ? place.text : "");
		good = good && t->row[i].place;
	}
	if (good && t->n)
		qsort(t->row, t->n, sizeof *t->row, by_place);
	if (good)
		merge(t, same_place);
	return good;
}

static void put_row(struct hb_request *r, const struct row *row, const char *by)
{
	const hb_view_server *s = r->server;
	uint32_t names;
	char line[48];
	if (!strcmp(by, "process")) {
		s->o.source.line_name(s->o.source.user, row->line, line);
		hb_text_format(&r->out, "{\"line\":%u,\"name\":\"%s\"", row->line, line);
	} else {
		hb_text_put(&r->out, "{\"function\":");
		hb_text_json(&r->out, hb_layout_functions(s->layout, &names)[row->function]);
		hb_text_put(&r->out, ",\"place\":");
		if (row->place && *row->place)
			hb_text_json(&r->out, row->place);
		else
			hb_text_put(&r->out, "null");
	}
	hb_text_format(&r->out, ",\"lines\":%u,\"calls\":%llu,\"time\":", row->lines, (unsigned long long)row->calls);
	hb_text_number(&r->out, hb__shown_x(HB_AXIS_PHYSICAL, row->time));
	hb_text_put(&r->out, ",\"waited\":");
	hb_text_number(&r->out, hb__shown_x(HB_AXIS_PHYSICAL, row->waited));
	hb_text_put(&r->out, "}");
}

static void put_table(struct hb_request *r, const struct table *t, const char *by, size_t limit)
{
	double time = 0, waited = 0;
	for (size_t i = 0; i < t->n; i++) {
		time += t->row[i].time;
		waited += t->row[i].waited;
	}
	hb_text_format(&r->out, "{\"by\":\"%s\",\"found\":%zu,\"time\":", by, t->n);
	hb_text_number(&r->out, hb__shown_x(HB_AXIS_PHYSICAL, time));
	hb_text_put(&r->out, ",\"waited\":");
	hb_text_number(&r->out, hb__shown_x(HB_AXIS_PHYSICAL, waited));
	hb_text_put(&r->out, ",\"rows\":[");
	for (size_t i = 0; i < t->n && i < limit; i++) {
		hb_text_put(&r->out, i ? "," : "");
		put_row(r, &t->row[i], by);
	}
	hb_text_put(&r->out, "]}");
}

void hb__answer_profile(struct hb_request *r)
{
	char by[16];
	int64_t limit;
	struct table t = {0};
	if (!hb__view_parameter(r, "by", by, sizeof by))
		memcpy(by, "place", sizeof "place");
	if (!hb__view_whole(r, "limit", 100, 0, ROWS_MOST, &limit))
		return;
	if (strcmp(by, "place") != 0 && strcmp(by, "function") != 0 && strcmp(by, "process") != 0) {
		hb__view_refuse(r, 400, "by must be place, function or process");
		return;
	}
	bool good = collect(r->server, by, &t);
	if (good && t.n)
		qsort(t.row, t.n, sizeof *t.row, by_key);
	if (good)
		merge(&t, same_key);
	good = good && (strcmp(by, "place") != 0 || name_places(r->server, &t));
	if (good && t.n)
		qsort(t.row, t.n, sizeof *t.row, by_time);
	if (good)
		put_table(r, &t, by, (size_t)limit);
	else
		hb__view_refuse(r, 500, "out of memory");
	for (size_t i = 0; i < t.n; i++)
		free(t.row[i].place);
	free(t.row);
}
