/* One process: its calls become sends, receives, probes and parts of collectives. What a receive
 * got is known when it completed; until all processes are read its `send` is the channel. */
#include "model/match/read.h"

static void op(struct hb__reading *r, hb_op_kind kind, uint32_t id)
{
	if (!VEC_PUSH(&r->m->line_more.at[r->line].ops, ((hb_op){(uint32_t)r->event->row->number, id, kind})))
		r->m->no_memory = true;
}

/* ---- sends ---- */

static uint32_t find_channel(hb_model *m, struct hb__key key)
{
	struct hb__cell *cell = hb__place(&m->channel_of, key);
	if (cell && cell->value != HB_NO)
		return cell->value;
	hb_channel c = {
		(uint32_t)(key.a >> 32), (uint32_t)key.a, (uint32_t)(key.b >> 32), (int32_t)(uint32_t)key.b, 0, 0};
	if (!cell || !VEC_PUSH(&m->channels, c)) {
		m->no_memory = true;
		return 0;
	}
	return cell->value = (uint32_t)m->channels.n - 1;
}

uint32_t hb__channel(hb_model *m, uint32_t group, uint32_t source, uint32_t dest, int32_t tag)
{
	return find_channel(m, (struct hb__key){(uint64_t)group << 32 | source, (uint64_t)dest << 32 | (uint32_t)tag});
}

/* A process uses few of all channels, again and again: those stand in a small table by a hash of their key. */
static uint32_t channel(struct hb__reading *r, uint32_t group, uint32_t source, uint32_t dest, int64_t tag)
{
	struct hb__key key = {(uint64_t)group << 32 | source, (uint64_t)dest << 32 | (uint32_t)tag};
	uint64_t h = (key.a * 0x9e3779b97f4a7c15u ^ key.b) * 0xbf58476d1ce4e5b9u;
	struct hb__cell *at = &r->recent[h >> (64 - HB__RECENT_BITS)];
	if (at->value == HB_NO || at->key.a != key.a || at->key.b != key.b)
		*at = (struct hb__cell){key, find_channel(r->m, key)};
	return at->value;
}

static uint32_t add_send(struct hb__reading *r, uint32_t to, int64_t bytes, uint8_t flags)
{
	hb_model *m = r->m;
	hb_send s = {(uint32_t)r->event->row->number, r->line, flags, to, HB_NO, 0, 0};
	if (bytes >= UINT32_MAX) {
		struct hb__cell *cell = hb__place(&m->big, (struct hb__key){m->sends.n, 0});
		if (cell && VEC_PUSH(&m->big_bytes, (uint64_t)bytes))
			cell->value = (uint32_t)m->big_bytes.n - 1;
		s.flags |= HB_BIG;
		s.bytes = UINT32_MAX;
	} else if (bytes > 0) {
		s.bytes = (uint32_t)bytes;
	}
	if (m->part && !VEC_PUSH(&m->send_sites, r->event->row->site))
		m->no_memory = true;
	if (r->threads)
		VEC_PUSH(&r->sent_when, ((struct hb__when){r->event->row->enter, r->event->row->exit}));
	if (m->sends.n >> 28 || !VEC_PUSH(&m->sends, s))
		m->no_memory = true;
	uint32_t id = (uint32_t)m->sends.n - 1;
	op(r, HB_OP_SEND, id);
	return id;
}

/* The channel of a message to rank `dest` of the event's communicator; HB_NO: there is no message. */
static uint32_t channel_to(struct hb__reading *r, int64_t dest, int64_t tag)
{
	struct hb__member *part = dest >= 0 ? hb__part(r->m, r->process, r->event->comm) : NULL;
	if (!part)
		return HB_NO;
	return channel(r, part->group, r->process, hb__peer(r->m, part, dest), tag);
}

/* An ordinary send has completed: a buffer may have let it through, so that orders nothing. */
static void sent(struct hb__reading *r, uint32_t id)
{
	hb_op o = {(uint32_t)r->event->row->number, id, HB_OP_SENT};
	if (r->follows && !VEC_PUSH(&r->m->line_more.at[r->line].sent, o))
		r->m->no_memory = true;
}

