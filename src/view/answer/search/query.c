/* The words of a search. What a row says cheaply is looked at first: most events fail there. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query.h"
#include "view/answer/answer.h"
#include "view/answer/races.h"

static const char *const kinds[] = {"function", "tag", "comm", "peer", "line", "rank", "racing"};

/* ---- reading ---- */

#define LISTED 8 /* processes, where one is asked for that is not there */

/* A process by its name, of another world or without MPI. */
static bool known_process(struct hb_request *r, const char *name)
{
	const hb_model *m = r->server->model;
	char there[LISTED * sizeof(hb_process_name) + 8] = "";
	uint32_t n = hb_model_get_info(m)->processes;
	for (uint32_t i = 0; i < n; i++)
		if (!strcmp(hb_model_processes(m)[i].name, name))
			return true;
	for (uint32_t i = 0; i < n && i <= LISTED; i++)
		snprintf(there + strlen(there), sizeof there - strlen(there), "%s%s", i ? ", " : "",
			i < LISTED ? hb_model_processes(m)[i].name : "...");
	hb__view_refuse(r, 400, "there is no process %s; there are %s", name, there);
	return false;
}

/* Ranks are those of any world. */
static bool is_process(const struct hb_word *w, const hb_process *p)
{
	return w->named ? !strcmp(w->text, p->name) : *hb_rank_word(p->name) && w->number == p->rank;
}

static bool read_word(struct hb_request *r, char *text, struct hb_word *ret)
{
	*ret = (struct hb_word){.kind = HB_WORD_FUNCTION, .text = text};
	if (!strcmp(text, "racing")) {
		ret->kind = HB_WORD_RACING;
		return true;
	}
	char *colon = strchr(text, ':'), *end;
	for (int i = 0; colon && i < HB_WORD_RACING; i++)
		if (strlen(kinds[i]) == (size_t)(colon - text) && !strncmp(text, kinds[i], (size_t)(colon - text))) {
			ret->kind = (enum hb_word_kind)i;
			ret->text = colon + 1;
		}
	if (ret->kind != HB_WORD_TAG && ret->kind != HB_WORD_PEER && ret->kind != HB_WORD_RANK)
		return true;
	ret->number = strtoll(ret->text, &end, 10);
	ret->named = ret->kind == HB_WORD_RANK && (end == ret->text || *end);
	if (end != ret->text && !*end)
		return true;
	if (ret->named && *ret->text)
		return known_process(r, ret->text);
	hb__view_refuse(r, 400, "%s: must be followed by a number, not by '%s'", kinds[ret->kind], ret->text);
	return false;
}

bool hb__query_read(struct hb_request *r, struct hb_query *ret)
{
	memset(ret, 0, sizeof *ret);
	ret->server = r->server;
	ret->process = HB_NO;
	ret->last.line = HB_NO;
	hb__view_parameter(r, "q", ret->text, sizeof ret->text);
	for (char *rest = ret->text, *word; (word = strsep(&rest, " \t"));) {
		if (!*word)
			continue;
		if (ret->n == HB_WORDS_MOST) {
			hb__view_refuse(r, 400, "more than %d words", HB_WORDS_MOST);
			return false;
		}
		if (!read_word(r, word, &ret->word[ret->n]))
			return false;
		ret->racing = ret->racing || ret->word[ret->n].kind == HB_WORD_RACING;
		ret->n++;
	}
	if (!ret->n)
		hb__view_refuse(r, 400, "q says what to look for, as in q=function:Recv+tag:7");
	return ret->n > 0;
}

static void leave_process(struct hb_query *q)
{
	free(q->function);
	free(q->site);
	q->function = NULL;
	q->site = NULL;
}

void hb__query_free(struct hb_query *q)
{
	leave_process(q);
	free(q->name);
}

/* ---- the process at hand ---- */

static bool functions_match(const struct hb_query *q, const char *name)
{
	for (int i = 0; i < q->n; i++)
		if (q->word[i].kind == HB_WORD_FUNCTION && (!name || !strcasestr(name, q->word[i].text)))
			return false;
	return true;
}

/* With the lock held, for the layout has the names. */
static void match_names(struct hb_query *q)
{
	uint32_t n;
	const char *const *names = hb_layout_functions(q->server->layout, &n);
	for (int i = 0; i < q->n && !q->name; i++)
		if (q->word[i].kind == HB_WORD_FUNCTION)
			q->name = calloc((size_t)n + 1, sizeof *q->name);
	for (uint32_t i = 0; q->name && i < n; i++)
		q->name[i] = functions_match(q, names[i]);
}

