/* Comma separated values, RFC 4180: the events and the messages, a table each. */
#include <stdlib.h>

#include "../show/line.h"
#include "export.h"

static void end_line(hb_output *out) { hb__put(out, "\r\n", 2); }

static void put_field(hb_output *out, const char *text)
{
	if (!text[strcspn(text, ",\"\r\n")]) {
		hb__put_clean(out, text, 0);
		return;
	}
	hb__put_char(out, '"');
	hb__put_clean(out, text, '"');
	hb__put_char(out, '"');
}

static void text(hb_output *out, const char *value)
{
	hb__put_char(out, ',');
	put_field(out, value ? value : "");
}

static void number_field(hb_output *out, int64_t value)
{
	hb__put_char(out, ',');
	if (value != HB_ABSENT)
		hb__put_int(out, value);
}

static void seconds(hb_output *out, int64_t ns)
{
	hb__put_char(out, ',');
	if (ns != HB_ABSENT)
		hb__put_seconds(out, ns);
}

/* ---- events ---- */

/* The columns that hbdb sql has, too, are called as there. */
static const char event_columns[] =
	"rank,pid,lane,event,call,class,enter,exit,peer,tag,comm,bytes,source,source_tag,error,"
	"choice,polls,posting,posts,completed,new_comm,returned,place,arguments,world";

static void put_arguments(hb_output *out, const hb_log *log, const hb_event *ev)
{
	hb__put_text(out, ",\"");
	for (uint32_t i = 0; i < hb_event_fields(ev); i++) {
		hb_field f = hb_event_field(ev, i);
		const char *word = hb__word(log, f.kind, f.value);
		if (i)
			hb__put_char(out, ' ');
		hb__put_clean(out, f.name, '"');
		hb__put_char(out, '=');
		if (word)
			hb__put_clean(out, word, '"');
		else
			hb__put_value(out, log, f.kind, f.value);
	}
	hb__put_char(out, '"');
}

static int64_t completed(const hb_event *ev)
{
	int64_t n = 0;
	if (ev->shape < HB_SHAPE_STATUS || ev->shape > HB_SHAPE_SOME)
		return HB_ABSENT;
	for (uint32_t i = 0; i < ev->nanswers; i++)
		n += ev->answers[i].code < HB_ST_NULL;
	return n;
}

static void put_comm(hb_output *out, const hb_log *log, int64_t comm)
{
	hb__put_char(out, ',');
	if (comm != HB_ABSENT)
		hb__put_value(out, log, 3, comm);
}

static void put_error(hb_output *out, int64_t class)
{
	const char *name = class ? hb__error_class_name(class) : NULL;
	if (name || !class)
		text(out, name);
	else
		number_field(out, class);
}

static void put_event(hb_output *out, hb_view *view, const hb_event *ev, uint64_t event, bool returned)
{
	const hb_row *row = ev->row;
	bool times = row->enter || row->exit;
	const struct hb_place *place = hb__view_place(view, row->site);
	hb__put_int(out, view->info->rank);
	number_field(out, view->info->pid);
	number_field(out, row->lane);
	number_field(out, (int64_t)event);
	text(out, ev->function ? ev->function->name : NULL);
	text(out, ev->function ? hb__class_name(ev->function->cls) : NULL);
	seconds(out, times ? hb__view_ns(view, row->enter) : HB_ABSENT);
	seconds(out, times && returned ? hb__view_ns(view, row->exit) : HB_ABSENT);
	number_field(out, ev->peer);
	number_field(out, ev->tag);
	put_comm(out, view->log, ev->comm);
	number_field(out, ev->bytes == -1 ? HB_ABSENT : ev->bytes);
	number_field(out, ev->source);
	number_field(out, ev->source_tag);
	put_error(out, row->result);
	number_field(out, ev->choice);
	number_field(out, (int64_t)row->polls);
	number_field(out, ev->posts ? ev->posting : HB_ABSENT);
	number_field(out, ev->posts);
	number_field(out, completed(ev));
	put_comm(out, view->log, ev->made);
	number_field(out, returned);
	text(out, place ? place->text : NULL);
	put_arguments(out, view->log, ev);
	number_field(out, view->world);
	end_line(out);
}