static uint8_t mode(bool synchronous, bool buffered)
{
	return (uint8_t)((synchronous ? HB_SYNCHRONOUS : 0) | (buffered ? HB_BUFFERED : 0));
}

static bool persistent(const struct hb__function *f) { return f->means->flags & HB_PERSISTENT; }
static bool synchronous(const struct hb__function *f) { return f->means->mode == HB_MODE_SYNCHRONOUS; }
static bool buffered(const struct hb__function *f) { return f->means->mode == HB_MODE_BUFFERED; }

static void on_send(struct hb__reading *r, const struct hb__function *f)
{
	const hb_event *e = r->event;
	bool follow = persistent(f) || synchronous(f) || r->cancels || r->follows;
	uint32_t to = e->row->result ? HB_NO : channel_to(r, e->peer, e->tag);
	if (f->means->posts) {
		struct hb__followed_request *q = to != HB_NO && follow ? hb__request_new(r, e->posting) : NULL;
		if (q && persistent(f))
			*q = (struct hb__followed_request){.type = HB__R_PSEND,
				.id = to,
				.flag = synchronous(f),
				.buffered = buffered(f),
				.bytes = e->bytes};
		else if (to != HB_NO) {
			uint32_t id = add_send(r, to, e->bytes, mode(synchronous(f), buffered(f)));
			if (q)
				*q = (struct hb__followed_request){
					.type = HB__R_SEND, .id = id, .flag = synchronous(f)};
		}
		return;
	}
	if (to == HB_NO)
		return;
	uint32_t id = add_send(r, to, e->bytes, mode(synchronous(f), buffered(f)));
	if (synchronous(f) && !r->inside)
		op(r, HB_OP_SENT, id);
	else if (!r->inside && f->means->mode != HB_MODE_READY)
		sent(r, id);
}

/* ---- receives ---- */

static uint32_t find_spec(struct hb__reading *r, uint32_t group, uint32_t source, int64_t tag, bool any_source)
{
	hb_model *m = r->m;
	const hb_row *row = r->event->row;
	uint32_t site = row->site >> 28 ? 0 : row->site, function = row->function & 0xfff;
	struct hb__key key = {(uint64_t)group << 32 | (uint32_t)tag,
		(uint64_t)(source & 0xffffff) << 40 | (uint64_t)function << 28 | site};
	struct hb__cell *cell = hb__place(&r->spec_of, key);
	if (cell && cell->value != HB_NO)
		return cell->value;
	hb_spec s = {group, r->process, source, (int32_t)tag, row->function, site, any_source};
	if (!cell || !VEC_PUSH(&m->specs, s)) {
		m->no_memory = true;
		return 0;
	}
	return cell->value = (uint32_t)m->specs.n - 1;
}

/* What a call asks for is the same for all rows of its slot and era. */
static uint32_t spec(struct hb__reading *r, const struct hb__member *part)
{
	const hb_event *e = r->event;
	uint32_t slot = e->row->slot, era = r->threads ? 0 : e->row->era;
	if (slot < r->calls.n && era && r->calls.at[slot].era == era)
		return r->calls.at[slot].spec;
	bool any = e->from == HB_ANY_SOURCE;
	uint32_t id = find_spec(r, part->group, any ? HB_NO : hb__peer(r->m, part, e->from), e->from_tag, any);
	if (era && slot < HB__CALLS_MOST && VEC_GROW(&r->calls, (size_t)slot + 1)) {
		while (r->calls.n <= slot)
			r->calls.at[r->calls.n++] = (struct hb__spec_of_call){0};
		r->calls.at[slot] = (struct hb__spec_of_call){era, id};
	}
	return id;
}

static uint32_t add_receive(struct hb__reading *r, uint32_t of)
{
	hb_model *m = r->m;
	hb_receive v = {(uint32_t)r->event->row->number, r->line, HB_PENDING, 0, HB_NO, of};
	if (r->threads)
		VEC_PUSH(&r->posted_when, ((struct hb__when){r->event->row->enter, r->event->row->exit}));
	if (m->receives.n >> 28 || !VEC_PUSH(&m->receives, v))
		m->no_memory = true;
	return (uint32_t)m->receives.n - 1;
}

