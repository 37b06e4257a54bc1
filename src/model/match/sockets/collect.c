/* The pass of its own: the events of the layer of all processes, as pieces of streams, datagrams, and calls that make processes. */
#include "model/match/sockets/sockets.h"

struct collecting {
	struct hb__sockets *s;
	uint32_t process;
	const hb_log *log;
	double origin, tick;
	const hb_event *event;
	uint32_t line, talk; /* talk HB_NO: none yet for the event at hand */
	bool inside;
	bool selects;                     /* the process asked which ends are ready */
	VEC(uint32_t) end_of, address_of; /* by number of the text; HB_NO: not looked up */
};

static int64_t ns(const struct collecting *c, uint64_t ticks) { return (int64_t)(c->origin + (double)ticks * c->tick); }

static uint32_t talk(struct collecting *c)
{
	const hb_row *row = c->event->row;
	struct hb__talk t = {
		c->line, (uint32_t)row->number, ns(c, row->enter), c->inside ? INT64_MAX : ns(c, row->exit)};
	if (c->talk != HB_NO)
		return c->talk;
	if (c->s->talks.n >= HB_NO || !VEC_PUSH(&c->s->talks, t)) {
		c->s->no_memory = true;
		return 0;
	}
	return c->talk = (uint32_t)c->s->talks.n - 1;
}

/* The place of a text in a list by numbers; NULL: there is no such text. */
static uint32_t *place_of(struct collecting *c, int64_t text, bool address)
{
	if (text < 0 || text >= HB_NO || !hb_log_text(c->log, (uint32_t)text))
		return NULL;
	uint32_t **at = address ? &c->address_of.at : &c->end_of.at;
	size_t *n = address ? &c->address_of.n : &c->end_of.n;
	size_t *room = address ? &c->address_of.room : &c->end_of.room;
	if ((size_t)text >= *n) {
		if (!HB_GROW(*at, *room, (size_t)text + 1)) {
			c->s->no_memory = true;
			return NULL;
		}
		memset(*at + *n, 0xff, ((size_t)text + 1 - *n) * sizeof **at);
		*n = (size_t)text + 1;
	}
	return &(*at)[text];
}

static uint32_t end_numbered(struct collecting *c, int64_t text)
{
	uint32_t *at = place_of(c, text, false);
	if (at && *at == HB_NO)
		*at = hb__socket_end(c->s, c->process, hb_log_text(c->log, (uint32_t)text));
	return at ? *at : HB_NO;
}

static uint32_t address_numbered(struct collecting *c, int64_t text)
{
	uint32_t *at = place_of(c, text, true);
	if (at && *at == HB_NO) {
		const char *name = hb_log_text(c->log, (uint32_t)text);
		*at = hb__socket_address(c->s, c->s->network_of[c->process], name, strlen(name));
	}
	return at ? *at : HB_NO;
}

static uint32_t own_end(struct collecting *c) { return end_numbered(c, hb_event_argument(c->event, "end")); }

static void piece(struct collecting *c, uint32_t end, enum hb__piece_kind kind, uint64_t amount, uint64_t bytes)
{
	const struct hb__socket_end *e = end == HB_NO ? NULL : &c->s->ends.at[end];
	if (!e || e->connection == HB_NO)
		return;
	c->s->connections.at[e->connection].paired |= kind == HB__PAIRED;
	struct hb__piece p = {.connection = e->connection,
		.talk = talk(c),
		.amount = amount,
		.bytes = bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX,
		.side = e->side,
		.kind = (uint8_t)kind};
	if (e->kind == HB__END_PIPE || e->kind == HB__END_FIFO) /* it has one name: who takes out is the other side */
		p.side = kind == HB__IN || kind == HB__END_SEEN || (kind == HB__PAIRED && amount);
	p.time = kind == HB__ACCEPTED ? hb__talk_of(c->s, p.talk)->exit : hb__talk_of(c->s, p.talk)->enter;
	if (!VEC_PUSH(&c->s->pieces, p))
		c->s->no_memory = true;
}

/* Kept only of processes that ask which ends are ready. */
static void use(struct collecting *c, uint32_t end, enum hb__use_kind kind)
{
	struct hb__use u = {.end = end, .process = c->process, .kind = (uint8_t)kind};
	if (end == HB_NO || c->inside)
		return;
	struct hb__socket_end *e = &c->s->ends.at[end];
	if (kind == HB__TOOK) {
		e->takers |= e->taker != HB_NO && e->taker != c->process;
		e->taker = c->process;
	}
	u.talk = talk(c);
	u.ready = (uint32_t)c->s->ready.n - 1;
	if (!VEC_PUSH(&c->s->uses, u))
		c->s->no_memory = true;
}

/* A call came to the limit of its time. */
static void timed_out(struct collecting *c)
{
	if (!VEC_PUSH(&c->s->m->timeouts, ((hb_at){c->line, (uint32_t)c->event->row->number})))
		c->s->no_memory = true;
}
#define TIMED_OUT(result) ((result) == -11 /* EAGAIN */ || (result) == -110 /* ETIMEDOUT */)

