/* What the declarations say of messages of MPI and of channels. Said once for both halves, of the message as it was sent. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/pattern/history/internal.h"

/* A message, and what of it has been looked up. */
struct message {
	hb_history *h;
	uint32_t id;
	const hb_send *send;
	const hb_channel *channel;
	hb_contents *contents;
	const hb_content *content; /* NULL: not known */
	bool lacking;              /* its contents were asked for and are not known */
};

/* Moves the reader of a line to an event. NULL: it cannot be read. */
static bool read_event(hb_history *h, hb_at at, hb_event *ret)
{
	struct hb__history_line *l = &h->lines[at.line];
	const hb_line *line = &h->line[at.line];
	hb_log *log = h->process[line->process].log;
	int more = 1;
	if (l->events && l->read >= at.event) {
		hb_events_close(l->events);
		l->events = NULL;
	}
	if (!l->events) {
		l->read = at.event - 1;
		if (hb_events_open_at(log, line->lane, at.event, &l->events, NULL))
			return false;
	}
	while (l->read < at.event && (more = hb_events_next(l->events, ret, NULL)) > 0)
		l->read = (uint32_t)ret->row->number;
	return more > 0 ? l->read == at.event : !more && line->inside && hb_events_inside(l->events, ret) > 0;
}

static bool of_call(const struct message *m, const char *name, const char * or, hb_pattern_value *ret)
{
	hb_event event;
	uint32_t process = m->h->line[m->send->line].process;
	return read_event(m->h, (hb_at){m->send->line, m->send->event}, &event) &&
	       (hb__value_of_event(m->h, process, &event, name, ret) ||
		       hb__value_of_event(m->h, process, &event, or, ret));
}

static bool ask(void *user, const char *name, int64_t offset, hb_pattern_value *ret)
{
	struct message *m = user;
	hb_history *h = m->h;
	const char *word = hb_model_tag_word(h->model, m->channel->group);
	if (word && !strcmp(name, word))
		return hb__value_of_number(hb_model_tag(h->model, m->channel->group, m->channel->tag), ret);
	if (!strcmp(name, "source"))
		return hb__value_of_number(m->channel->source, ret);
	if (!strcmp(name, "dest")) /* of one that nobody has a log of it is no process */
		return hb__value_of_number(m->channel->dest == HB_NO ? -1 : (int64_t)m->channel->dest, ret);
	if (!strcmp(name, "bytes"))
		return hb__value_of_number((int64_t)hb_send_bytes(h->model, m->id), ret);
	if (h->group[m->channel->group].keyed)
		return false;
	if (!strcmp(name, "comm"))
		return hb__value_of_text(h, h->group[m->channel->group].name, ret);
	if (!strcmp(name, "count"))
		return of_call(m, "sendcount", "count", ret);
	if (!strcmp(name, "type"))
		return of_call(m, "sendtype", "datatype", ret);
	if (!hb__is_of_contents(name))
		return false;
	m->lacking |= !m->content;
	return m->content && hb__value_of_contents(h, m->contents, m->content, name, offset, ret);
}

static bool may_be(const hb_history *h, const hb_pattern_binding *b, uint32_t group)
{
	if (!h->group[group].keyed)
		return b->source == HB_PATTERN_MPI;
	return b->source == HB_PATTERN_CHANNEL && h->group[group].title && !strcmp(b->what[0], h->group[group].title);
}

static hb_status tell(struct message *m)
{
	hb_history *h = m->h;
	hb_status status = HB_OK;
	size_t begin = h->packed.n;
	bool fits, lacking = false;
	int64_t peer;
	for (uint32_t i = 0; i < h->bindings && !status; i++) {
		if (!h->binding[i].message || !may_be(h, &h->binding[i], m->channel->group))
			continue;
		m->lacking = false;
		status = hb_pattern_bind(h->pattern, i, HB_PATTERN_SENT, ask, m, &fits, h->keys, &peer, h->err);
		status = h->status ? h->status : status;
		if (status && m->lacking && !h->status) { /* told in the sum */
			status = HB_OK;
			lacking = true;
			continue;
		}
		struct hb__told told = {.binding = i, .peer = -1, .key = h->keys};
		if (!status && fits && !hb__pack_told(&h->packed, 0, &told, h->binding[i].nkeys))
			status = hb__history_no_memory(h->err);
	}
	h->sum.unread += lacking;
	if (status || h->packed.n == begin)
		return status;
	struct hb__told end = {.binding = HB_NO, .peer = -1};
	h->of_send[m->id] = begin + 1;
	h->sum.named_messages++;
	h->sum.uncertain += m->send->receive != HB_NO && h->receive[m->send->receive].flags & HB_AMBIGUOUS;
	return hb__pack_told(&h->packed, 0, &end, 0) ? HB_OK : hb__history_no_memory(h->err);
}

