/* All that is known of one event. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "races.h"
#include "sources.h"

#define ROWS_AROUND 6
#define REMARKS_MOST 50   /* loops of accesses to windows have thousands before one event */
#define DATA_MOST 50      /* pieces of what came with an event */
#define MESSAGES_MOST 200 /* of a Waitall of thousands: the first ones */
#define PARTS_MOST 4096

/* ---- parts of answers ---- */

void hb__put_at(struct hb_request *r, hb_at at)
{
	char name[48];
	if (!at.event || at.line == HB_NO) {
		hb_text_put(&r->out, "null");
		return;
	}
	r->server->o.source.event_name(r->server->o.source.user, at, name);
	hb_text_format(&r->out, "\"%s\"", name);
}

double hb__shown_x(hb_axis axis, double x) { return axis == HB_AXIS_PHYSICAL ? rint(x) : x; }

void hb__put_x(struct hb_request *r, hb_at at)
{
	double enter, exit;
	static const char *const names[] = {"\"logical\":[", "],\"physical\":["};
	for (int i = 0; i < 2; i++) {
		hb_axis axis = i ? HB_AXIS_PHYSICAL : HB_AXIS_LOGICAL;
		hb_layout_x(r->server->layout, axis, at, &enter, &exit);
		hb_text_put(&r->out, names[i]);
		hb_text_number(&r->out, hb__shown_x(axis, enter));
		hb_text_put(&r->out, ",");
		hb_text_number(&r->out, hb__shown_x(axis, exit));
	}
	hb_text_put(&r->out, "]");
}

void hb__put_event_text(struct hb_request *r, hb_at at)
{
	hb_text text = {0};
	const hb_view_source *source = &r->server->o.source;
	uint32_t site;
	bool there = source->event(source->user, at, &text, NULL, &site);
	hb_text_json(&r->out, there && text.at ? text.at : "(cannot be read)");
	free(text.at);
}

/* ---- operations of an event ---- */

static const hb_op *ops_of(const hb_model *m, hb_at at, size_t *ret_n)
{
	uint64_t n;
	const hb_op *op = hb_model_ops(m, at.line, &n);
	size_t low = 0, high = n, k = 0;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (op[mid].event < at.event)
			low = mid + 1;
		else
			high = mid;
	}
	while (low + k < n && op[low + k].event == at.event)
		k++;
	*ret_n = k;
	return op + low;
}

/* Where a message ended: the call that completed its receive, or posted it. */
static hb_at end_of(const hb_model *m, uint32_t send)
{
	uint32_t receive = hb_model_sends(m)[send].receive;
	if (receive == HB_NO)
		return (hb_at){HB_NO, 0};
	hb_at done = hb_receive_done(m, receive);
	return done.event ? done : hb_receive_post(m, receive);
}

static bool same(hb_at a, hb_at b) { return a.line == b.line && a.event == b.event; }

/* The other end of what the event is part of: of a send the receive, of a receive the send, of a post its completion, of the
 * complete of an epoch of accesses the wait for it. */
static hb_at match_of(const hb_model *m, hb_at at, const hb_op *op, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t send = hb__message_of(m, &op[i]);
		if (op[i].kind == HB_OP_TELL || op[i].kind == HB_OP_TOLD) {
			const hb_edge *edge = &hb_model_edges(m)[op[i].id];
			return op[i].kind == HB_OP_TELL ? edge->to : edge->from;
		}
		if (op[i].kind == HB_OP_POST) {
			hb_at done = hb_receive_done(m, op[i].id);
			if (done.event && !same(done, at))
				return done;
		}
		if (send == HB_NO)
			continue;
		hb_at from = hb_send_at(m, send), to = end_of(m, send);
		hb_at other = same(from, at) || op[i].kind == HB_OP_SENT ? to : from;
		if (other.event && !same(other, at))
			return other;
	}
	return (hb_at){HB_NO, 0};
}

/* ---- messages ---- */

static void put_rank(struct hb_request *r, uint32_t process)
{
	if (process == HB_NO)
		hb_text_put(&r->out, "null");
	else
		hb_text_format(&r->out, "%d", hb_model_processes(r->server->model)[process].rank);
}

