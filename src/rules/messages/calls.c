/* One pass over all lines: with which data each message was sent and received. */
#include <stdlib.h>
#include <string.h>

#include "model/event.h"
#include "rules/messages/messages.h"

static hb_status no_memory(hb_error *err)
{
	if (err)
		*err = (hb_error){.status = HB_E_MEMORY, .message = "out of memory"};
	return HB_E_MEMORY;
}

/* ---- calls, once each ---- */

static size_t cell_for(const struct hb__letters *l, uint32_t line, uint32_t slot, uint32_t era)
{
	/* lines alike have the same slots and eras: each line has to come into the bits that are used */
	uint64_t h = ((uint64_t)line * 0xbf58476d1ce4e5b9u ^ (uint64_t)era << 16 ^ slot) * 0x9e3779b97f4a7c15u;
	size_t i = (size_t)(h >> 32) & (l->cells - 1);
	while (l->cell[i]) {
		const struct hb__letter_call *k = &l->call[l->cell[i] - 1];
		if (k->line == line && k->slot == slot && k->era == era)
			break;
		i = (i + 1) & (l->cells - 1);
	}
	return i;
}

static bool grow(struct hb__letters *l)
{
	size_t room = l->calls_room ? 2 * l->calls_room : 64;
	struct hb__letter_call *call = realloc(l->call, room * sizeof *call);
	if (!call)
		return false;
	l->call = call;
	uint32_t *cell = calloc(2 * room, sizeof *cell);
	if (!cell)
		return false;
	free(l->cell);
	l->cell = cell;
	l->cells = 2 * room;
	l->calls_room = room;
	for (size_t i = 0; i < l->calls; i++)
		l->cell[cell_for(l, call[i].line, call[i].slot, call[i].era)] = (uint32_t)i + 1;
	return true;
}

static int64_t either(const hb_event *e, const char *one, const char *other)
{
	int64_t v = hb_event_argument(e, one);
	return v == HB_ABSENT ? hb_event_argument(e, other) : v;
}

/* HB_NO without memory. */
static uint32_t call_of(struct hb__letters *l, uint32_t line, const hb_event *e)
{
	if (l->calls == l->calls_room && !grow(l))
		return HB_NO;
	size_t i = cell_for(l, line, e->row->slot, e->row->era);
	if (l->cell[i])
		return l->cell[i] - 1;
	const hb_log *log = l->process[l->line[line].process].log;
	struct hb__letter_call *k = &l->call[l->calls++];
	*k = (struct hb__letter_call){
		.line = line, .slot = e->row->slot, .era = e->row->era, .function = e->function, .peer = e->peer};
	k->tag = either(e, "sendtag", "tag");
	k->sent = (hb_data){log, either(e, "sendcount", "count"), either(e, "sendtype", "datatype")};
	k->room = (hb_data){log, either(e, "recvcount", "count"), either(e, "recvtype", "datatype")};
	l->cell[i] = (uint32_t)l->calls;
	return (uint32_t)l->calls - 1;
}

/* ---- postings of a process that later calls name: persistent requests, and messages that a probe took ---- */

struct named {
	uint64_t key; /* 0: free */
	uint32_t value;
};
struct names {
	struct named *at;
	size_t size, used;
};

static uint64_t key_of(uint32_t lane, int64_t posting) { return ((uint64_t)lane << 44 | (uint64_t)posting) + 1; }

static struct named *place(const struct names *n, uint64_t key)
{
	size_t i = (size_t)(key * 0x9e3779b97f4a7c15u >> 20) & (n->size - 1);
	while (n->at[i].key && n->at[i].key != key)
		i = (i + 1) & (n->size - 1);
	return &n->at[i];
}

static bool name_it(struct names *n, uint64_t key, uint32_t value)
{
	if (2 * n->used >= n->size) {
		struct names more = {
			calloc(n->size ? 2 * n->size : 64, sizeof *more.at), n->size ? 2 * n->size : 64, n->used};
		if (!more.at)
			return false;
		for (size_t i = 0; i < n->size; i++)
			if (n->at[i].key)
				*place(&more, n->at[i].key) = n->at[i];
		free(n->at);
		*n = more;
	}
	struct named *p = place(n, key);
	n->used += !p->key;
	*p = (struct named){key, value};
	return true;
}

static uint32_t named(const struct names *n, uint64_t key)
{
	const struct named *p = n->size ? place(n, key) : NULL;
	return p && p->key ? p->value : HB_NO;
}

/* ---- reading ---- */

struct reading {
	struct hb__letters *l;
	struct names made, taken; /* persistent requests: call; matched probes: receive */
	uint32_t line;
	const hb_op *op;
	uint64_t nops;
};

