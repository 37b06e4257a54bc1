/* A viewport: what of the run stands in it. */
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "view/build.h"

#define COLUMNS_MOST 8192
#define LIST_MOST 8192 /* bytes of a list in the address */

/* What was asked for, with its lists. */
struct asked {
	hb_window window;
	hb_layout_filter filter;
	uint32_t *line;
	bool *function, *group;
	char list[LIST_MOST];
};

/* ---- reading ---- */

/* "0,3,5:9": the numbers below `end` are given to `take`. False: it is no such list. */
static bool each_number(const char *list, uint32_t end, bool (*take)(void *user, uint32_t number), void *user)
{
	while (*list) {
		char *next;
		unsigned long from = strtoul(list, &next, 10), to = from;
		if (next == list || *list < '0' || *list > '9')
			return false;
		if (*next == ':' || *next == '-') {
			list = next + 1;
			to = strtoul(list, &next, 10);
			if (next == list || *list < '0' || *list > '9')
				return false;
		}
		if (to >= end || from > to || (*next && *next != ','))
			return false;
		for (; from <= to; from++)
			if (!take(user, (uint32_t)from))
				return false;
		list = *next ? next + 1 : next;
	}
	return true;
}

static bool take_line(void *user, uint32_t number)
{
	struct asked *a = user;
	a->line[a->window.nlines++] = number;
	return true;
}

/* A list with lines twice would need more room than there are lines. */
static bool count_line(void *user, uint32_t number)
{
	uint32_t *left = user;
	(void)number;
	return (*left)-- > 0;
}

static bool take_group(void *user, uint32_t number)
{
	struct asked *a = user;
	a->group[number] = true;
	return true;
}

static bool read_lines(struct hb_request *r, struct asked *a, uint32_t lines)
{
	uint32_t left = lines;
	if (!hb__view_parameter(r, "lines", a->list, sizeof a->list))
		return true;
	a->line = malloc(((size_t)lines + 1) * sizeof *a->line);
	if (!a->line || !each_number(a->list, lines, count_line, &left) || !each_number(a->list, lines, take_line, a)) {
		hb__view_refuse(r, 400, "lines must be a list of numbers below %u, as in 0,3,5:7", lines);
		return false;
	}
	a->window.line = a->line;
	return true;
}

static bool read_groups(struct hb_request *r, struct asked *a, uint32_t groups)
{
	if (!hb__view_parameter(r, "group", a->list, sizeof a->list))
		return true;
	a->group = calloc((size_t)groups + 1, sizeof *a->group);
	if (!a->group || !each_number(a->list, groups, take_group, a)) {
		hb__view_refuse(r, 400, "group must be a list of numbers below %u", groups);
		return false;
	}
	a->filter.group = a->group;
	return true;
}

static void read_functions(struct hb_request *r, struct asked *a)
{
	uint32_t n;
	const char *const *names = hb_layout_functions(r->server->layout, &n);
	if (!hb__view_parameter(r, "function", a->list, sizeof a->list))
		return;
	a->function = calloc((size_t)n + 1, sizeof *a->function);
	for (char *rest = a->list, *name; a->function && (name = strsep(&rest, ","));)
		for (uint32_t i = 0; i < n; i++)
			a->function[i] = a->function[i] || !strcmp(names[i], name);
	a->filter.function = a->function;
}

static bool read_window(struct hb_request *r, struct asked *a, bool ready)
{
	hb_view_server *s = r->server;
	int64_t columns, most, tag;
	uint32_t lines;
	double from = 0, to = 0;
	char text[32];
	if (!hb__view_axis(r, &a->window.axis))
		return false;
	if (ready)
		hb_layout_span(s->layout, a->window.axis, &from, &to);
	else
		hb_overview_span(s->overview, &from, &to);
	if (!hb__view_real(r, "from", from, &a->window.from) || !hb__view_real(r, "to", to, &a->window.to) ||
		!hb__view_whole(r, "columns", 800, 1, COLUMNS_MOST, &columns) ||
		!hb__view_whole(r, "most", 0, 0, 20000, &most))
		return false;
	if (a->window.from > a->window.to) {
		hb__view_refuse(r, 400, "from lies after to");
		return false;
	}
	a->window.columns = (uint32_t)columns;
	a->window.most = (uint32_t)most;
	a->window.filter = &a->filter;
	if (ready)
		lines = hb_model_get_info(s->model)->lines;
	else
		hb_overview_lines(s->overview, &lines);
	if (!read_lines(r, a, lines))
		return false;
	if (!ready)
		return true;
	a->filter.has_tag = hb__view_parameter(r, "tag", text, sizeof text) && *text;
	if (a->filter.has_tag && !hb__view_whole(r, "tag", 0, INT32_MIN, INT32_MAX, &tag))
		return false;
	a->filter.tag = a->filter.has_tag ? (int32_t)tag : 0;
	read_functions(r, a);
	return read_groups(r, a, hb_model_get_info(s->model)->groups);
}