/* The receive got a message from rank `source` (HB_ABSENT: from whom it was asked for). */
static void got(struct hb__reading *r, uint32_t id, int64_t source, int64_t tag)
{
	hb_model *m = r->m;
	hb_receive *v = &m->receives.at[id];
	const hb_spec *s = &m->specs.at[v->spec];
	struct hb__member *part = &m->process_more[r->process].parts.at[r->requests_comm];
	uint32_t from = source == HB_ABSENT ? s->source : hb__peer(m, part, source);
	v->flags &= ~HB_PENDING;
	if (from != HB_NO || source != HB_ABSENT || !s->any_source)
		v->send = channel(r, s->group, from, r->process, tag == HB_ABSENT ? s->tag : tag);
	op(r, HB_OP_RECEIVED, id);
}

static void done(struct hb__reading *r, uint32_t id)
{
	hb_model *m = r->m;
	hb_receive *v = &m->receives.at[id];
	v->done = (uint32_t)r->event->row->number;
	if (v->line == r->line)
		return;
	v->flags |= HB_ELSEWHERE;
	struct hb__cell *cell = hb__place(&m->elsewhere, (struct hb__key){id, 0});
	if (!cell || !VEC_PUSH(&m->elsewhere_at, ((hb_at){r->line, v->done})))
		m->no_memory = true;
	else
		cell->value = (uint32_t)m->elsewhere_at.n - 1;
}

static bool truncated(int64_t error) { return error == HB_ERR_TRUNCATE; }

static void on_receive(struct hb__reading *r, const struct hb__function *f)
{
	const hb_event *e = r->event;
	struct hb__member *part = hb__part(r->m, r->process, e->comm);
	bool failed = e->row->result && !truncated(e->row->result);
	bool sends = f->dest >= 0 && (uint32_t)f->dest < e->row->nargs;
	if (sends && !failed) { /* the sending half of Sendrecv */
		uint32_t to = channel_to(r, e->row->arg[f->dest], e->tag);
		uint32_t id = to != HB_NO ? add_send(r, to, e->bytes, 0) : HB_NO;
		if (id != HB_NO && !f->means->posts && !r->inside)
			sent(r, id);
	}
	if (!part || failed || e->from == HB_PROC_NULL || (e->from < 0 && e->from != HB_ANY_SOURCE))
		return;
	uint32_t of = spec(r, part);
	if (f->means->posts) {
		struct hb__followed_request *q = hb__request_new(r, e->posting);
		*q = (struct hb__followed_request){
			.type = persistent(f) ? HB__R_PRECV : HB__R_RECV, .comm = (uint32_t)e->comm};
		q->id = persistent(f) ? of : add_receive(r, of);
		if (!persistent(f))
			op(r, HB_OP_POST, q->id);
		return;
	}
	uint32_t id = add_receive(r, of);
	if (r->inside) {
		op(r, HB_OP_POST, id);
		return;
	}
	done(r, id);
	r->requests_comm = (uint32_t)e->comm;
	if (truncated(e->row->result) && e->source == HB_ABSENT && e->from == HB_ANY_SOURCE)
		return; /* something came, but from whom was not told */
	if (e->row->result)
		r->m->receives.at[id].flags |= HB_FAILED;
	got(r, id, e->source, e->source_tag);
}

uint32_t hb__spec_of(struct hb__reading *r, uint32_t group, uint32_t source, int64_t tag, bool any_source)
{
	return find_spec(r, group, source, tag, any_source);
}

uint32_t hb__receive_of(struct hb__reading *r, uint32_t spec) { return add_receive(r, spec); }

uint32_t hb__add_send(struct hb__reading *r, uint32_t group, uint32_t dest, int32_t tag, int64_t bytes)
{
	return add_send(r, channel(r, group, r->process, dest, tag), bytes, HB_BUFFERED);
}

uint32_t hb__add_receive(struct hb__reading *r, uint32_t group, uint32_t source, int32_t tag, bool any_source)
{
	uint32_t id = add_receive(r, find_spec(r, group, source, tag, any_source));
	done(r, id);
	r->m->receives.at[id].flags &= (uint8_t)~HB_PENDING;
	op(r, HB_OP_RECEIVED, id);
	return id;
}

