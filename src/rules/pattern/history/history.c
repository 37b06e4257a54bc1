/* The history of a run: gathered from its logs, then fed in the order in which the pass of the clocks comes along. */
#include "rules/pattern/history/history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/pattern/history/internal.h"

hb_status hb__history_no_memory(hb_error *err)
{
	*err = (hb_error){.status = HB_E_MEMORY, .message = "out of memory"};
	return HB_E_MEMORY;
}

hb_at hb_history_at(uint64_t id, bool *ret_exit)
{
	*ret_exit = id & 1;
	return (hb_at){(uint32_t)(id >> 33), (uint32_t)(id >> 1)};
}

const hb_history_sum *hb_history_get_sum(const hb_history *h) { return &h->sum; }

/* ---- gathering ---- */

static void look_at_bindings(hb_history *h)
{
	h->binding = hb_pattern_bindings(h->pattern, &h->bindings);
	for (uint32_t i = 0; i < h->bindings; i++) {
		const hb_pattern_binding *b = &h->binding[i];
		bool message = b->source == HB_PATTERN_MPI || b->source == HB_PATTERN_CHANNEL;
		h->messages |= message;
		h->contents |= message && b->contents;
		h->most_keys = b->nkeys > h->most_keys ? b->nkeys : h->most_keys;
	}
}

static hb_status gather(hb_history *h)
{
	h->lines = calloc((size_t)h->info->lines + 1, sizeof *h->lines);
	h->keys = calloc(2 * ((size_t)h->most_keys + 1), sizeof *h->keys);
	if (!h->lines || !h->keys)
		return hb__history_no_memory(h->err);
	for (uint32_t i = 0; i < h->info->lines; i++) {
		h->lines[i].next.key = calloc((size_t)h->most_keys + 1, sizeof(hb_pattern_value));
		if (!h->lines[i].next.key)
			return hb__history_no_memory(h->err);
	}
	hb_status status = h->messages ? hb__history_messages(h) : HB_OK;
	if (!status)
		status = hb__history_own(h);
	h->sum.messages = h->info->sends;
	h->sum.events = h->info->events;
	return status;
}

hb_status hb_history_open(hb_model *model, hb_pattern *pattern, hb_history_contents *contents, void *user,
	hb_history **ret_history, hb_error *err)
{
	hb_error own;
	hb_history *h = calloc(1, sizeof *h);
	*ret_history = NULL;
	err = err ? err : &own;
	if (!h)
		return hb__history_no_memory(err);
	h->model = model;
	h->info = hb_model_get_info(model);
	h->process = hb_model_processes(model);
	h->line = hb_model_lines(model);
	h->send = hb_model_sends(model);
	h->receive = hb_model_receives(model);
	h->channel = hb_model_channels(model);
	h->group = hb_model_groups(model);
	h->pattern = pattern;
	h->ask_contents = contents;
	h->user = user;
	h->err = err;
	look_at_bindings(h);
	hb_status status = gather(h);
	if (status)
		hb_history_close(h);
	else
		*ret_history = h;
	return status;
}

void hb_history_close(hb_history *h)
{
	if (!h)
		return;
	for (uint32_t i = 0; h->lines && i < h->info->lines; i++) {
		hb_events_close(h->lines[i].events);
		free(h->lines[i].told.at);
		free(h->lines[i].next.key);
	}
	free(h->lines);
	free(h->packed.at);
	free(h->of_send);
	free(h->keys);
	free(h);
}

/* ---- feeding ---- */

static bool tell(void *user, const hb_pattern_event *event)
{
	hb_history *h = user;
	bool exit;
	hb_at at = hb_history_at(event->id, &exit);
	h->sum.halves++;
	h->sum.named += h->lines[at.line].counted != at.event;
	h->lines[at.line].counted = at.event;
	return h->visit(h->visit_user, event);
}

bool hb__message_half(hb_history *h, hb_at at, uint32_t send, hb_pattern_half half, hb_history_visit *visit, void *user)
{
	const hb_send *s = &h->send[send];
	size_t place = h->of_send ? h->of_send[send] : 0;
	struct hb__told told = {.key = h->keys + h->most_keys};
	uint32_t from = h->line[s->line].process, to = h->channel[s->channel].dest;
	int64_t peer = half == HB_PATTERN_RECEIVED ? from : to == HB_NO ? -1 : (int64_t)to;
	if (!place--)
		return true;
	for (bool go = true; go;) {
		hb__unpack_told(&h->packed, &place, h->binding, &told);
		if (told.binding == HB_NO)
			return true;
		hb_pattern_event event = {told.binding, half, h->line[at.line].process, peer, told.key,
			hb__history_id(at, half == HB_PATTERN_RECEIVED)};
		go = visit(user, &event);
	}
	return false;
}

static bool feed_op(hb_history *h, uint32_t line, const hb_op *op)
{
	hb_at at = {line, op->event};
	if (op->kind == HB_OP_SEND)
		return hb__message_half(h, at, op->id, HB_PATTERN_SENT, tell, h);
	if (op->kind != HB_OP_RECEIVED)
		return true;
	uint32_t send = h->receive[op->id].send;
	h->sum.strangers += send == HB_NO;
	return send == HB_NO || hb__message_half(h, at, send, HB_PATTERN_RECEIVED, tell, h);
}