/* ---- streams ---- */

static void on_bytes(struct collecting *c, bool out)
{
	uint32_t end = own_end(c);
	int64_t bytes = c->inside ? HB_ABSENT : hb_event_value(c->event, "bytes");
	int64_t asked = c->inside ? 0 : hb_event_value(c->event, "asked");
	if (!out)
		use(c, end, HB__TOOK);
	if (!out && !c->inside && TIMED_OUT(bytes))
		timed_out(c);
	if (c->inside && end != HB_NO && c->s->ends.at[end].connection != HB_NO &&
		!VEC_PUSH(&c->s->stuck, ((struct hb__stuck){talk(c), end})))
		c->s->no_memory = true;
	if (c->inside && out)
		piece(c, end, HB__OUT, HB__UNTOLD, 0);
	else if (bytes > 0)
		piece(c, end, out ? HB__OUT : HB__IN, (uint64_t)bytes, (uint64_t)bytes);
	else if (bytes == 0 && asked > 0 && !out)
		piece(c, end, HB__END_SEEN, 0, 0);
}

static void made(struct collecting *c, int64_t text, enum hb__piece_kind kind, uint64_t amount)
{
	uint32_t end = end_numbered(c, text);
	piece(c, end, kind, amount, 0);
	use(c, end, HB__MADE);
}

static bool known_error(int64_t result) { return result == -115 /* EINPROGRESS: it will be */; }

static void on_connection(struct collecting *c)
{
	const hb_event *e = c->event;
	int64_t result = c->inside ? 0 : hb_event_value(e, "result");
	uint32_t end = own_end(c);
	if (e->means->cls == HB_CONNECTION && e->means->does != HB_DOES_END_OUT)
		use(c, end, e->means->does == HB_DOES_ACCEPT ? HB__TOOK : HB__MADE);
	switch (e->means->does) {
	case HB_DOES_CONNECT:
		if (result == 0 || known_error(result))
			piece(c, end, HB__CONNECTS, result == 0 && !c->inside, 0);
		return;
	case HB_DOES_ACCEPT:
		if (result >= 0 && !c->inside && end != HB_NO)
			made(c, hb_event_value(e, "new"), HB__ACCEPTED, end);
		return;
	case HB_DOES_LISTEN:
		if (end == HB_NO || result)
			return;
		c->s->ends.at[end].listen = c->s->ends.at[end].listens++ ? c->s->ends.at[end].listen : talk(c);
		if (!VEC_PUSH(&c->s->listens, talk(c)) || !VEC_PUSH(&c->s->listen_ends, end))
			c->s->no_memory = true;
		return;
	case HB_DOES_END_OUT:
		if (!result && hb_event_value(e, "how") > 0)
			piece(c, end, HB__SHUT, 0, 0);
		return;
	case HB_DOES_CLOSE:
		piece(c, end, HB__CLOSED, 0, 0);
		return;
	case HB_DOES_PAIR:
		if (!result && !c->inside) {
			made(c, hb_event_value(e, "first"), HB__PAIRED, 0);
			made(c, hb_event_value(e, "second"), HB__PAIRED, 1);
		}
		return;
	default:
		return;
	}
}

/* ---- datagrams ---- */

static void datagram(struct collecting *c, uint32_t end, bool out, const int64_t *told, uint32_t place)
{
	uint32_t peer = address_numbered(c, told[2]);
	const struct hb__socket_end *e = &c->s->ends.at[end];
	peer = peer == HB_NO ? e->peer : peer;
	struct hb__datagram d = {.hash = (uint64_t)told[1],
		.talk = talk(c),
		.end = end,
		.process = c->process,
		.place = place,
		.from = out ? e->own : peer,
		.to = out ? peer : e->own,
		.bytes = (uint32_t)told[0],
		.pair = HB_NO};
	d.time = out ? hb__talk_of(c->s, d.talk)->enter : hb__talk_of(c->s, d.talk)->exit;
	if (!(out ? VEC_PUSH(&c->s->out, d) : VEC_PUSH(&c->s->in, d)))
		c->s->no_memory = true;
}

/* An error that is told of an end is of what was sent from it before. */
static void refused(struct collecting *c, uint32_t end)
{
	struct hb__socket_end *e = &c->s->ends.at[end];
	if (e->sent == HB_NO || hb__talker(c->s, e->sent) != c->process)
		return;
	const struct hb__talk *sent = hb__talk_of(c->s, e->sent);
	hb_refused r = {{sent->line, sent->event}, {c->line, (uint32_t)c->event->row->number}, e->name};
	e->sent = HB_NO; /* it is told once */
	if (!VEC_PUSH(&c->s->m->refused, r))
		c->s->no_memory = true;
}
#define REFUSED (-111) /* ECONNREFUSED */