/* It looked at a message of the source. */
static uint32_t saw(struct hb__reading *r, uint32_t spec, uint32_t group, uint32_t source, int64_t tag)
{
	hb_probe p = {(uint32_t)r->event->row->number, r->line, 0, spec, channel(r, group, source, r->process, tag)};
	if (!VEC_PUSH(&r->m->probes, p) || !VEC_PUSH(&r->m->probe_after, (uint32_t)r->m->receives.n))
		r->m->no_memory = true;
	op(r, HB_OP_PROBED, (uint32_t)r->m->probes.n - 1);
	return (uint32_t)r->m->probes.n - 1;
}

uint32_t hb__add_probe(struct hb__reading *r, uint32_t group, uint32_t source)
{
	return saw(r, find_spec(r, group, source, HB_ANY_TAG, false), group, source, 0);
}

static void on_probe(struct hb__reading *r, bool takes)
{
	const hb_event *e = r->event;
	struct hb__member *part = hb__part(r->m, r->process, e->comm);
	if (!part || e->row->result || e->from == HB_PROC_NULL || e->source == HB_PROC_NULL)
		return;
	uint32_t of = spec(r, part);
	if (takes) {
		uint32_t id = add_receive(r, of);
		if (r->inside || e->source == HB_ABSENT)
			return;
		done(r, id);
		r->requests_comm = (uint32_t)e->comm;
		got(r, id, e->source, e->source_tag);
		return;
	}
	if (r->inside || e->source == HB_ABSENT)
		return;
	saw(r, of, part->group, hb__peer(r->m, part, e->source), e->source_tag);
}

/* ---- completion ---- */

static void receive_completed(
	struct hb__reading *r, const struct hb__function *f, struct hb__followed_request *q, const hb_answer *a)
{
	hb_receive *v = &r->m->receives.at[q->id];
	if (v->done)
		return; /* MPI_Request_get_status told it before */
	uint32_t id = q->id;
	r->requests_comm = q->comm;
	done(r, id);
	v->flags |= f->means->chooses ? HB_CHOSEN : 0;
	if (a->code == HB_ST_CANCELLED) {
		v->flags = (uint8_t)((v->flags & ~HB_PENDING) | HB_CANCELLED);
	} else if (a->code == HB_ST_ERROR && !truncated(a->error)) {
		v->flags = (uint8_t)((v->flags & ~HB_PENDING) | HB_FAILED);
	} else {
		if (a->code == HB_ST_ERROR)
			v->flags |= HB_FAILED;
		got(r, id, a->source, a->tag);
		if (q->shifts)
			hb__before_shift(r, id);
	}
}

/* The length of the array of requests; the first argument of all such calls. */
static uint32_t requests(const struct hb__reading *r)
{
	const hb_row *row = r->event->row;
	return row->nargs && row->arg[0] > 0 && row->arg[0] < HB_NO ? (uint32_t)row->arg[0] : 0;
}

static void completed(struct hb__reading *r, const struct hb__function *f, const hb_answer *a)
{
	bool pending = a->code == HB_ST_ERROR && a->error == 18;
	struct hb__followed_request *q = a->request.posting >= 0 && !pending ? hb__request_find(r, a->request) : NULL;
	if ((f->means->shape == HB_SHAPE_ANY || f->means->shape == HB_SHAPE_SOME) && a->code != HB_ST_NULL &&
		a->code != HB_ST_UNKNOWN)
		VEC_PUSH(&r->m->chosen, ((hb_chosen){{r->line, (uint32_t)r->event->row->number},
						r->event->row->function, r->event->row->site,
						q && q->type == HB__R_RECV ? q->id : HB_NO, requests(r), false, 0}));
	if (!q || q->shifts)
		hb__before_completed(r, q, a);
	if (!q)
		return;
	if (q->type == HB__R_RECV)
		receive_completed(r, f, q, a);
	else if (q->type == HB__R_SEND && a->code == HB_ST_CANCELLED)
		r->m->sends.at[q->id].flags |= HB_CANCELLED;
	else if (q->type == HB__R_SEND && q->flag)
		op(r, HB_OP_SENT, q->id);
	else if (q->type == HB__R_SEND && !f->means->chooses)
		sent(r, q->id);
	else if (q->type == HB__R_COLL)
		op(r, HB_OP_LEAVE, q->id);
	if (q->type == HB__R_COLL)
		r->m->collectives.at[q->id].exits++;
	if (f->means->does != HB_DOES_LOOK)
		hb__request_over(r, a->request, q);
	else if (q->type != HB__R_RECV)
		q->type = HB__R_OTHER; /* told once */
}

