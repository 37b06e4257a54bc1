/* Messages and turns: see sim.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim.h"

enum { LATENCY = 300, COST = 60 }; /* ticks */

/* ---- turns ---- */

static void wake(struct sim *s, struct rank *r)
{
	r->blocked = RUNNING;
	s->ready[s->nready++] = (uint32_t)r->number;
}

bool sim_open(struct sim *s)
{
	s->rank = calloc(s->size, sizeof *s->rank);
	s->ready = calloc(s->size, sizeof *s->ready);
	s->meeting = calloc(s->size + 1, sizeof *s->meeting);
	s->pool_free = NO_MESSAGE;
	if (!s->rank || !s->ready || !s->meeting)
		return false;
	for (uint32_t i = 0; i < s->size; i++) {
		struct rank *r = &s->rank[i];
		if (!log_begin(&s->logs, &r->log, (int32_t)i))
			return false;
		r->number = (int32_t)i;
		r->posted_first = r->posted_last = NOWHERE;
		r->queue_first = r->queue_last = NO_MESSAGE;
		r->referred = -1;
		s->ready[s->nready++] = i;
	}
	s->pattern->begin(s);
	return true;
}

void sim_close(struct sim *s)
{
	free(s->rank);
	free(s->ready);
	free(s->meeting);
	free(s->pool);
}

static bool revoke_all(struct sim *s)
{
	for (uint32_t i = 0; s->pattern->revokes && i < s->size; i++)
		sim_revoke(s, &s->rank[i]);
	return s->nready > 0;
}

/* The communicator made, as this rank knows it. */
static void end(struct sim *s, struct rank *r)
{
	static int32_t member[MOST_RANKS];
	struct made made = {.size = s->part, .member = member};
	uint32_t first = s->part ? (uint32_t)r->number / s->part * s->part : 0;
	if (s->part > s->size - first)
		made.size = s->size - first;
	for (uint32_t i = 0; i < made.size; i++)
		member[i] = (int32_t)(s->reversed ? s->size - 1 - i : first + i);
	made.own = s->reversed ? s->size - 1 - (uint32_t)r->number : (uint32_t)r->number - first;
	s->tally.events += r->log.events;
	log_end(&s->logs, &r->log, s->part ? &made : NULL);
	s->over++;
}

bool sim_play(struct sim *s)
{
	while (s->over < s->size && !s->logs.failed) {
		if (!s->nready && !revoke_all(s)) {
			fprintf(stderr, "generate: nothing moves: %u of %u processes are over\n", s->over, s->size);
			return false;
		}
		uint32_t at = below(s, s->nready);
		struct rank *r = &s->rank[s->ready[at]];
		enum step step = GOES_ON;
		for (unsigned turns = 1 + (rnd(s) & 3); step == GOES_ON && turns; turns--)
			step = s->pattern->step(s, r);
		if (step != GOES_ON)
			s->ready[at] = s->ready[--s->nready]; /* what was woken meanwhile stands behind it */
		if (step == IS_OVER)
			end(s, r);
	}
	return !s->logs.failed;
}

/* ---- rows ---- */

static void enter(struct sim *s, struct rank *r) { r->enter = r->log.last + 40 + (rnd(s) & 255); }

static void leave(struct sim *s, struct rank *r, uint64_t not_before, const int64_t *result, uint32_t nresults)
{
	uint64_t exit = (r->enter > not_before ? r->enter : not_before) + COST + (rnd(s) & 63);
	log_row(&s->logs, &r->log, &r->call, r->enter, exit, result, nresults);
	s->rows++;
}

static int32_t rank_in(const struct sim *s, int32_t comm, int32_t world)
{
	return comm == COMM_MADE && s->reversed && world >= 0 ? (int32_t)s->size - 1 - world : world;
}

static void set_call(const struct sim *s, struct rank *r, enum function f, const struct envelope *e)
{
	r->call = (struct call){f, 5, {e->count, e->type, rank_in(s, e->comm, e->peer), e->tag, e->comm}};
}

static int32_t bytes_of(const struct envelope *e) { return e->count * (e->type == TYPE_INT ? 4 : 8); }
static bool is_wild(const struct envelope *e) { return e->peer == HB_ANY_SOURCE || e->tag == HB_ANY_TAG; }

static uint32_t put_message(const struct sim *s, const struct request *q, int64_t *to)
{
	to[0] = rank_in(s, q->asked.comm, q->source);
	to[1] = q->tag;
	to[2] = q->bytes;
	return 3;
}