/* The next send or receive that the event began; HB_NO: no more. */
static uint32_t next_of(struct reading *r, uint32_t event, bool *ret_sends)
{
	for (; r->nops && r->op->event <= event; r->op++, r->nops--) {
		const hb_op *op = r->op;
		const hb_receive *v = op->kind == HB_OP_RECEIVED ? &r->l->receive[op->id] : NULL;
		if (op->event < event || (op->kind != HB_OP_SEND && op->kind != HB_OP_POST && !v) ||
			(v && (v->line != r->line || v->post != event)))
			continue;
		*ret_sends = op->kind == HB_OP_SEND;
		r->op++, r->nops--;
		return op->id;
	}
	return HB_NO;
}

static const hb_meaning *meaning(const hb_function *f) { return hb_meaning_of(f->name, f->cls); }

static void starts(struct reading *r, const hb_event *e, uint32_t event)
{
	bool sends = false;
	uint32_t id = next_of(r, event, &sends);
	for (uint32_t i = 0; i < e->nanswers && id != HB_NO; i++) {
		hb_reference ref = e->answers[i].request;
		uint32_t call = ref.posting < 0 ? HB_NO : named(&r->made, key_of(ref.lane, ref.posting));
		if (call == HB_NO || meaning(r->l->call[call].function)->does == HB_DOES_RECEIVE ? sends : !sends)
			continue; /* of a request to nobody, or of a collective */
		if (call != HB_NO)
			*(sends ? &r->l->send_call[id] : &r->l->receive_call[id]) = call;
		id = next_of(r, event, &sends);
	}
}

static bool unnamed(struct reading *r, uint32_t event, uint32_t call)
{
	struct hb__letters *l = r->l;
	if (l->n_nameless == l->nameless_room) {
		size_t room = l->nameless_room ? 2 * l->nameless_room : 16;
		hb_at *at = realloc(l->nameless, room * sizeof *at);
		l->nameless = at ? at : l->nameless;
		uint32_t *calls = realloc(l->nameless_call, room * sizeof *calls);
		l->nameless_call = calls ? calls : l->nameless_call;
		if (!at || !calls)
			return false;
		l->nameless_room = room;
	}
	l->nameless[l->n_nameless] = (hb_at){r->line, event};
	l->nameless_call[l->n_nameless++] = call;
	return true;
}

static bool sends_or_receives(struct reading *r, const hb_event *e, uint32_t event)
{
	struct hb__letters *l = r->l;
	uint32_t call = call_of(l, r->line, e), id;
	bool sends, received = false, good = call != HB_NO;
	while (good && (id = next_of(r, event, &sends)) != HB_NO) {
		*(sends ? &l->send_call[id] : &l->receive_call[id]) = call;
		received |= !sends;
		if (e->means->does == HB_DOES_MATCHED_PROBE && e->posts)
			l->receive_call[id] = HB_NO; /* its Mrecv says */
		if (e->means->does == HB_DOES_MATCHED_PROBE && e->posts)
			good = name_it(&r->taken, key_of(e->row->lane, e->posting), id);
	}
	if (good && e->row->result == HB_ERR_TRUNCATE && !received && e->means->does == HB_DOES_RECEIVE && !e->posts)
		good = unnamed(r, event, call);
	return good;
}

static bool read_call(struct reading *r, const hb_event *e, uint32_t event)
{
	uint8_t does = e->means->does, cls = e->means->cls;
	if (!e->function ||
		(cls != HB_SEND && cls != HB_RECV && cls != HB_COMPLETE && cls != HB_PROBE && cls != HB_SPECIAL))
		return true;
	if (does == HB_DOES_START) {
		starts(r, e, event);
		return true;
	}
	if (does == HB_DOES_PARTITIONED)
		return hb__letter_part(r->l, r->line, event, e);
	if (e->means->flags & HB_PERSISTENT) {
		uint32_t call = e->peer == HB_PROC_NULL || e->from == HB_PROC_NULL ? HB_NO : call_of(r->l, r->line, e);
		return call == HB_NO || name_it(&r->made, key_of(e->row->lane, e->posting), call);
	}
	if (does == HB_DOES_MATCHED_RECEIVE) {
		hb_reference ref = e->nanswers ? e->answers[0].request : (hb_reference){0, -1};
		uint32_t receive = ref.posting < 0 ? HB_NO : named(&r->taken, key_of(ref.lane, ref.posting));
		uint32_t call = receive == HB_NO ? HB_NO : call_of(r->l, r->line, e);
		if (call != HB_NO)
			r->l->receive_call[receive] = call;
		return receive == HB_NO || call != HB_NO;
	}
	return cls == HB_COMPLETE || sends_or_receives(r, e, event);
}