/* ---- persistent requests ---- */

static void start(struct hb__reading *r, hb_reference made, int64_t posting)
{
	struct hb__followed_request *base = hb__request_find(r, made);
	if (!base)
		return;
	struct hb__followed_request was = *base, q = {.type = HB__R_OTHER};
	base->count++;
	if (was.type == HB__R_PSEND) {
		q = (struct hb__followed_request){.type = HB__R_SEND, .flag = was.flag};
		q.id = add_send(r, was.id, was.bytes, mode(was.flag, was.buffered));
	} else if (was.type == HB__R_PRECV) {
		q = (struct hb__followed_request){.type = HB__R_RECV, .comm = was.comm, .id = add_receive(r, was.id)};
		op(r, HB_OP_POST, q.id);
	} else if (was.type == HB__R_PCOLL) {
		q = (struct hb__followed_request){.type = HB__R_COLL};
		q.id = hb__collective_started(r, &was);
		if (q.id == HB_NO)
			return;
		op(r, HB_OP_ENTER, q.id);
	}
	*hb__request_new(r, posting) = q;
}

static void on_cancel(struct hb__reading *r)
{
	const hb_event *e = r->event;
	bool told = e->nanswers && e->answers[0].request.posting >= 0;
	struct hb__followed_request *q = told ? hb__request_find(r, e->answers[0].request) : NULL;
	if (q && q->type == HB__R_RECV)
		r->m->receives.at[q->id].flags |= HB_CANCEL_ASKED;
}

static void freed(struct hb__reading *r, const hb_event *e)
{
	if (!e->nanswers || e->answers[0].request.posting < 0)
		return;
	struct hb__followed_request *q = hb__request_find(r, e->answers[0].request);
	if (q)
		hb__request_over(r, e->answers[0].request, q);
}

/* What an event means for the model, by what its function does: a function that nobody here knows passes, and changes no order. */
static void handle(struct hb__reading *r, const struct hb__function *f)
{
	const hb_event *e = r->event;
	switch (f->means->does) {
	case HB_DOES_SEND:
		on_send(r, f);
		break;
	case HB_DOES_RECEIVE:
		on_receive(r, f);
		break;
	case HB_DOES_PROBE:
	case HB_DOES_MATCHED_PROBE:
		on_probe(r, f->means->does == HB_DOES_MATCHED_PROBE);
		break;
	case HB_DOES_COMPLETE:
	case HB_DOES_LOOK:
		for (uint32_t i = 0; i < e->nanswers; i++)
			completed(r, f, &e->answers[i]);
		break;
	case HB_DOES_START:
		for (uint32_t i = 0; i < e->nanswers && i < e->posts; i++)
			start(r, e->answers[i].request, e->posting + i);
		break;
	case HB_DOES_FREE_REQUEST:
		freed(r, e);
		break;
	case HB_DOES_COLLECTIVE:
	case HB_DOES_BIRTH:
	case HB_DOES_BIRTH_OF_GROUP:
	case HB_DOES_FILE_OPEN:
	case HB_DOES_WINDOW_FENCE:
	case HB_DOES_WINDOW_FREE:
	case HB_DOES_WINDOW_MAKE:
		hb__read_collective(r, f);
		break;
	case HB_DOES_WINDOW_POST:
	case HB_DOES_WINDOW_START:
	case HB_DOES_WINDOW_COMPLETE:
	case HB_DOES_WINDOW_WAIT:
		hb__on_window(r, f);
		break;
	case HB_DOES_CANCEL:
		on_cancel(r);
		break;
	case HB_DOES_KEYED_SEND:
	case HB_DOES_KEYED_RECEIVE:
		hb__on_keyed(r, f);
		break;
	case HB_DOES_COME_AFTER:
	case HB_DOES_POST_AFTER:
		hb__on_order(r);
		break;
	case HB_DOES_INIT:
		r->init = (uint32_t)e->row->number;
		r->m->process_more[r->process].init = (hb_at){r->line, r->init};
		break;
	default:
		hb__on_socket(r);
		break;
	}
}