static uint32_t put_reference(struct rank *r, int64_t posting, int64_t *to)
{
	*to = 2 * (posting - r->referred - 1);
	r->referred = posting;
	return 1;
}

static uint32_t put_status(const struct sim *s, struct rank *r, const struct request *q, int64_t *to)
{
	int64_t *p = to;
	if (q->kind == NULL_REQUEST) {
		*p = HB_ST_NULL;
		return 1;
	}
	bool message = q->state == DONE && q->told;
	*p++ = q->state == CANCELLED ? HB_ST_CANCELLED : message ? HB_ST_MESSAGE : HB_ST_AS_POSTED;
	p += put_reference(r, q->posting, p);
	if (message)
		p += put_message(s, q, p);
	return (uint32_t)(p - to);
}

/* ---- calls that end ---- */

static void end_recv(struct sim *s, struct rank *r)
{
	struct request *q = &r->request[BLOCKING];
	int64_t result[3];
	r->source = q->source;
	r->tag = q->tag;
	leave(s, r, q->when, result, q->told ? put_message(s, q, result) : 0);
}

static void end_waitall(struct sim *s, struct rank *r)
{
	int64_t result[REQUESTS * 5];
	uint32_t n = 0;
	uint64_t latest = 0;
	for (uint32_t i = 0; i < r->requests; i++) {
		struct request *q = &r->request[i];
		n += put_status(s, r, q, result + n);
		if (q->kind != NULL_REQUEST && q->when > latest)
			latest = q->when;
	}
	r->requests = 0;
	leave(s, r, latest, result, n);
}

static void end_waitany(struct sim *s, struct rank *r)
{
	struct request *first = NULL;
	uint32_t pending = 0;
	for (uint32_t i = 0; i < r->requests; i++) {
		struct request *q = &r->request[i];
		if (q->kind != NULL_REQUEST && q->state != PENDING && (!first || q->when < first->when))
			first = q;
		pending += q->kind != NULL_REQUEST;
	}
	int64_t result[6] = {first - r->request};
	uint32_t n = 1 + put_status(s, r, first, result + 1);
	first->kind = NULL_REQUEST;
	if (pending == 1)
		r->requests = 0;
	leave(s, r, first->when, result, n);
}

static void request_done(struct sim *s, struct rank *r, uint32_t number)
{
	switch (r->blocked) {
	case IN_RECV:
		if (number != BLOCKING)
			return;
		end_recv(s, r);
		break;
	case IN_SSEND:
		if (number != BLOCKING)
			return;
		leave(s, r, r->request[BLOCKING].when, NULL, 0);
		break;
	case IN_WAITALL:
		if (--r->missing)
			return;
		end_waitall(s, r);
		break;
	case IN_WAITANY:
		end_waitany(s, r);
		break;
	default:
		return;
	}
	wake(s, r);
}

/* ---- matching ---- */

static bool matches(const struct envelope *asked, int32_t from, int32_t tag, int32_t comm)
{
	return asked->comm == comm && (asked->peer == HB_ANY_SOURCE || asked->peer == from) &&
	       (asked->tag == HB_ANY_TAG || asked->tag == tag);
}

/* Says so to a synchronous sender, but not yet to the receiver. */
static void match(struct sim *s, struct rank *to, struct request *q, const struct message *m)
{
	q->state = DONE;
	q->source = m->from;
	q->tag = m->tag;
	q->bytes = m->bytes;
	q->told = is_wild(&q->asked) || m->bytes != bytes_of(&q->asked);
	q->when = (m->sent > q->posted ? m->sent : q->posted) + LATENCY;
	s->tally.matched++;
	s->tally.wildcards += q->asked.peer == HB_ANY_SOURCE;
	s->tally.digest += pair_digest((uint32_t)m->from, m->event, (uint32_t)to->number, q->event);
	if (m->request >= 0) {
		struct rank *from = &s->rank[m->from];
		from->request[m->request].state = DONE;
		from->request[m->request].when = q->when;
		request_done(s, from, (uint32_t)m->request);
	}
}

static void unlink_posted(struct rank *r, uint8_t before, uint8_t at)
{
	uint8_t next = r->request[at].next;
	if (before == NOWHERE)
		r->posted_first = next;
	else
		r->request[before].next = next;
	if (r->posted_last == at)
		r->posted_last = before;
}

static bool take_message(struct sim *s, struct message **ret)
{
	if (s->pool_free == NO_MESSAGE) {
		int32_t size = s->pool_size ? s->pool_size * 2 : 4096;
		struct message *more = realloc(s->pool, (size_t)size * sizeof *more);
		if (!more) {
			s->logs.failed = true;
			return false;
		}
		for (int32_t i = size; i-- > s->pool_size;) {
			more[i].next = s->pool_free;
			s->pool_free = i;
		}
		s->pool = more;
		s->pool_size = size;
	}
	*ret = &s->pool[s->pool_free];
	s->pool_free = (*ret)->next;
	return true;
}