static void put_tag(struct hb_request *r, const hb_channel *channel)
{
	const hb_model *m = r->server->model;
	if (hb_model_tag_word(m, channel->group))
		hb_text_format(&r->out, ",\"tag\":%lld", (long long)hb_model_tag(m, channel->group, channel->tag));
	else
		hb_text_put(&r->out, ",\"tag\":null");
}

static void put_message(struct hb_request *r, uint32_t number)
{
	const hb_model *m = r->server->model;
	const hb_send *send = &hb_model_sends(m)[number];
	const hb_channel *channel = &hb_model_channels(m)[send->channel];
	uint32_t receive = send->receive;
	hb_text_put(&r->out, "{\"send\":");
	hb__put_at(r, hb_send_at(m, number));
	hb_text_put(&r->out, ",\"receive\":");
	hb__put_at(r, end_of(m, number));
	hb_text_put(&r->out, ",\"posted\":");
	hb__put_at(r, receive == HB_NO ? (hb_at){HB_NO, 0} : hb_receive_post(m, receive));
	hb_text_put(&r->out, ",\"source\":");
	put_rank(r, channel->source);
	hb_text_put(&r->out, ",\"dest\":");
	put_rank(r, channel->dest);
	put_tag(r, channel);
	hb_text_format(&r->out, ",\"bytes\":%llu,\"comm\":", (unsigned long long)hb_send_bytes(m, number));
	hb_text_json(&r->out, hb_model_group_title(m, channel->group));
	bool ambiguous =
		send->flags & HB_AMBIGUOUS || (receive != HB_NO && hb_model_receives(m)[receive].flags & HB_AMBIGUOUS);
	hb_text_format(&r->out, ",\"synchronous\":%s,\"ambiguous\":%s,\"cancelled\":%s}",
		send->flags & HB_SYNCHRONOUS ? "true" : "false", ambiguous ? "true" : "false",
		(send->flags & HB_EARLIER) == HB_CANCELLED ? "true" : "false");
}

static void put_messages(struct hb_request *r, const hb_op *op, size_t n)
{
	uint32_t put[MESSAGES_MOST];
	size_t k = 0, all = 0;
	hb_text_put(&r->out, ",\"messages\":[");
	for (size_t i = 0; i < n; i++) {
		uint32_t send = hb__message_of(r->server->model, &op[i]);
		size_t seen = 0;
		while (seen < k && put[seen] != send)
			seen++;
		if (send == HB_NO || seen < k)
			continue;
		all++;
		if (k == MESSAGES_MOST)
			continue;
		hb_text_put(&r->out, k ? "," : "");
		put[k++] = send;
		put_message(r, send);
	}
	hb_text_format(&r->out, "],\"more_messages\":%zu", all - k);
}

/* ---- collectives ---- */

static void put_collective(struct hb_request *r, const hb_op *op, size_t n)
{
	static const char *const orders[] = {"none", "all", "out", "in", "scan", "exscan"};
	const hb_model *m = r->server->model;
	hb_text_put(&r->out, ",\"collective\":");
	while (n && op->kind != HB_OP_ENTER && op->kind != HB_OP_LEAVE) {
		op++;
		n--;
	}
	if (!n) {
		hb_text_put(&r->out, "null");
		return;
	}
	const hb_collective *c = &hb_model_collectives(m)[op->id];
	const hb_group *group = &hb_model_groups(m)[c->group];
	const hb_log *log = hb_model_processes(m)[c->process].log;
	const hb_function *f = log ? hb_log_function(log, c->function) : NULL;
	hb_text_put(&r->out, "{\"function\":");
	hb_text_json(&r->out, f && f->name ? f->name : "a collective");
	hb_text_put(&r->out, ",\"group\":");
	hb_text_json(&r->out, hb_model_group_title(m, c->group));
	hb_text_format(&r->out, ",\"number\":%u,\"order\":\"%s\",\"root\":", c->number, orders[c->order]);
	put_rank(r, c->root);
	uint32_t size = group->size + group->remote_size, first = 1;
	hb_text_format(&r->out, ",\"size\":%u,\"entered\":%u,\"left\":%u,\"differs\":%s,\"parts\":[", size, c->enters,
		c->exits, c->differs ? "true" : "false");
	for (uint32_t i = 0; i < size && i < PARTS_MOST; i++) {
		uint32_t process = i < group->size ? group->member[i] : group->remote[i - group->size];
		hb_at at = process == HB_NO ? (hb_at){HB_NO, 0} : hb_collective_enter(m, op->id, process);
		if (at.line == HB_NO)
			continue;
		hb_text_put(&r->out, first ? "" : ",");
		hb__put_at(r, at);
		first = 0;
	}
	hb_text_put(&r->out, "]}");
}

