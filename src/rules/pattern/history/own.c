/* What the declarations say of the program's own events, of its spans, and of calls. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "model/spans.h"
#include "rules/pattern/history/internal.h"

/* A line while it is read. */
struct reading {
	hb_history *h;
	uint32_t line, process;
	const hb_event *event;
	uint32_t number;                     /* of the event in its line */
	struct hb__named_function *function; /* by number in the log */
	uint32_t functions;
	struct hb__named *named;
	size_t nnamed, room;
	const char **span; /* names of spans, by number */
	size_t spans, spans_room;
	hb_span_stack open;
	/* what was told at the begins of those that are open: in their order, `of` is the place in `open` */
	struct opened {
		size_t of;
		uint32_t binding;
		size_t key; /* in `keys` */
	} * opened;
	size_t nopened, opened_room;
	hb_pattern_value *keys;
	size_t nkeys, keys_room;
};

static bool ask(void *user, const char *name, int64_t offset, hb_pattern_value *ret)
{
	const struct reading *r = user;
	(void)offset;
	return hb__value_of_event(r->h, r->process, r->event, name, ret);
}

/* ---- functions ---- */

static bool names(struct reading *r, struct hb__named_function *f, uint32_t binding, hb_pattern_half half)
{
	if (!HB_GROW(r->named, r->room, r->nnamed + 1))
		return false;
	r->named[r->nnamed++] = (struct hb__named){binding, half};
	f->n++;
	return true;
}

static bool is_span(const hb_function *f) { return f->cls == HB_USER_BEGIN || f->cls == HB_USER_END; }

static bool fits(const hb_pattern_binding *b, const hb_function *f, int half)
{
	const char *what = b->what[half];
	if (!what || strcmp(what, f->name) != 0)
		return false;
	switch (b->source) {
	case HB_PATTERN_EVENTS:
		return f->cls == HB_USER_EVENT;
	case HB_PATTERN_EVENT:
		return !half && f->cls == HB_USER_EVENT;
	case HB_PATTERN_SPAN:
		return !half && is_span(f);
	case HB_PATTERN_CALL:
		return !half && !HB_IS_USER(f->cls);
	default:
		return false;
	}
}

static bool name_of_span(struct reading *r, const char *name, uint32_t *ret)
{
	for (*ret = 0; *ret < r->spans; ++*ret)
		if (!strcmp(r->span[*ret], name))
			return true;
	if (!HB_GROW(r->span, r->spans_room, r->spans + 1))
		return false;
	r->span[r->spans++] = name;
	return true;
}

/* What the declarations make of a function of the log. False: out of memory. */
static bool know(struct reading *r, uint32_t number, const hb_function *function)
{
	struct hb__named_function *f = &r->function[number];
	hb_history *h = r->h;
	if (f->known)
		return true;
	*f = (struct hb__named_function){.known = true, .first = (uint32_t)r->nnamed};
	if (!function || !function->name)
		return true;
	if (is_span(function)) {
		f->span = true;
		if (!name_of_span(r, function->name, &f->name))
			return false;
	}
	for (uint32_t i = 0; i < h->bindings; i++)
		for (int half = 0; half < HB_PATTERN_HALVES; half++)
			if (fits(&h->binding[i], function, half) &&
				!names(r, f, i, function->cls == HB_USER_END ? HB_PATTERN_END : (hb_pattern_half)half))
				return false;
	return true;
}

/* ---- events ---- */

static hb_status put(struct reading *r, struct hb__told *told)
{
	struct hb__history_line *l = &r->h->lines[r->line];
	told->event = r->number;
	if (!hb__pack_told(&l->told, l->before, told, r->h->binding[told->binding].nkeys))
		return hb__history_no_memory(r->h->err);
	l->before = told->event;
	return HB_OK;
}

static hb_status evaluate(struct reading *r, const struct hb__named *n, bool *ret_fits, int64_t *ret_peer)
{
	hb_history *h = r->h;
	hb_status status =
		hb_pattern_bind(h->pattern, n->binding, n->half, ask, r, ret_fits, h->keys, ret_peer, h->err);
	return h->status ? h->status : status;
}