static void deliver(struct sim *s, struct rank *r, const struct envelope *e, int32_t request)
{
	struct message m = {NO_MESSAGE, r->number, e->tag, e->comm, bytes_of(e), (uint32_t)r->log.events + 1, request,
			       r->enter},
		       *kept;
	struct rank *to = &s->rank[e->peer];
	s->tally.sends++;
	uint8_t before = NOWHERE;
	for (uint8_t at = to->posted_first; at != NOWHERE; before = at, at = to->request[at].next)
		if (matches(&to->request[at].asked, m.from, m.tag, m.comm)) {
			unlink_posted(to, before, at);
			match(s, to, &to->request[at], &m);
			request_done(s, to, at);
			return;
		}
	if (!take_message(s, &kept))
		return;
	*kept = m;
	int32_t place = (int32_t)(kept - s->pool);
	if (to->queue_first == NO_MESSAGE)
		to->queue_first = place;
	else
		s->pool[to->queue_last].next = place;
	to->queue_last = place;
	to->queued++;
	to->queued_sync += request >= 0;
}

/* The first message of the queue that matches, and the one before it; NO_MESSAGE: none. */
static int32_t search(const struct sim *s, const struct rank *r, const struct envelope *e, int32_t *ret_before)
{
	*ret_before = NO_MESSAGE;
	for (int32_t at = r->queue_first; at != NO_MESSAGE; *ret_before = at, at = s->pool[at].next)
		if (matches(e, s->pool[at].from, s->pool[at].tag, s->pool[at].comm))
			return at;
	return NO_MESSAGE;
}

/* Fills a request with a message that is there, or posts it. */
static void post(struct sim *s, struct rank *r, uint8_t number, const struct envelope *e)
{
	struct request *q = &r->request[number];
	*q = (struct request){.kind = RECEIVING,
		.next = NOWHERE,
		.event = (uint32_t)r->log.events + 1,
		.asked = *e,
		.posted = r->enter};
	s->tally.receives++;
	int32_t before, at = search(s, r, e, &before);
	if (at == NO_MESSAGE) {
		if (r->posted_first == NOWHERE)
			r->posted_first = number;
		else
			r->request[r->posted_last].next = number;
		r->posted_last = number;
		return;
	}
	struct message m = s->pool[at];
	if (before == NO_MESSAGE)
		r->queue_first = m.next;
	else
		s->pool[before].next = m.next;
	if (r->queue_last == at)
		r->queue_last = before;
	r->queued--;
	r->queued_sync -= m.request >= 0;
	s->pool[at].next = s->pool_free;
	s->pool_free = at;
	match(s, r, q, &m);
}

static void remove_posted(struct rank *r, uint8_t number)
{
	uint8_t before = NOWHERE, at = r->posted_first;
	while (at != number) {
		before = at;
		at = r->request[at].next;
	}
	unlink_posted(r, before, at);
}

/* ---- calls ---- */

void call_simple(struct sim *s, struct rank *r, enum function f)
{
	enter(s, r);
	r->call = (struct call){.function = f};
	leave(s, r, 0, NULL, 0);
}

void call_send(struct sim *s, struct rank *r, const struct envelope *e)
{
	enter(s, r);
	deliver(s, r, e, -1);
	set_call(s, r, FN_SEND, e);
	leave(s, r, 0, NULL, 0);
}

bool call_ssend(struct sim *s, struct rank *r, const struct envelope *e)
{
	enter(s, r);
	set_call(s, r, FN_SSEND, e);
	r->request[BLOCKING] = (struct request){.kind = SENDING};
	deliver(s, r, e, BLOCKING);
	if (r->request[BLOCKING].state == PENDING) {
		r->blocked = IN_SSEND;
		return false;
	}
	leave(s, r, r->request[BLOCKING].when, NULL, 0);
	return true;
}

void call_isend(struct sim *s, struct rank *r, const struct envelope *e, bool synchronous)
{
	uint32_t number = r->requests++;
	enter(s, r);
	r->request[number] = (struct request){.kind = SENDING, .state = synchronous ? PENDING : DONE, .when = r->enter};
	r->request[number].posting = r->postings++;
	deliver(s, r, e, synchronous ? (int32_t)number : -1);
	set_call(s, r, synchronous ? FN_ISSEND : FN_ISEND, e);
	leave(s, r, 0, NULL, 0);
}