/* ---- writing ---- */

/* A number behind a comma. Most are whole and there are ten thousands of them. */
static void put_member(hb_text *out, double x)
{
	hb_text_add(out, ",", 1);
	hb_text_number(out, x);
}

static void put_boxes(hb_text *out, hb_axis axis, const hb_picture *p)
{
	hb_text_put(out, ",\"boxes\":[");
	for (size_t i = 0; i < p->nboxes; i++) {
		const hb_box *b = &p->boxes[i];
		hb_text_add(out, i ? ",[" : "[", i ? 2 : 1);
		hb_text_number(out, b->at.line);
		put_member(out, b->at.event);
		put_member(out, hb__shown_x(axis, b->x0));
		put_member(out, hb__shown_x(axis, b->x1));
		put_member(out, hb__shown_x(axis, b->waited));
		put_member(out, b->function);
		put_member(out, b->kind);
		put_member(out, b->flags);
		hb_text_add(out, "]", 1);
	}
	hb_text_put(out, "]");
}

static void put_arrows(hb_text *out, hb_axis axis, const hb_picture *p)
{
	hb_text_put(out, ",\"arrows\":[");
	for (size_t i = 0; i < p->narrows; i++) {
		const hb_arrow *a = &p->arrows[i];
		hb_text_add(out, i ? ",[" : "[", i ? 2 : 1);
		hb_text_number(out, a->from.line);
		put_member(out, a->from.event);
		put_member(out, hb__shown_x(axis, a->x0));
		put_member(out, a->to.line);
		put_member(out, a->to.event);
		put_member(out, hb__shown_x(axis, a->x1));
		put_member(out, a->send == HB_NO ? -1 : (double)a->send);
		put_member(out, a->merged);
		put_member(out, a->flags);
		hb_text_add(out, "]", 1);
	}
	hb_text_put(out, "]");
}

static void put_rings(hb_text *out, hb_axis axis, const hb_picture *p)
{
	hb_text_put(out, ",\"collectives\":[");
	for (size_t i = 0; i < p->nrings; i++) {
		const hb_ring *g = &p->rings[i];
		hb_text_format(out, "%s[%u,%u,[", i ? "," : "", g->function, g->collective);
		for (uint32_t k = 0; k < g->n; k++) {
			const hb_part *part = &p->parts[g->first + k];
			hb_text_add(out, k ? ",[" : "[", k ? 2 : 1);
			hb_text_number(out, part->at.line);
			put_member(out, part->at.event);
			put_member(out, hb__shown_x(axis, part->x0));
			put_member(out, hb__shown_x(axis, part->x1));
			hb_text_add(out, "]", 1);
		}
		hb_text_put(out, "]]");
	}
	hb_text_put(out, "]");
}

/* What went to somebody who is not recorded, or came from there. */
static void put_stubs(hb_text *out, hb_axis axis, const hb_picture *p, const hb_model *m)
{
	hb_text_put(out, ",\"outside\":[");
	for (size_t i = 0; i < p->nstubs; i++) {
		const hb_stub *s = &p->stubs[i];
		const hb_crossing *c = &hb_model_crossings(m)[s->crossing];
		hb_text_add(out, i ? ",[" : "[", i ? 2 : 1);
		hb_text_number(out, s->at.line);
		put_member(out, s->at.event);
		put_member(out, hb__shown_x(axis, s->x));
		put_member(out, s->in);
		hb_text_add(out, ",", 1);
		hb_text_json(out, hb_model_outside(m)[c->outside].name);
		put_member(out, c->n);
		put_member(out, (double)c->bytes);
		hb_text_add(out, "]", 1);
	}
	hb_text_put(out, "]");
}

static void put_spans(hb_text *out, hb_axis axis, const hb_picture *p)
{
	hb_text_put(out, ",\"spans\":[");
	for (size_t i = 0; i < p->nspans; i++) {
		const hb_span *s = &p->spans[i];
		hb_text_add(out, i ? ",[" : "[", i ? 2 : 1);
		hb_text_number(out, s->line);
		put_member(out, s->begin);
		put_member(out, s->end);
		put_member(out, hb__shown_x(axis, s->x0));
		put_member(out, hb__shown_x(axis, s->x1));
		put_member(out, s->depth);
		put_member(out, s->function);
		put_member(out, s->merged);
		hb_text_add(out, "]", 1);
	}
	hb_text_put(out, "]");
}