static hb_status begin_span(struct reading *r, const struct hb__named_function *f)
{
	hb_history *h = r->h;
	hb_status status = HB_OK;
	bool fit;
	int64_t peer;
	if (!hb_span_begin(&r->open, f->name, r->number))
		return hb__history_no_memory(h->err);
	for (uint32_t i = 0; i < f->n && !status; i++) {
		const struct hb__named *n = &r->named[f->first + i];
		uint32_t nkeys = h->binding[n->binding].nkeys;
		status = evaluate(r, n, &fit, &peer);
		if (status || !fit)
			continue;
		if (!HB_GROW(r->opened, r->opened_room, r->nopened + 1) ||
			!HB_GROW(r->keys, r->keys_room, r->nkeys + nkeys))
			return hb__history_no_memory(h->err);
		r->opened[r->nopened++] = (struct opened){r->open.n - 1, n->binding, r->nkeys};
		if (nkeys)
			memcpy(r->keys + r->nkeys, h->keys, nkeys * sizeof *h->keys);
		r->nkeys += nkeys;
		status = put(r, &(struct hb__told){.binding = n->binding, .peer = -1, .key = h->keys});
	}
	return status;
}

/* The innermost first. One in which others lie ends them, too. */
static hb_status end_span(struct reading *r, const struct hb__named_function *f)
{
	hb_status status = HB_OK;
	r->open.n -= hb_span_ends(&r->open, f->name);
	while (r->nopened && r->opened[r->nopened - 1].of >= r->open.n && !status) {
		const struct opened *o = &r->opened[--r->nopened];
		r->nkeys = o->key;
		status = put(
			r, &(struct hb__told){
				   .binding = o->binding, .half = HB_PATTERN_END, .peer = -1, .key = r->keys + o->key});
	}
	return status;
}

static hb_status on_event(struct reading *r, bool returned)
{
	const hb_event *e = r->event;
	hb_history *h = r->h;
	hb_status status = HB_OK;
	r->number = returned ? (uint32_t)e->row->number : h->line[r->line].events;
	bool user = e->function && HB_IS_USER(e->function->cls), fit;
	if (e->row->function >= r->functions)
		return HB_OK;
	if (!know(r, e->row->function, e->function))
		return hb__history_no_memory(h->err);
	const struct hb__named_function *f = &r->function[e->row->function];
	if (f->span)
		return e->function->cls == HB_USER_BEGIN ? begin_span(r, f) : end_span(r, f);
	for (uint32_t i = 0; i < f->n && !status; i++) {
		const struct hb__named *n = &r->named[f->first + i];
		struct hb__told told = {.binding = n->binding, .half = n->half, .key = h->keys};
		status = evaluate(r, n, &fit, &told.peer);
		if (status || !fit)
			continue;
		status = put(r, &told);
		if (!status && !user && returned) {
			told.half = HB_PATTERN_END;
			told.exit = true;
			status = put(r, &told);
		}
	}
	return status;
}

static hb_status read_line(struct reading *r)
{
	hb_log *log = r->h->process[r->process].log;
	hb_events *events;
	hb_event event;
	hb_status status = hb_events_open(log, r->h->line[r->line].lane, &events, r->h->err);
	int more = 1;
	if (status)
		return status;
	hb_events_skip_times(events);
	r->event = &event;
	while (!status && (more = hb_events_next(events, &event, r->h->err)) > 0)
		status = on_event(r, true);
	if (!status && !more && hb_events_inside(events, &event) > 0)
		status = on_event(r, false);
	hb_events_close(events);
	return status ? status : more < 0 ? r->h->err->status : HB_OK;
}

static hb_status read_process(struct reading *r)
{
	hb_history *h = r->h;
	hb_status status = HB_OK;
	r->functions = hb_log_get_info(h->process[r->process].log)->functions;
	r->function = calloc((size_t)r->functions + 1, sizeof *r->function);
	r->nnamed = r->spans = 0;
	if (!r->function)
		return hb__history_no_memory(h->err);
	for (uint32_t i = 0; i < h->process[r->process].nlines && !status; i++) {
		r->line = h->process[r->process].first_line + i;
		r->open.n = r->nopened = r->nkeys = 0;
		status = read_line(r);
	}
	free(r->function);
	return status;
}

/* Whether the log has anything that a declaration names: what is not needed is not read. */
static bool wanted(const hb_history *h, const hb_log *log)
{
	uint32_t functions = hb_log_get_info(log)->functions;
	for (uint32_t i = 0; i < functions; i++) {
		const hb_function *f = hb_log_function(log, i);
		for (uint32_t b = 0; f && f->name && b < h->bindings; b++)
			if (fits(&h->binding[b], f, 0) || fits(&h->binding[b], f, 1))
				return true;
	}
	return false;
}

hb_status hb__history_own(hb_history *h)
{
	struct reading r = {.h = h};
	hb_status status = HB_OK;
	for (uint32_t p = 0; p < h->info->processes && !status; p++) {
		const hb_log *log = h->process[p].log;
		if (!log)
			continue;
		r.process = p;
		if (wanted(h, log))
			status = read_process(&r);
	}
	free(r.named);
	free(r.span);
	free(r.open.at);
	free(r.opened);
	free(r.keys);
	return status;
}