static int events_of_lane(hb_export *x, hb_output *out, size_t log, uint32_t lane)
{
	hb_error err = {0};
	hb_events *events;
	hb_event ev;
	uint64_t last = 0;
	int got;
	if (hb_events_open(x->run.logs.at[log].log, lane, &events, &err))
		return hb__fail_log(x->run.logs.at[log].path, &err);
	while ((got = hb_events_next(events, &ev, &err)) == 1 && ev.row->number <= x->last && !out->broken) {
		last = ev.row->number;
		if (last >= x->first)
			put_event(out, &x->run.views[log], &ev, last, true);
		if (last % 1024 == 0 && !hb__export_step(x, 1024))
			break;
	}
	hb__export_step(x, last % 1024);
	if (!got && last + 1 >= x->first && last + 1 <= x->last && hb_events_inside(events, &ev) == 1)
		put_event(out, &x->run.views[log], &ev, last + 1, false);
	hb_events_close(events);
	return got < 0 ? hb__fail_log(x->run.logs.at[log].path, &err) : 0;
}

static void put_events(hb_export *x, hb_output *out)
{
	hb__put_text(out, event_columns);
	end_line(out);
	for (size_t i = 0; i < x->run.logs.n; i++)
		for (uint32_t lane = 0; hb__export_wants(x, i) && lane < x->run.views[i].info->lanes; lane++) {
			int code = events_of_lane(x, out, i, lane);
			x->code = code ? code : x->code;
			if (out->broken)
				return;
		}
}

/* ---- messages ---- */

static const char message_columns[] =
	"source,source_lane,sent_event,dest,dest_lane,posted_event,received_event,comm,tag,bytes,"
	"sent,received,synchronous,state,source_world,dest_world";

/* By send: when the call that sent it was entered, and when the one that completed its receive returned. */
struct times {
	hb_export *x;
	int64_t *sent, *received;
};

static void keep_time(void *user, const hb_call *call, bool end)
{
	struct times *t = user;
	const hb_model *m = t->x->run.model;
	for (size_t i = 0; i < call->nops; i++) {
		const hb_op *op = &call->op[i];
		if (op->kind == HB_OP_SEND && !end)
			t->sent[op->id] = hb__view_ns(&t->x->run.views[call->log], call->event->row->enter);
		if (op->kind == HB_OP_RECEIVED && end && hb_model_receives(m)[op->id].send != HB_NO)
			t->received[hb_model_receives(m)[op->id].send] =
				hb__view_ns(&t->x->run.views[call->log], call->event->row->exit);
	}
}

static void put_at(hb_output *out, const hb_model *m, hb_at at)
{
	const hb_line *line = at.event ? &hb_model_lines(m)[at.line] : NULL;
	number_field(out, line ? line->lane : HB_ABSENT);
	number_field(out, line ? at.event : HB_ABSENT);
}

static const char *state(const hb_send *s, const hb_receive *v)
{
	if (!v)
		return (s->flags & HB_EARLIER) == HB_EARLIER ? "before"
		       : s->flags & HB_CANCELLED             ? "cancelled"
							     : "not received";
	if ((s->flags | v->flags) & HB_AMBIGUOUS)
		return "ambiguous";
	return v->flags & HB_FAILED ? "truncated" : "received";
}

static void put_message(hb_output *out, const hb_model *m, uint32_t id, const struct times *times)
{
	const hb_send *s = &hb_model_sends(m)[id];
	const hb_channel *c = &hb_model_channels(m)[s->channel];
	const hb_receive *v = s->receive == HB_NO ? NULL : &hb_model_receives(m)[s->receive];
	hb_at done = v ? hb_receive_done(m, s->receive) : (hb_at){0};
	hb__put_int(out, hb_model_processes(m)[c->source].rank);
	put_at(out, m, hb_send_at(m, id));
	number_field(out, c->dest == HB_NO ? HB_ABSENT : hb_model_processes(m)[c->dest].rank);
	number_field(out, v ? hb_model_lines(m)[v->line].lane : HB_ABSENT);
	number_field(out, v ? v->post : HB_ABSENT);
	number_field(out, done.event ? done.event : HB_ABSENT);
	text(out, c->group == HB_NO ? NULL : hb_model_group_name(m, c->group));
	number_field(out, hb_model_tag(m, c->group, c->tag));
	number_field(out, (int64_t)hb_send_bytes(m, id));
	seconds(out, times->sent[id]);
	seconds(out, times->received[id]);
	number_field(out, s->flags & HB_SYNCHRONOUS ? 1 : 0);
	text(out, state(s, v));
	number_field(out, hb_model_processes(m)[c->source].world);
	number_field(out, c->dest == HB_NO ? HB_ABSENT : hb_model_processes(m)[c->dest].world);
	end_line(out);
}