/* ---- contents: known where they came to ---- */

/* The messages that an event brought, and what it has of them: as many pieces as messages, in the same order, or nothing is said. */
static hb_status came(hb_history *h, hb_contents *contents, const hb_event *event, const hb_op *op, uint32_t n)
{
	const hb_content *piece = NULL;
	uint32_t pieces = 0, buffers = 0;
	if (hb_contents_of(contents, event, &piece, &pieces, h->err) < 0)
		return h->err->status;
	for (uint32_t i = 0; i < pieces; i++)
		buffers += piece[i].kind == HB_CONTENT_BUFFER;
	hb_status status = HB_OK;
	for (uint32_t i = 0, k = 0; i < n && buffers == n && !status; i++, k++) {
		while (piece[k].kind != HB_CONTENT_BUFFER)
			k++;
		uint32_t id = h->receive[op[i].id].send;
		struct message m = {h, id, NULL, NULL, contents, &piece[k], false};
		if (id == HB_NO)
			continue;
		m.send = &h->send[id];
		m.channel = &h->channel[m.send->channel];
		status = tell(&m);
		if (!h->of_send[id])
			h->of_send[id] = UINT64_MAX; /* looked at */
	}
	return status;
}

static hb_status contents_of_line(hb_history *h, uint32_t line, hb_contents *contents)
{
	hb_log *log = h->process[h->line[line].process].log;
	hb_events *events;
	hb_event event;
	uint64_t n, from = 0;
	const hb_op *op = hb_model_ops(h->model, line, &n);
	hb_op *now = malloc((n + 1) * sizeof *now); /* the receives of an event */
	hb_status status =
		now ? hb_events_open(log, h->line[line].lane, &events, h->err) : hb__history_no_memory(h->err);
	int more = 0;
	if (status) {
		free(now);
		return status;
	}
	hb_events_skip_times(events);
	while (!status && from < n && (more = hb_events_next(events, &event, h->err)) > 0) {
		uint32_t receives = 0;
		for (; from < n && op[from].event <= event.row->number; from++)
			if (op[from].kind == HB_OP_RECEIVED)
				now[receives++] = op[from];
		if (receives)
			status = came(h, contents, &event, now, receives);
	}
	hb_events_close(events);
	free(now);
	return status ? status : more < 0 ? h->err->status : HB_OK;
}

static hb_status read_contents(hb_history *h)
{
	hb_status status = HB_OK;
	bool some = false;
	for (uint32_t p = 0; p < h->info->processes && !status; p++) {
		hb_data *data = h->process[p].log && h->ask_contents ? h->ask_contents(h->user, p) : NULL;
		hb_contents *contents;
		if (!data)
			continue;
		some = true;
		status = hb_contents_open(h->process[p].log, data, &contents, h->err);
		if (status)
			break;
		for (uint32_t i = 0; i < h->process[p].nlines && !status; i++)
			status = contents_of_line(h, h->process[p].first_line + i, contents);
		hb_contents_close(contents);
	}
	if (!status && !some) {
		*h->err = (hb_error){.status = status = HB_E_ARGUMENT};
		snprintf(h->err->message, sizeof h->err->message,
			"the model looks at the contents of messages, and the recording has none: record it with --level data");
	}
	return status;
}

hb_status hb__history_messages(hb_history *h)
{
	h->of_send = calloc((size_t)h->info->sends + 1, sizeof *h->of_send);
	if (!h->of_send)
		return hb__history_no_memory(h->err);
	hb_status status = h->contents ? read_contents(h) : HB_OK;
	for (uint32_t id = 0; id < h->info->sends && !status; id++) {
		struct message m = {.h = h, .id = id, .send = &h->send[id]};
		m.channel = &h->channel[m.send->channel];
		if (!h->of_send[id] && !(m.send->flags & HB_CANCELLED))
			status = tell(&m);
		else if (h->of_send[id] == UINT64_MAX)
			h->of_send[id] = 0;
	}
	for (uint32_t l = 0; l < h->info->lines; l++) { /* the readers of own.c are others */
		hb_events_close(h->lines[l].events);
		h->lines[l].events = NULL;
	}
	return status;
}