uint32_t hb__query_candidate(const struct hb_query *q, uint32_t line, uint32_t event, uint32_t last)
{
	const struct hb_view_races *races = q->server->races;
	size_t n;
	if (q->racing) {
		const struct hb_kept_race *r = hb__races_at(races, (hb_at){line, event}, &n);
		bool none = r == races->at + races->n || r->at.line != line || r->at.event > last;
		return none ? HB_NO : r->at.event;
	}
	for (; q->name && event <= last; event++)
		if (q->name[hb_layout_function(q->server->layout, (hb_at){line, event})])
			break;
	return event <= last ? event : HB_NO;
}

static bool enter_process(struct hb_query *q, uint32_t process)
{
	const hb_log *log = hb_model_processes(q->server->model)[process].log;
	bool some = false;
	leave_process(q);
	q->process = process;
	q->functions = log ? hb_log_get_info(log)->functions : 0;
	q->sites = log ? hb_log_get_info(log)->sites : 0;
	q->function = calloc((size_t)q->functions + 1, sizeof *q->function);
	for (int i = 0; i < q->n; i++)
		if (q->word[i].kind == HB_WORD_LINE && !q->site)
			q->site = calloc((size_t)q->sites + 1, 1);
	for (uint32_t i = 0; q->function && i < q->functions; i++) {
		const hb_function *f = hb_log_function(log, i);
		q->function[i] = functions_match(q, f ? f->name : NULL);
		some = some || q->function[i];
	}
	return some;
}

bool hb__query_line(struct hb_query *q, uint32_t line)
{
	const hb_model *m = q->server->model;
	uint32_t process = hb_model_lines(m)[line].process;
	size_t n;
	if (!q->name)
		match_names(q);
	for (int i = 0; i < q->n; i++)
		if (q->word[i].kind == HB_WORD_RANK && !is_process(&q->word[i], &hb_model_processes(m)[process]))
			return false;
	if (q->racing) {
		const struct hb_kept_race *r = hb__races_at(q->server->races, (hb_at){line, 0}, &n);
		if (r == q->server->races->at + q->server->races->n || r->at.line != line)
			return false;
	}
	return enter_process(q, process);
}

/* ---- single words ---- */

static bool place_matches(const struct hb_query *q, uint32_t site)
{
	const hb_view_source *source = &q->server->o.source;
	hb_view_place place;
	if (!source->place(source->user, q->process, site, &place))
		return false;
	for (int i = 0; i < q->n; i++) {
		size_t n = strlen(q->word[i].text);
		if (q->word[i].kind == HB_WORD_LINE &&
			(strncmp(place.text, q->word[i].text, n) != 0 || (place.text[n] && place.text[n] != ':')))
			return false;
	}
	return true;
}

static bool site_matches(struct hb_query *q, uint32_t site)
{
	if (!q->site)
		return true;
	if (site >= q->sites)
		return false;
	if (!q->site[site])
		q->site[site] = place_matches(q, site) ? 1 : 2;
	return q->site[site] == 1;
}

/* The operations of an event. Events come one after the other: then they are near. */
static const hb_op *first_op(struct hb_query *q, hb_at at, const hb_op **ret_end)
{
	uint64_t n, low, high;
	const hb_op *op = hb_model_ops(q->server->model, at.line, &n);
	bool on = q->last.line == at.line && at.event >= q->last.event && at.event - q->last.event < 64;
	low = on ? q->op : 0;
	high = on ? low : n;
	while (on && low < n && op[low].event < at.event)
		low++;
	while (low < high) {
		uint64_t mid = low + (high - low) / 2;
		if (op[mid].event < at.event)
			low = mid + 1;
		else
			high = mid;
	}
	q->last = at;
	q->op = low;
	*ret_end = op + n;
	return op + low;
}

uint32_t hb__message_of(const hb_model *m, const hb_op *op)
{
	switch ((hb_op_kind)op->kind) {
	case HB_OP_SEND:
	case HB_OP_SENT:
		return op->id;
	case HB_OP_POST:
	case HB_OP_RECEIVED:
		return hb_model_receives(m)[op->id].send;
	case HB_OP_PROBED:
		return hb_model_probes(m)[op->id].send;
	default:
		return HB_NO;
	}
}