/* ---- order that no message makes ---- */

static void put_orders(struct hb_request *r, const hb_op *op, size_t n)
{
	size_t put = 0;
	hb_text_put(&r->out, ",\"orders\":[");
	for (size_t i = 0; i < n && put < MESSAGES_MOST; i++) {
		if (op[i].kind != HB_OP_TELL && op[i].kind != HB_OP_TOLD && op[i].kind != HB_OP_PASS)
			continue;
		const hb_edge *e = &hb_model_edges(r->server->model)[op[i].id];
		hb_text_format(
			&r->out, "%s{\"kind\":\"%s\",\"from\":", put++ ? "," : "", hb_edge_meanings[e->kind].word);
		hb__put_at(r, e->from);
		hb_text_put(&r->out, ",\"to\":");
		hb__put_at(r, e->to);
		hb_text_put(&r->out, "}");
	}
	hb_text_put(&r->out, "]");
}

/* ---- who is not recorded ---- */

static void put_outside(struct hb_request *r, hb_at at)
{
	const hb_model *m = r->server->model;
	uint32_t n;
	const hb_crossing *c = hb_model_crossings_at(m, at, &n);
	hb_text_put(&r->out, ",\"outside\":[");
	for (uint32_t i = 0; i < n && i < MESSAGES_MOST; i++) {
		hb_text_put(&r->out, i ? ",{\"name\":" : "{\"name\":");
		hb_text_json(&r->out, hb_model_outside(m)[c[i].outside].name);
		hb_text_format(&r->out, ",\"received\":%s,\"n\":%u,\"bytes\":%llu}", c[i].in ? "true" : "false", c[i].n,
			(unsigned long long)c[i].bytes);
	}
	hb_text_put(&r->out, "]");
}

/* ---- races ---- */

static void put_alternatives(struct hb_request *r, const struct hb_kept_race *race, bool *first)
{
	const hb_view_server *s = r->server;
	for (uint32_t i = 0; i < race->kept; i++) {
		const struct hb_kept_alternative *a = &s->races->alternative[race->first + i];
		const hb_channel *channel = &hb_model_channels(s->model)[hb_model_sends(s->model)[a->send].channel];
		hb_at send = hb_send_at(s->model, a->send), to = end_of(s->model, a->send);
		hb_text_put(&r->out, *first ? "{\"send\":" : ",{\"send\":");
		hb__put_at(r, send);
		hb_text_put(&r->out, ",\"receive\":");
		hb__put_at(r, to);
		hb_text_put(&r->out, ",\"rank\":");
		put_rank(r, channel->source);
		put_tag(r, channel);
		hb_text_put(&r->out, ",\"text\":");
		hb__put_event_text(r, send);
		hb_text_put(&r->out, "}");
		*first = false;
	}
}

static void put_race(struct hb_request *r, hb_at at)
{
	size_t n;
	uint64_t all = 0;
	bool first = true, uncertain = false;
	const struct hb_kept_race *race = hb__races_at(r->server->races, at, &n);
	hb_text_put(&r->out, ",\"race\":");
	if (!n) {
		hb_text_put(&r->out, "null");
		return;
	}
	hb_text_put(&r->out, "{\"alternatives\":[");
	for (size_t i = 0; i < n; i++) {
		all += race[i].alternatives;
		uncertain = uncertain || race[i].uncertain;
		put_alternatives(r, &race[i], &first);
	}
	hb_text_format(
		&r->out, "],\"n\":%llu,\"uncertain\":%s}", (unsigned long long)all, uncertain ? "true" : "false");
}