static hb_status read_line(struct reading *r, hb_error *err)
{
	const hb_line *line = &r->l->line[r->line];
	hb_events *events;
	hb_event e;
	int more = 0;
	r->op = hb_model_ops(r->l->m, r->line, &r->nops);
	hb_status status = hb_events_open(r->l->process[line->process].log, line->lane, &events, err);
	if (status)
		return status;
	hb_events_skip_times(events);
	uint32_t number = 0;
	bool memory = true;
	while (memory && (more = hb_events_next(events, &e, err)) == 1)
		memory = read_call(r, &e, ++number);
	if (memory && line->inside && hb_events_inside(events, &e) == 1)
		memory = read_call(r, &e, line->events);
	hb_events_close(events);
	return !memory ? no_memory(err) : more < 0 ? (hb_status)more : HB_OK;
}

void hb__letters_begin(hb_case *c, struct hb__letters *ret, hb_error *err)
{
	hb_model *m = c->model;
	*ret = (struct hb__letters){.c = c,
		.m = m,
		.info = hb_model_get_info(m),
		.process = hb_model_processes(m),
		.line = hb_model_lines(m),
		.send = hb_model_sends(m),
		.receive = hb_model_receives(m),
		.channel = hb_model_channels(m),
		.spec = hb_model_specs(m),
		.err = err};
}

hb_status hb__letters_read(struct hb__letters *ret)
{
	hb_error *err = ret->err;
	ret->send_call = malloc(((size_t)ret->info->sends + 1) * sizeof *ret->send_call);
	ret->receive_call = malloc(((size_t)ret->info->receives + 1) * sizeof *ret->receive_call);
	if (!ret->send_call || !ret->receive_call)
		return no_memory(err);
	memset(ret->send_call, 0xff, (size_t)ret->info->sends * sizeof *ret->send_call);
	memset(ret->receive_call, 0xff, (size_t)ret->info->receives * sizeof *ret->receive_call);
	hb_status status = HB_OK;
	for (uint32_t p = 0; !status && p < ret->info->processes; p++) {
		struct reading r = {.l = ret, .line = ret->process[p].first_line};
		uint32_t end = r.line + ret->process[p].nlines;
		for (; !status && ret->process[p].log && r.line < end; r.line++)
			status = read_line(&r, err);
		free(r.made.at);
		free(r.taken.at);
	}
	return status;
}

hb_status hb__letters_gather(hb_case *c, struct hb__letters *ret, hb_error *err)
{
	hb__letters_begin(c, ret, err);
	return hb__letters_read(ret);
}

void hb__letters_free(struct hb__letters *l)
{
	free(l->send_call);
	free(l->receive_call);
	free(l->call);
	free(l->cell);
	free(l->nameless);
	free(l->nameless_call);
	free(l->part);
	free(l->late);
}

/* ---- asking ---- */

bool hb__letter_sent(const struct hb__letters *l, uint32_t send, hb_data *ret)
{
	uint32_t call = l->send_call[send];
	if (call == HB_NO)
		return false;
	*ret = l->call[call].sent;
	return ret->type != HB_ABSENT && ret->count != HB_ABSENT;
}

bool hb__letter_room(const struct hb__letters *l, uint32_t receive, hb_data *ret)
{
	uint32_t call = l->receive_call[receive];
	if (call == HB_NO)
		return false;
	*ret = l->call[call].room;
	return ret->type != HB_ABSENT && ret->count != HB_ABSENT;
}

const char *hb__letter_send_name(const struct hb__letters *l, uint32_t send)
{
	uint32_t call = l->send_call[send];
	return call == HB_NO ? "a send" : l->call[call].function->name;
}

bool hb__letter_is_ready(const struct hb__letters *l, uint32_t send)
{
	uint32_t call = l->send_call[send];
	return call != HB_NO && meaning(l->call[call].function)->mode == HB_MODE_READY;
}

bool hb__letter_is_probe(const struct hb__letters *l, uint32_t receive)
{
	const hb_spec *s = &l->spec[l->receive[receive].spec];
	const hb_function *f = hb_log_function(l->process[s->process].log, s->function);
	return f && f->name && f->cls == HB_PROBE;
}

const char *hb__letter_receive_name(const struct hb__letters *l, uint32_t receive)
{
	const hb_spec *s = &l->spec[l->receive[receive].spec];
	const hb_function *f = hb_log_function(l->process[s->process].log, s->function);
	return f && f->name ? f->name : "a receive";
}