bool call_recv(struct sim *s, struct rank *r, const struct envelope *e)
{
	enter(s, r);
	set_call(s, r, FN_RECV, e);
	post(s, r, BLOCKING, e);
	if (r->request[BLOCKING].state == PENDING) {
		r->blocked = IN_RECV;
		return false;
	}
	end_recv(s, r);
	return true;
}

void call_irecv(struct sim *s, struct rank *r, const struct envelope *e)
{
	uint32_t number = r->requests++;
	enter(s, r);
	post(s, r, (uint8_t)number, e);
	r->request[number].posting = r->postings++;
	set_call(s, r, FN_IRECV, e);
	leave(s, r, 0, NULL, 0);
}

void call_probe(struct sim *s, struct rank *r, const struct envelope *e)
{
	int32_t before, at = search(s, r, e, &before);
	struct request q = {
		.asked = *e, .source = s->pool[at].from, .tag = s->pool[at].tag, .bytes = s->pool[at].bytes};
	int64_t result[3];
	enter(s, r);
	r->source = q.source;
	r->tag = q.tag;
	r->call = (struct call){FN_PROBE, 3, {rank_in(s, e->comm, e->peer), e->tag, e->comm}};
	s->tally.probes++;
	s->tally.wildcards += e->peer == HB_ANY_SOURCE;
	leave(s, r, s->pool[at].sent + LATENCY, result, put_message(s, &q, result));
}

void call_cancel(struct sim *s, struct rank *r, uint32_t request)
{
	int64_t result[1];
	enter(s, r);
	remove_posted(r, (uint8_t)request);
	r->request[request].state = CANCELLED;
	r->request[request].when = r->enter;
	s->tally.cancelled++;
	r->call = (struct call){.function = FN_CANCEL};
	leave(s, r, 0, result, put_reference(r, r->request[request].posting, result));
}

/* Whether so many requests that are not null wait for something. */
static uint32_t pending(const struct rank *r, uint32_t *ret_done)
{
	uint32_t n = 0;
	*ret_done = 0;
	for (uint32_t i = 0; i < r->requests; i++)
		if (r->request[i].kind != NULL_REQUEST) {
			n += r->request[i].state == PENDING;
			*ret_done += r->request[i].state != PENDING;
		}
	return n;
}

static void begin_wait(struct sim *s, struct rank *r, enum function f)
{
	enter(s, r);
	r->call = (struct call){f, 1, {(int32_t)r->requests}};
}

bool call_waitall(struct sim *s, struct rank *r)
{
	uint32_t done;
	begin_wait(s, r, FN_WAITALL);
	r->missing = pending(r, &done);
	if (!r->missing) {
		end_waitall(s, r);
		return true;
	}
	r->blocked = IN_WAITALL;
	return false;
}

bool call_waitany(struct sim *s, struct rank *r)
{
	uint32_t done;
	begin_wait(s, r, FN_WAITANY);
	pending(r, &done);
	if (done) {
		end_waitany(s, r);
		return true;
	}
	r->blocked = IN_WAITANY;
	return false;
}

bool call_collective(struct sim *s, struct rank *r, const struct call *call, int32_t comm)
{
	bool parts = comm == COMM_MADE && s->part < s->size;
	uint32_t part = parts ? (uint32_t)r->number / s->part : 0;
	uint32_t first = parts ? part * s->part : 0, n = parts ? s->part : s->size;
	if (n > s->size - first)
		n = s->size - first;
	struct meeting *meeting = &s->meeting[comm == COMM_MADE ? 1 + part : 0];
	enter(s, r);
	r->call = *call;
	r->blocked = IN_COLLECTIVE;
	if (r->enter > meeting->latest)
		meeting->latest = r->enter;
	if (++meeting->arrived < n)
		return false;
	for (uint32_t i = first; i < first + n; i++) {
		struct rank *member = &s->rank[i];
		int64_t made = COMM_MADE;
		leave(s, member, meeting->latest + LATENCY, &made, member->call.function == FN_COMM_SPLIT);
		if (member != r)
			wake(s, member);
	}
	r->blocked = RUNNING;
	*meeting = (struct meeting){0};
	s->tally.collectives++;
	return true;
}

bool sim_revoke(struct sim *s, struct rank *r)
{
	switch (r->blocked) {
	case IN_RECV:
		remove_posted(r, BLOCKING);
		s->tally.receives--;
		break;
	case IN_WAITALL:
	case IN_WAITANY:
		break;
	default:
		return false;
	}
	wake(s, r);
	return true;
}