void hb__next_told(hb_history *h, uint32_t line)
{
	struct hb__history_line *l = &h->lines[line];
	if (l->at < l->told.n)
		hb__unpack_told(&l->told, &l->at, h->binding, &l->next);
	else
		l->next.binding = HB_NO;
}

bool hb__visit_told(hb_history *h, uint32_t line, hb_history_visit *visit, void *user)
{
	const struct hb__told *t = &h->lines[line].next;
	hb_pattern_event event = {t->binding, t->half, h->line[line].process, t->peer, t->key,
		hb__history_id((hb_at){line, t->event}, t->exit)};
	return visit(user, &event);
}

static bool at_exit(const hb_op *op)
{
	return op->kind == HB_OP_RECEIVED || op->kind == HB_OP_SENT || op->kind == HB_OP_PROBED ||
	       op->kind == HB_OP_LEAVE || op->kind == HB_OP_TOLD || op->kind == HB_OP_PASS;
}

/* Whether one point of a line stands before another. */
static bool stands_before(uint32_t event, bool exit, uint32_t other, bool other_exit)
{
	return event < other || (event == other && exit < other_exit);
}

/* All of the line up to a point: what it tells itself and what its messages do, in the order of their points. */
static bool reached(void *user, const hb_reach *reach)
{
	hb_history *h = user;
	struct hb__history_line *l = &h->lines[reach->line];
	uint64_t n;
	const hb_op *op = hb_model_ops(h->model, reach->line, &n);
	bool go = true;
	h->now = *reach;
	h->now_from = l->reached; /* what stands between has the same PAST on other lines */
	l->reached = hb__history_id((hb_at){reach->line, reach->event}, reach->exit);
	while (go) {
		bool told = l->next.binding != HB_NO &&
			    !stands_before(reach->event, reach->exit, l->next.event, l->next.exit);
		bool ops = l->op < n && !stands_before(reach->event, reach->exit, op[l->op].event, at_exit(&op[l->op]));
		if (!told && !ops)
			break;
		if (ops &&
			(!told || !stands_before(l->next.event, l->next.exit, op[l->op].event, at_exit(&op[l->op])))) {
			go = feed_op(h, reach->line, &op[l->op++]);
			continue;
		}
		go = hb__visit_told(h, reach->line, tell, h);
		hb__next_told(h, reach->line);
	}
	return go;
}

hb_status hb_history_run(
	hb_history *h, hb_history_visit *visit, void *user, hb_progress *progress, void *progress_user, hb_error *err)
{
	hb_error own;
	h->visit = visit;
	h->visit_user = user;
	h->err = err ? err : &own;
	h->sum.halves = h->sum.named = h->sum.strangers = 0;
	for (uint32_t i = 0; i < h->info->lines; i++) {
		struct hb__history_line *l = &h->lines[i];
		l->next.event = l->counted = 0;
		l->at = l->op = l->reached = 0;
		hb__next_told(h, i);
	}
	hb_clock_options options = {.reached = reached, .user = h};
	return hb_clocks_run_with(h->model, &options, progress, progress_user, h->err);
}

struct feeding {
	hb_pattern_check *check;
	hb_status status;
	hb_error *err;
};

static bool feed(void *user, const hb_pattern_event *event)
{
	struct feeding *f = user;
	f->status = hb_pattern_feed(f->check, event, f->err);
	return !f->status;
}

hb_status hb_history_feed(hb_history *h, hb_pattern_check *check, hb_progress *progress, void *user, hb_error *err)
{
	struct feeding f = {.check = check, .err = err};
	hb_status status = hb_history_run(h, feed, &f, progress, user, err);
	return f.status ? f.status : status;
}

/* ---- order ---- */

/* Whether the enter of an event, or what follows its exit, is in the PAST of the other point. */
bool hb_history_before(void *history, uint64_t a, uint64_t b)
{
	hb_history *h = history;
	bool exit, other_exit;
	hb_at from = hb_history_at(a, &exit), to = hb_history_at(b, &other_exit);
	if (from.line == to.line)
		return a <= b;
	uint32_t event = exit ? from.event + 1
			      : hb_entered(h->model, from).event; /* an exit is known where the next event has begun */
	if (to.line == h->now.line && b > h->now_from)
		return h->now.clock[from.line] >= event;
	hb_relation relation;
	hb_link *chain = NULL;
	size_t links;
	bool strict;
	hb_at end = {to.line, to.event - !other_exit}; /* what an enter follows is over with the exit before it */
	if (!end.event || event > h->line[from.line].events ||
		hb_order_of(h->model, (hb_at){from.line, event}, end, &relation, &strict, &chain, &links, NULL))
		return false;
	free(chain);
	return relation == HB_SAME || relation == HB_BEFORE || relation == HB_TOGETHER;
}