static const struct hb__function *known(struct hb__reading *r)
{
	uint32_t number = r->event->row->function;
	if (!r->event->function || number >= r->nfunctions)
		return NULL;
	if (!r->functions[number].means)
		hb__know(r->event->function, &r->functions[number]);
	return &r->functions[number];
}

static hb_status read_events(
	struct hb__reading *r, struct hb__stream *stream, hb__tick *tick, void *user, hb_error *err)
{
	hb_model *m = r->m;
	const hb_event *e = NULL;
	int got_one;
	uint64_t n = 0;
	while ((got_one = hb__stream_next(stream, &e, &r->line, err)) == 1) {
		r->event = e;
		r->inside = e->row->exit == UINT64_MAX;
		m->lines.at[r->line].events = (uint32_t)e->row->number;
		m->lines.at[r->line].inside = r->inside;
		if (r->threads)
			hb__note_threads(r);
		if (r->begun)
			hb__note_around(r);
		const struct hb__function *f = known(r);
		if (f && f->means->does != HB_DOES_NOTHING)
			handle(r, f);
		if (f && f->means->bridge)
			hb__on_bridge(r);
		if (f && f->means->turn)
			hb__on_turn(r, f);
		if ((++n & 0xffff) == 0 && tick)
			tick(user, n);
		if (m->no_memory)
			return hb__no_memory(err);
	}
	return got_one < 0 ? (hb_status)got_one : HB_OK;
}

hb_status hb__read_process(hb_model *m, uint32_t process, hb__tick *tick, void *user, hb_error *err)
{
	const hb_process *p = &m->processes.at[process];
	const hb_log_info *info = hb_log_get_info(p->log);
	struct hb__reading r = {.m = m, .process = process, .threads = p->nlines > 1, .free_request = HB_NO};
	r.nfunctions = info->functions;
	r.functions = calloc((size_t)r.nfunctions + 1, sizeof *r.functions);
	r.over = calloc((size_t)p->nlines + 1, sizeof *r.over);
	r.cancels = hb_log_calls(p->log, HB_DOES_CANCEL);
	r.follows = m->process_more[process].followed = hb__follow_requests(m, process);
	memset(r.recent, 0xff, sizeof r.recent);
	memset(r.near, 0xff, sizeof r.near);
	bool both = hb__has_sockets(p->log);
	r.begun = both ? calloc((size_t)p->nlines + 1, sizeof *r.begun) : NULL;
	bool memory = r.functions && r.over && (r.begun || !both);
	struct hb__stream *stream = memory ? hb__stream_open(m, process, err) : NULL;
	hb_status status = !memory ? hb__no_memory(err) : !stream ? HB_E_DAMAGED : HB_OK;
	if (!stream && memory && err && err->status)
		status = err->status;
	if (!status) {
		if (hb_log_before(p->log))
			hb__before_read_process(&r);
		status = read_events(&r, stream, tick, user, err);
		hb__stream_close(stream);
	}
	/* Also of a record that breaks off: what was read up to there is shown. */
	hb__around_read(&r);
	hb__place_threads(&r);
	if (!status && r.threads)
		hb__mark_overlaps(&r);
	if (!status && r.follows)
		hb__note_pending(&r);
	free(r.functions);
	free(r.over);
	free(r.requests.at);
	free(r.request_of.at);
	free(r.spec_of.at);
	free(r.calls.at);
	free(r.sent_when.at);
	free(r.posted_when.at);
	free(r.windows.at);
	free(r.keyed_groups.at);
	return status;
}