/* bytes, hash and peer, again and again. In order, through a connection, they are pieces of a stream of packets. */
static void on_datagrams(struct collecting *c, bool out)
{
	const hb_row *row = c->event->row;
	uint32_t end = c->inside ? HB_NO : own_end(c);
	if (end == HB_NO || c->event->function->nvalues != 3)
		return;
	use(c, end, out ? HB__SENT : HB__TOOK);
	if (!out && row->nresults && TIMED_OUT(row->results[0]))
		timed_out(c);
	if (row->nresults && row->results[0] == REFUSED)
		refused(c, end);
	for (uint32_t i = 0; i + 3 <= row->nresults; i += 3) {
		const int64_t *told = row->results + i;
		if (told[0] < 0 || told[0] > UINT32_MAX)
			return;
		if (c->s->ends.at[end].connection != HB_NO)
			piece(c, end, out ? HB__OUT : HB__IN, 1, (uint64_t)told[0]);
		else if (c->s->ends.at[end].kind == HB__END_DATAGRAM)
			datagram(c, end, out, told, i / 3);
	}
	if (out && row->nresults && row->results[0] >= 0)
		c->s->ends.at[end].sent = talk(c);
}

/* ---- what is ready ---- */

/* count, and then descriptor, events and end, again and again. What may be written only is no answer to anything that came. */
static void on_ready(struct collecting *c)
{
	enum { IN = 1, HUP = 16 };
	const hb_row *row = c->event->row;
	if (c->inside || !row->nresults || row->results[0] < 0 || c->event->function->nvalues != 4)
		return;
	if (!row->results[0])
		timed_out(c);
	c->selects = true;
	struct hb__ready ready = {talk(c), HB_NO, 0, HB_NO, HB_NO};
	uint32_t n = 0;
	for (uint32_t i = 1; i + 3 <= row->nresults; i += 3) {
		uint32_t end = end_numbered(c, row->results[i + 2]);
		if (!(row->results[i + 1] & (IN | HUP)) || end == HB_NO)
			continue;
		if (!VEC_PUSH(&c->s->ready, ready))
			c->s->no_memory = true;
		use(c, end, HB__SAID);
		n++;
	}
	if (!n && !VEC_PUSH(&c->s->ready, ready))
		c->s->no_memory = true;
}

/* ---- processes ---- */

static void on_family(struct collecting *c, bool makes)
{
	int64_t pid = c->inside ? 0 : hb_event_value(c->event, "pid");
	struct hb__family_call f = {HB_NO, c->process, pid};
	if (pid <= 0)
		return;
	f.talk = talk(c);
	if (!(makes ? VEC_PUSH(&c->s->forks, f) : VEC_PUSH(&c->s->waits, f)))
		c->s->no_memory = true;
}

static void on_event(struct collecting *c)
{
	const hb_event *e = c->event;
	c->talk = HB_NO;
	if (!HB_IS_SOCKET(e->means->cls) || (e->malformed && !c->inside))
		return;
	switch (e->means->does) {
	case HB_DOES_BYTES_OUT:
	case HB_DOES_BYTES_IN:
		on_bytes(c, e->means->does == HB_DOES_BYTES_OUT);
		return;
	case HB_DOES_DATAGRAM_OUT:
	case HB_DOES_DATAGRAM_IN:
		on_datagrams(c, e->means->does == HB_DOES_DATAGRAM_OUT);
		return;
	case HB_DOES_SELECT:
		on_ready(c);
		return;
	case HB_DOES_FORK:
	case HB_DOES_WAIT_CHILD:
		on_family(c, e->means->does == HB_DOES_FORK);
		return;
	default:
		on_connection(c);
		return;
	}
}

static hb_status collect(struct hb__sockets *s, uint32_t process, hb_error *err)
{
	const hb_process *p = &s->m->processes.at[process];
	const hb_log_info *info = hb_log_get_info(p->log);
	struct collecting c = {
		.s = s, .process = process, .log = p->log, .origin = (double)info->origin_mono, .tick = info->tick_ns};
	const size_t uses = s->uses.n;
	struct hb__stream *stream = hb__stream_open(s->m, process, err);
	int got = stream ? 1 : HB_E_DAMAGED;
	if (!stream && err && err->status)
		got = (int)err->status;
	while (stream && !s->no_memory && (got = hb__stream_next(stream, &c.event, &c.line, err)) == 1) {
		c.inside = c.event->row->exit == UINT64_MAX;
		if (!c.inside)
			s->last[c.line] = (struct hb__last){(uint32_t)c.event->row->number, ns(&c, c.event->row->exit)};
		on_event(&c);
	}
	if (stream)
		hb__stream_close(stream);
	s->uses.n = c.selects ? s->uses.n : uses;
	free(c.end_of.at);
	free(c.address_of.at);
	/* a log that breaks off is told when it is read; what was read up to there counts */
	return s->no_memory ? hb__no_memory(err) : got < 0 ? (hb_status)got : HB_OK;
}

hb_status hb__collect_sockets(struct hb__sockets *s, hb_error *err)
{
	hb_status status = HB_OK;
	for (uint32_t i = 0; i < s->m->processes.n && !status; i++) {
		const hb_log *log = s->m->processes.at[i].log;
		if (!log)
			continue;
		if (!hb__place_network(s, i))
			return hb__no_memory(err);
		if (hb__has_sockets(log))
			status = collect(s, i, err);
	}
	return status;
}