/* A message is asked for when one of its ends is. */
static bool wants_message(const hb_export *x, uint32_t id)
{
	const hb_model *m = x->run.model;
	uint32_t receive = hb_model_sends(m)[id].receive;
	if (hb__export_wants_event(x, hb_send_at(m, id)))
		return true;
	return receive != HB_NO && (hb__export_wants_event(x, hb_receive_done(m, receive)) ||
					   hb__export_wants_event(x, hb_receive_post(m, receive)));
}

/* The times of all events are looked at, for the other end of a message may be anywhere. */
static void find_times(hb_export *x, struct times *t)
{
	hb_export all = *x;
	all.first = 1;
	all.last = UINT64_MAX;
	for (size_t i = 0; i < x->run.logs.n; i++)
		for (uint32_t lane = 0;
			x->run.logs.at[i].log && x->process_of[i] != HB_NO && lane < x->run.views[i].info->lanes;
			lane++) {
			int code = hb__walk(&all, i, lane, keep_time, t);
			x->code = code ? code : x->code;
		}
	x->done = all.done;
}

static void put_messages(hb_export *x, hb_output *out)
{
	const hb_model *m = x->run.model;
	uint32_t n = hb_model_get_info(m)->sends;
	struct times times = {.x = x,
		.sent = hb__alloc((size_t)n * sizeof *times.sent),
		.received = hb__alloc((size_t)n * sizeof *times.received)};
	for (uint32_t i = 0; i < n; i++)
		times.sent[i] = times.received[i] = HB_ABSENT;
	find_times(x, &times);
	hb__put_text(out, message_columns);
	end_line(out);
	for (uint32_t i = 0; i < n && !out->broken; i++) {
		if (wants_message(x, i))
			put_message(out, m, i, &times);
		if (i % 1024 == 0 && !hb__export_step(x, 0))
			break;
	}
	free(times.sent);
	free(times.received);
}

/* ---- files ---- */

/* OUT.events.csv and OUT.messages.csv; OUT may have the suffix already. */
static char *path_of(const hb_export *x, const char *table)
{
	const char *base = x->out ? x->out : x->name;
	size_t n = strlen(base);
	if (x->table)
		return x->out ? hb__copy(x->out) : hb__format("%s.%s.csv", base, table);
	if (x->out && n > 4 && !strcmp(base + n - 4, ".csv"))
		n -= 4;
	return hb__format("%.*s.%s.csv", (int)n, base, table);
}

static int put_tables(hb_export *x, hb_export_target *targets, const bool *wanted)
{
	int code = 0;
	if (wanted[0])
		put_events(x, targets[0].out);
	if (wanted[1] && !x->code)
		put_messages(x, targets[1].out);
	for (int i = 0; i < 2; i++) {
		if (!wanted[i])
			continue;
		char *path = hb__copy(targets[i].path);
		int bad = hb__target_end(&targets[i], !code && hb__export_step(x, 0));
		if (!bad && !code && strcmp(path, "-") != 0 && hb__export_step(x, 0))
			hb__export_wrote(x, path);
		code = bad ? bad : code;
		free(path);
	}
	return code;
}

int hb__export_csv(hb_export *x)
{
	static const char *const tables[] = {"events", "messages"};
	hb_export_target targets[2];
	bool wanted[2];
	if (!x->table && x->out && !strcmp(x->out, "-"))
		return hb__fail_with(HB_EXIT_USAGE, "two tables cannot go to standard output: choose one with --table");
	for (int i = 0; i < 2; i++) {
		wanted[i] = !x->table || !strcmp(x->table, tables[i]);
		char *path = wanted[i] ? path_of(x, tables[i]) : NULL;
		int code = wanted[i] ? hb__target_file(path, x->force, &targets[i]) : 0;
		free(path);
		if (code && i && wanted[0])
			hb__target_end(&targets[0], false);
		if (code)
			return code;
	}
	if (wanted[0] && wanted[1])
		x->all *= 2;
	return put_tables(x, targets, wanted);
}