/* A character for each kind and one for races, of each column. The shares have 64 steps, what is there is never told as nothing. */
static void put_mix(hb_text *out, const hb_density *d, uint32_t columns)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	if (!d->mix) {
		hb_text_put(out, ",null");
		return;
	}
	hb_text_put(out, ",\"");
	for (uint32_t i = 0; i < columns; i++) {
		char cell[HB_BOX_KINDS + 1];
		for (uint32_t k = 0; k < HB_BOX_KINDS; k++)
			cell[k] = digits[(d->mix[i * HB_BOX_KINDS + k] + 4u) * 63 / 259];
		cell[HB_BOX_KINDS] = digits[d->races[i] < 63 ? d->races[i] : 63];
		hb_text_add(out, cell, sizeof cell);
	}
	hb_text_put(out, "\"");
}

static void put_densities(hb_text *out, const hb_picture *p, uint32_t columns)
{
	hb_text_put(out, ",\"densities\":[");
	for (size_t i = 0; i < p->ndensities; i++) {
		const hb_density *d = &p->densities[i];
		hb_text_format(out, "%s[%u,%llu,[", i ? "," : "", d->line, (unsigned long long)d->events);
		for (uint32_t k = 0; k < columns; k++) {
			hb_text_add(out, ",", k ? 1 : 0);
			hb_text_number(out, d->count[k]);
		}
		hb_text_put(out, "],[");
		for (uint32_t k = 0; k < columns; k++) {
			hb_text_add(out, ",", k ? 1 : 0);
			hb_text_number(out, d->waiting ? d->waiting[k] : 0);
		}
		hb_text_put(out, "]");
		put_mix(out, d, columns);
		hb_text_put(out, "]");
	}
	hb_text_put(out, "]");
}

static void put_picture(hb_text *out, const struct asked *a, const hb_picture *p, const hb_model *m)
{
	hb_text_format(out, "{\"axis\":\"%s\",\"from\":", a->window.axis == HB_AXIS_LOGICAL ? "logical" : "physical");
	hb_text_number(out, a->window.from);
	hb_text_put(out, ",\"to\":");
	hb_text_number(out, a->window.to);
	hb_text_format(out,
		",\"columns\":%u,\"events\":%llu,\"hidden\":%llu,\"messages\":%llu,\"hidden_messages\":%llu",
		p->columns, (unsigned long long)p->events, (unsigned long long)p->hidden,
		(unsigned long long)p->messages, (unsigned long long)p->hidden_messages);
	put_boxes(out, a->window.axis, p);
	put_arrows(out, a->window.axis, p);
	put_rings(out, a->window.axis, p);
	put_spans(out, a->window.axis, p);
	put_stubs(out, a->window.axis, p, m);
	put_densities(out, p, p->columns);
	hb_text_put(out, "}");
}

static void query(struct hb_request *r, struct asked *a, bool ready)
{
	hb_view_server *s = r->server;
	hb_picture picture = {0};
	hb_error err = {0};
	if (ready)
		hb__view_lock(&s->lock);
	hb_status status = HB_E_ARGUMENT;
	if (read_window(r, a, ready))
		status = ready ? hb_layout_query(s->layout, &a->window, &picture, &err)
			       : hb_overview_query(s->overview, &a->window, &picture, &err);
	if (ready)
		hb__view_unlock(&s->lock);
	/* the picture is a copy: writing it holds up nobody */
	if (status && r->status == 200)
		hb__view_refuse(r, status == HB_E_ARGUMENT ? 400 : 500, "%s", err.message);
	else if (!status)
		put_picture(&r->out, a, &picture, ready ? s->model : NULL);
	hb_picture_free(&picture);
}

void hb__answer_view(struct hb_request *r)
{
	hb_error failed;
	double progress;
	bool ready = hb__built(r->server, &progress, &failed);
	hb_axis axis;
	if (!hb__view_axis(r, &axis))
		return;
	/* where things stand in logical time nobody knows before */
	if (!ready && (failed.status || axis == HB_AXIS_LOGICAL)) {
		hb__view_ready(r);
		return;
	}
	struct asked *a = calloc(1, sizeof *a);
	if (!a) {
		hb__view_refuse(r, 500, "out of memory");
		return;
	}
	query(r, a, ready);
	free(a->line);
	free(a->function);
	free(a->group);
	free(a);
}
