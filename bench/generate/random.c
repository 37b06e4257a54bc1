/* The pattern random: what a process does next is drawn, but so that the run goes on. A call that blocks with nobody
 * to end it is taken back; before a barrier everything synchronous is received; nobody waits for a synchronous
 * send of a process that waits for another with a lower rank. */
#include "sim.h"

enum { TAGS = 4, COUNTS = 4, MOST_QUEUED = 12, MOST_REQUESTS = 10, EVENTS_PER_BARRIER = 400 };
enum { START, SPLIT, BUSY, PROBED, LAST };

static void random_begin(struct sim *s)
{
	s->reversed = true;
	s->part = s->size;
}

static int32_t some_comm(struct sim *s) { return below(s, 5) ? COMM_WORLD : COMM_MADE; }

/* A message for somebody who waits for one, when there is such a process; else for anybody. */
static struct envelope some_message(struct sim *s, struct rank *r)
{
	struct envelope e = {(int32_t)below(s, s->size - 1), (int32_t)below(s, TAGS), some_comm(s),
		1 + (int32_t)below(s, COUNTS), TYPE_INT};
	e.peer += e.peer >= r->number;
	for (unsigned tries = 0; tries < 4; tries++) {
		struct rank *to = &s->rank[below(s, s->size)];
		if (to == r || to->blocked == RUNNING || to->posted_first == NOWHERE)
			continue;
		const struct envelope *asked = &to->request[to->posted_first].asked;
		if (asked->peer != HB_ANY_SOURCE && asked->peer != r->number)
			continue;
		e.peer = to->number;
		e.comm = asked->comm;
		e.tag = asked->tag == HB_ANY_TAG ? e.tag : asked->tag;
		break;
	}
	return e;
}

static bool barrier_due(const struct sim *s, const struct rank *r) { return r->step < s->barrier; }

static bool send_something(struct sim *s, struct rank *r)
{
	struct envelope e = some_message(s, r);
	uint32_t kind = below(s, 100);
	bool synchronous = !barrier_due(s, r) && s->rank[e.peer].blocked != IN_COLLECTIVE &&
			   s->rank[e.peer].step == s->barrier && s->rank[e.peer].phase == BUSY;
	if (kind < 30 && r->requests < MOST_REQUESTS)
		call_isend(s, r, &e, synchronous && kind < 8);
	else if (kind >= 90 && synchronous && e.peer > r->number)
		return call_ssend(s, r, &e);
	else
		call_send(s, r, &e);
	return true;
}

static struct envelope something(struct sim *s)
{
	return (struct envelope){
		HB_ANY_SOURCE, below(s, 3) ? (int32_t)below(s, TAGS) : HB_ANY_TAG, some_comm(s), COUNTS, TYPE_INT};
}

/* What fits the first message of the queue, more or less exactly. */
static struct envelope first_queued(struct sim *s, struct rank *r)
{
	const struct message *m = &s->pool[r->queue_first];
	bool exact = below(s, 4) == 0;
	return (struct envelope){below(s, 10) < 6 ? HB_ANY_SOURCE : m->from, below(s, 10) < 7 ? m->tag : HB_ANY_TAG,
		m->comm, exact ? m->bytes / 4 : COUNTS, TYPE_INT};
}

static bool receive_something(struct sim *s, struct rank *r)
{
	if (r->queue_first == NO_MESSAGE || below(s, 8) == 0) {
		struct envelope e = something(s);
		return call_recv(s, r, &e);
	}
	struct envelope e = first_queued(s, r);
	if (below(s, 8) == 0) {
		e.peer = HB_ANY_SOURCE;
		r->phase = PROBED;
		r->memo = (uint32_t)e.comm;
		call_probe(s, r, &e);
		return true;
	}
	return call_recv(s, r, &e);
}

static bool post_something(struct sim *s, struct rank *r)
{
	struct envelope e = r->queue_first == NO_MESSAGE || below(s, 2) ? something(s) : first_queued(s, r);
	call_irecv(s, r, &e);
	return true;
}

/* Receives the first message that its sender waits for, or one before it of the same channel. */
static bool receive_synchronous(struct sim *s, struct rank *r)
{
	int32_t at = r->queue_first;
	while (s->pool[at].request < 0)
		at = s->pool[at].next;
	const struct message *m = &s->pool[at];
	return call_recv(s, r, &(struct envelope){m->from, m->tag, m->comm, COUNTS, TYPE_INT});
}

static bool draw(struct sim *s, struct rank *r)
{
	uint32_t what = below(s, 100);
	if (r->queued > MOST_QUEUED)
		return receive_something(s, r);
	if (what < 45 || (what >= 90 && !r->requests))
		return send_something(s, r);
	if (what < 78 || r->requests >= MOST_REQUESTS)
		return r->requests >= MOST_REQUESTS && what >= 78 ? call_waitall(s, r) : receive_something(s, r);
	if (what < 90)
		return post_something(s, r);
	return what < 95 ? call_waitall(s, r) : call_waitany(s, r);
}

static bool barrier(struct sim *s, struct rank *r)
{
	if (r->queued_sync)
		return receive_synchronous(s, r);
	r->step++;
	r->phase = r->step == s->last_barrier ? LAST : BUSY;
	int32_t comm = r->step % 4 ? COMM_WORLD : COMM_MADE;
	return call_collective(s, r, &(struct call){FN_BARRIER, 1, {comm}}, comm);
}

/* After the last barrier nobody sends: what is queued is received but for some of the latest, what is posted cancelled. */
static enum step last(struct sim *s, struct rank *r)
{
	if (r->queued > (uint32_t)r->number % 3) {
		struct envelope e = first_queued(s, r);
		return call_recv(s, r, &e) ? GOES_ON : BLOCKS;
	}
	if (r->posted_first != NOWHERE) {
		call_cancel(s, r, r->posted_first);
		return GOES_ON;
	}
	if (r->requests)
		return call_waitall(s, r) ? GOES_ON : BLOCKS;
	call_simple(s, r, FN_FINALIZE);
	return IS_OVER;
}

/* Whether it is time for everybody to meet, or to end: another barrier than those told of already. */
static void want_barrier(struct sim *s)
{
	bool enough = (int64_t)s->rows >= s->events - 8 * (int64_t)s->size;
	if (s->last_barrier || (!enough && s->rows < (uint64_t)(s->barrier + 1) * EVENTS_PER_BARRIER * s->size))
		return;
	s->barrier++;
	if (enough)
		s->last_barrier = s->barrier;
}

static enum step random_step(struct sim *s, struct rank *r)
{
	struct call split = {FN_COMM_SPLIT, 3, {COMM_WORLD, 0, (int32_t)s->size - 1 - r->number}};
	bool ended;
	switch (r->phase) {
	case START:
		r->phase = SPLIT;
		call_simple(s, r, FN_INIT);
		return GOES_ON;
	case SPLIT:
		r->phase = BUSY;
		return call_collective(s, r, &split, COMM_WORLD) ? GOES_ON : BLOCKS;
	case PROBED:
		r->phase = BUSY;
		call_recv(s, r, &(struct envelope){r->source, r->tag, (int32_t)r->memo, COUNTS, TYPE_INT});
		return GOES_ON;
	case LAST:
		return last(s, r);
	default:
		want_barrier(s);
		ended = barrier_due(s, r) ? barrier(s, r) : draw(s, r);
		return ended ? GOES_ON : BLOCKS;
	}
}

const struct pattern random_pattern = {"random", random_begin, random_step, true};