/* ---- the event ---- */

static void put_place(struct hb_request *r, uint32_t process, uint32_t site)
{
	hb_view_server *s = r->server;
	hb_view_place place;
	bool known = s->o.source.place(s->o.source.user, process, site, &place);
	hb_text_put(&r->out, ",\"place\":");
	if (known)
		hb_text_json(&r->out, place.text);
	else
		hb_text_put(&r->out, "null");
	if (!known || !place.file) {
		hb_text_put(&r->out, ",\"file\":null,\"row\":0,\"source\":[]");
		return;
	}
	hb__sources_know(s->files, place.file, place.module);
	hb_text_put(&r->out, ",\"file\":");
	hb_text_json(&r->out, place.file);
	hb_text_format(&r->out, ",\"row\":%d,\"source\":", place.line);
	hb__put_rows(r, place.file, place.line, ROWS_AROUND);
}

static void put_remarks(struct hb_request *r, hb_at at)
{
	const hb_view_source *o = &r->server->o.source;
	hb_text list = {0};
	size_t n = 0;
	o->remarks(o->user, at, REMARKS_MOST, &list, &n);
	hb_text_put(&r->out, ",\"remarks\":");
	hb_text_put(&r->out, list.at ? list.at : "[]");
	hb_text_format(&r->out, ",\"more_remarks\":%zu", n > REMARKS_MOST ? n - REMARKS_MOST : 0);
	free(list.at);
}

/* What came with the event; with nothing, what came with the other end: what a send carried is known where it arrived. */
static void put_data(struct hb_request *r, hb_at at, hb_at match)
{
	const hb_view_source *o = &r->server->o.source;
	hb_text list = {0};
	size_t n = 0;
	o->data(o->user, at, DATA_MOST, &list, &n);
	if (!n && match.event) {
		free(list.at);
		list = (hb_text){0};
		o->data(o->user, at = match, DATA_MOST, &list, &n);
	}
	hb_text_put(&r->out, ",\"data\":");
	hb_text_put(&r->out, list.at ? list.at : "[]");
	hb_text_format(&r->out, ",\"more_data\":%zu,\"data_at\":", n > DATA_MOST ? n - DATA_MOST : 0);
	hb__put_at(r, n ? at : (hb_at){0});
	free(list.at);
}

static void put_named(struct hb_request *r, const char *name, hb_at at)
{
	hb_text_format(&r->out, ",\"%s\":", name);
	hb__put_at(r, at);
}

void hb__answer_event(struct hb_request *r)
{
	hb_view_server *s = r->server;
	hb_at at;
	size_t n;
	hb_text text = {0}, call = {0};
	uint32_t site = 0;
	if (!hb__view_event(r, "at", &at))
		return;
	const hb_line *line = &hb_model_lines(s->model)[at.line];
	bool there = s->o.source.event(s->o.source.user, at, &text, &call, &site) && text.at && call.at;
	hb_text_put(&r->out, "{\"at\":");
	hb__put_at(r, at);
	hb_text_format(&r->out, ",\"line\":%u,\"event\":%u,\"text\":", at.line, at.event);
	hb_text_json(&r->out, there ? text.at : "(cannot be read)");
	hb_text_put(&r->out, ",\"call\":");
	hb_text_put(&r->out, there ? call.at : "null");
	free(text.at);
	free(call.at);
	hb_text_put(&r->out, ",\"x\":{");
	hb__put_x(r, at);
	hb_text_put(&r->out, "}");
	put_place(r, line->process, site);
	const hb_op *op = ops_of(s->model, at, &n);
	put_messages(r, op, n);
	put_orders(r, op, n);
	put_outside(r, at);
	put_collective(r, op, n);
	put_race(r, at);
	put_remarks(r, at);
	put_named(r, "next", (hb_at){at.line, at.event < line->events ? at.event + 1 : 0});
	put_named(r, "previous", (hb_at){at.line, at.event - 1});
	hb_at match = match_of(s->model, at, op, n);
	put_data(r, at, match);
	put_named(r, "match", match);
	hb_text_put(&r->out, "}");
}