/* comm:WORLD.2, or what the program called it. */
static bool is_group(const hb_model *m, uint32_t group, const char *text)
{
	const hb_group *g = &hb_model_groups(m)[group];
	size_t n = strlen(g->name), length = strlen(text);
	return !strcmp(g->name, text) ||
	       (g->title && strlen(g->title) == n + length + 3 && !strncmp(g->title + n + 2, text, length));
}

static int64_t peer_rank(const hb_model *m, const hb_channel *c, uint32_t process)
{
	uint32_t other = c->source == process ? c->dest : c->source;
	return other == HB_NO ? -1 : hb_model_processes(m)[other].rank;
}

/* A message or a collective that the event begins or ends. */
static bool op_matches(const struct hb_query *q, const struct hb_word *w, const hb_op *op)
{
	const hb_model *m = q->server->model;
	if (op->kind == HB_OP_ENTER || op->kind == HB_OP_LEAVE)
		return w->kind == HB_WORD_COMM && is_group(m, hb_model_collectives(m)[op->id].group, w->text);
	uint32_t send = hb__message_of(m, op);
	if (send == HB_NO)
		return false;
	const hb_channel *c = &hb_model_channels(m)[hb_model_sends(m)[send].channel];
	return w->kind == HB_WORD_TAG    ? c->tag == w->number
	       : w->kind == HB_WORD_PEER ? peer_rank(m, c, q->process) == w->number
					 : is_group(m, c->group, w->text);
}

/* What the arguments say, of events that the model has no message for. */
static bool argument_matches(const struct hb_word *w, const hb_event *ev)
{
	if (w->kind == HB_WORD_TAG)
		return ev->tag == w->number || ev->source_tag == w->number;
	if (w->kind == HB_WORD_PEER)
		return w->number >= 0 && (ev->peer == w->number || ev->source == w->number);
	return (ev->comm == 0 && !strcmp(w->text, "WORLD")) || (ev->comm == 1 && !strcmp(w->text, "SELF"));
}

static bool word_matches(struct hb_query *q, const struct hb_word *w, hb_at at, const hb_event *ev)
{
	const hb_op *end, *op = first_op(q, at, &end);
	bool message = false;
	for (; op < end && op->event == at.event; op++) {
		if (op_matches(q, w, op))
			return true;
		message = message || hb__message_of(q->server->model, op) != HB_NO;
	}
	/* ranks in the arguments are those of the communicator, not of the world */
	return !(message && w->kind == HB_WORD_PEER) && argument_matches(w, ev);
}

bool hb__query_event(struct hb_query *q, hb_at at, const hb_event *ev)
{
	size_t n;
	uint32_t function = ev->row->function;
	if (function >= q->functions || !q->function[function] || !site_matches(q, ev->row->site))
		return false;
	for (int i = 0; i < q->n; i++) {
		enum hb_word_kind kind = q->word[i].kind;
		if ((kind == HB_WORD_TAG || kind == HB_WORD_PEER || kind == HB_WORD_COMM) &&
			!word_matches(q, &q->word[i], at, ev))
			return false;
		if (kind == HB_WORD_RACING) {
			hb__races_at(q->server->races, at, &n);
			if (!n)
				return false;
		}
	}
	return true;
}

void hb__query_describe(struct hb_query *q, const hb_event *ev, hb_text *ret)
{
	const hb_view_source *source = &q->server->o.source;
	hb_view_place place;
	hb_text_put(ret, ev->function && ev->function->name ? ev->function->name : "a call");
	if (ev->source != HB_ABSENT && ev->source >= 0)
		hb_text_format(ret, " from %lld", (long long)ev->source);
	else if (ev->peer != HB_ABSENT && ev->peer >= 0)
		hb_text_format(ret, ev->from == HB_ABSENT ? " %lld" : " from %lld", (long long)ev->peer);
	if (ev->source_tag != HB_ABSENT && ev->source_tag >= 0)
		hb_text_format(ret, " tag %lld", (long long)ev->source_tag);
	else if (ev->tag != HB_ABSENT && ev->tag >= 0)
		hb_text_format(ret, " tag %lld", (long long)ev->tag);
	if (source->place(source->user, q->process, ev->row->site, &place))
		hb_text_format(ret, "  %s", place.text);
}
