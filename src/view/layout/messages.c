/* Messages. Those of a line are in the order of their sends; of each 64 it is known between which times they arrive, so
 * that those which only cross a window are found without looking at all. Which of too many are drawn: the longest of each
 * 2, 4, 8, ... of a line. */
#include <stdlib.h>
#include <string.h>

#include "view/layout/parts.h"

/* ---- the other end ---- */

/* x on an axis as a number of 32 bits that never goes down when x goes up. */
static uint32_t grain(const hb_layout *l, hb_axis axis, double x)
{
	double g = axis == HB_AXIS_LOGICAL ? x : (x - l->from[axis]) * l->grain;
	return g <= 0 ? 0 : g >= UINT32_MAX ? UINT32_MAX : (uint32_t)g;
}

/* Where a message was received; event 0: it was not, or it is not known where. */
static hb_at end_of(const hb_layout *l, uint32_t send)
{
	const hb_model *m = l->model;
	const hb_send *s = &hb_model_sends(m)[send];
	hb_at none = {HB_NO, 0};
	uint32_t dest = hb_model_channels(m)[s->channel].dest;
	if (dest != HB_NO && hb_model_processes(m)[dest].nlines)
		none.line = hb_model_processes(m)[dest].first_line;
	if (s->receive == HB_NO)
		return none;
	hb_at done = hb_receive_done(m, s->receive);
	if (done.event)
		return done;
	none.line = hb_receive_post(m, s->receive).line;
	return none;
}

static double arrival(const hb_layout *l, hb_axis axis, uint32_t send, hb_at *ret_at)
{
	hb_at from = hb_send_at(l->model, send);
	*ret_at = end_of(l, send);
	return ret_at->event ? hb__exit(&l->track[ret_at->line], axis, ret_at->event - 1)
			     : hb__enter(&l->track[from.line], axis, from.event - 1);
}

/* ---- building ---- */

struct rival {
	uint32_t k;
	float length;
};

/* The longest of each 2, of these the longest of each two, ... */
static void rank(struct hb__sent *s, hb_axis axis, struct rival *rival)
{
	uint32_t n = s->n;
	for (uint32_t level = 1; level < HB__LEVELS && n; level++) {
		uint32_t winners = 0;
		for (uint32_t i = 0; i < n; i += 2) {
			struct rival r = rival[i];
			if (i + 1 < n && rival[i + 1].length > r.length)
				r = rival[i + 1];
			rival[winners++] = r;
			s->to[r.k] = (s->to[r.k] & ~(15u << (24 + 4 * axis))) | level << (24 + 4 * axis);
			if (level == 6)
				s->reach[r.k / HB__BLOCK].longest[axis] = (uint8_t)(r.k % HB__BLOCK);
		}
		n = winners == 1 && level >= 6 ? 0 : winners;
	}
}

static void fill(hb_layout *l, uint32_t line, hb_axis axis, struct rival *rival)
{
	const struct hb__track *t = &l->track[line];
	struct hb__sent *s = &l->track[line].sent;
	const hb_send *sends = hb_model_sends(l->model);
	for (uint32_t k = 0; k < s->n; k++) {
		hb_at end;
		uint32_t id = hb__sent_id(s, k);
		double there = arrival(l, axis, id, &end), here = hb__enter(t, axis, sends[id].event - 1);
		uint32_t g = s->arrives[axis][k] = grain(l, axis, there);
		struct hb__reach *r = &s->reach[k / HB__BLOCK];
		if (k % HB__BLOCK == 0 || g < r->low[axis])
			r->low[axis] = g;
		if (k % HB__BLOCK == 0 || g > r->high[axis])
			r->high[axis] = g;
		if (axis == 0)
			s->to[k] = end.line == HB_NO ? HB__NOWHERE : end.line;
		rival[k] = (struct rival){k, (float)(there > here ? there - here : here - there)};
	}
	rank(s, axis, rival);
}

/* Finds the sends of a line. Those of a process follow each other, unless it has several lines. */
static bool list(hb_layout *l, uint32_t line)
{
	const hb_send *sends = hb_model_sends(l->model);
	struct hb__sent *s = &l->track[line].sent;
	uint64_t nops;
	uint32_t n = 0, all = 0;
	const hb_op *op = hb_model_ops(l->model, line, &nops);
	bool plain = true;
	for (uint64_t i = 0; i < nops; i++) {
		if (op[i].kind != HB_OP_SEND)
			continue;
		if (!all++)
			s->first = op[i].id;
		bool gone = sends[op[i].id].flags & HB_CANCELLED;
		plain = plain && !gone && op[i].id == s->first + n;
		n += !gone;
	}
	s->n = n;
	s->to = calloc((size_t)n + 1, sizeof *s->to);
	s->reach = calloc((size_t)n / HB__BLOCK + 1, sizeof *s->reach);
	s->id = plain ? NULL : malloc(((size_t)n + 1) * sizeof *s->id);
	for (int axis = 0; axis < HB__AXES; axis++)
		s->arrives[axis] = malloc(((size_t)n + 1) * sizeof *s->arrives[axis]);
	if (!s->to || !s->reach || (!plain && !s->id) || !s->arrives[0] || !s->arrives[1])
		return false;
	n = 0;
	for (uint64_t i = 0; i < nops && !plain; i++)
		if (op[i].kind == HB_OP_SEND && !(sends[op[i].id].flags & HB_CANCELLED))
			s->id[n++] = op[i].id;
	return true;
}

bool hb__messages_build(hb_layout *l)
{
	for (uint32_t line = 0; line < l->info->lines; line++) {
		if (!list(l, line))
			return false;
		struct rival *rival = malloc(((size_t)l->track[line].sent.n + 1) * sizeof *rival);
		if (!rival)
			return false;
		for (int axis = 0; axis < HB__AXES; axis++)
			fill(l, line, (hb_axis)axis, rival);
		free(rival);
	}
	return true;
}

uint32_t hb__sent_place(const hb_layout *l, uint32_t send)
{
	const hb_send *e = &hb_model_sends(l->model)[send];
	const struct hb__sent *s = &l->track[e->line].sent;
	if (!s->id)
		return send - s->first < s->n ? send - s->first : HB_NO;
	uint32_t low = 0, high = s->n;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (s->id[mid] < send)
			low = mid + 1;
		else
			high = mid;
	}
	return low < s->n && s->id[low] == send ? low : HB_NO;
}

/* ---- what is in a window ---- */

struct sweep {
	struct hb__query *q;
	uint32_t from_grain, to_grain;
	uint32_t line;
	const struct hb__track *t;
	const struct hb__bits *bits;   /* NULL: all are wanted */
	uint64_t at_least[HB__LEVELS]; /* messages of this level or more */
	uint32_t level;                /* to be drawn */
	uint64_t every, lower; /* of the messages one level lower, each so many-th too; 0: none. So many came by */
	bool draw, full, no_memory;
	size_t room;
};

/* The first message that was sent by event `event` (from 0) or later. */
static uint32_t sent_from(const struct sweep *w, uint32_t event)
{
	const hb_send *sends = hb_model_sends(w->q->layout->model);
	uint32_t low = 0, high = w->t->sent.n;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (sends[hb__sent_id(&w->t->sent, mid)].event - 1 < event)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static double exact(const struct sweep *w, uint32_t k)
{
	hb_at at;
	return arrival(w->q->layout, w->q->axis, hb__sent_id(&w->t->sent, k), &at);
}

static bool arrives_in_time(const struct sweep *w, uint32_t k)
{
	uint32_t g = w->t->sent.arrives[w->q->axis][k];
	return g != w->from_grain ? g > w->from_grain : exact(w, k) >= w->q->from;
}

static bool arrives_early(const struct sweep *w, uint32_t k)
{
	uint32_t g = w->t->sent.arrives[w->q->axis][k];
	return g != w->to_grain ? g < w->to_grain : exact(w, k) <= w->q->to;
}

/* How many messages stand behind one that is drawn. */
static uint32_t stands_for(const struct sweep *w, uint32_t k)
{
	uint32_t n = w->t->sent.n, first = k >> w->level << w->level, size = 1u << w->level;
	uint32_t end = n - first > size ? first + size : n;
	return w->bits ? hb__bits_before(w->bits, end) - hb__bits_before(w->bits, first) : end - first;
}

static void draw(struct sweep *w, uint32_t k)
{
	hb_layout *l = w->q->layout;
	hb_picture *p = w->q->picture;
	uint32_t id = hb__sent_id(&w->t->sent, k);
	const hb_send *s = &hb_model_sends(l->model)[id];
	hb_at to;
	double there = arrival(l, w->q->axis, id, &to);
	if (p->narrows >= w->q->most)
		w->full = true;
	else if (!hb__room((void **)&p->arrows, &w->room, p->narrows + 1, sizeof *p->arrows))
		w->full = w->no_memory = true;
	if (w->full)
		return;
	uint8_t flags = (s->flags & HB_SYNCHRONOUS ? HB_ARROW_SYNCHRONOUS : 0) |
			(s->flags & HB_AMBIGUOUS ? HB_ARROW_AMBIGUOUS : 0) | (to.event ? 0 : HB_ARROW_UNMATCHED);
	p->arrows[p->narrows++] = (hb_arrow){.from = hb_send_at(l->model, id),
		.to = to,
		.x0 = hb__enter(w->t, w->q->axis, s->event - 1),
		.x1 = there,
		.send = id,
		.merged = stands_for(w, k),
		.flags = flags};
}

/* A message that touches the window: is it wanted? */
static void take(struct sweep *w, uint32_t k)
{
	const struct hb__query *q = w->q;
	uint32_t word = w->t->sent.to[k], to = HB__TO(word);
	if (w->bits && !hb__bit(w->bits, k))
		return;
	if (to != HB__NOWHERE ? q->hidden[to] || (!q->wanted[w->line] && !q->wanted[to]) : !q->wanted[w->line])
		return;
	uint32_t level = HB__LEVEL(word, q->axis);
	if (!w->draw)
		w->at_least[level]++;
	else if (level >= w->level || (w->every && level + 1 == w->level && w->lower++ % w->every == 0))
		draw(w, k);
}

/* Those that begin in the window all touch it: where none is to be left out they need not be looked at. */
static void take_inside(struct sweep *w, uint32_t from, uint32_t to)
{
	const struct hb__query *q = w->q;
	bool all = q->wanted[w->line] && !q->any_hidden && !w->bits;
	if (all && !w->draw) {
		uint32_t n = to - from;
		for (uint32_t level = 0; level + 1 < HB__LEVELS; level++)
			w->at_least[level] += (n >> level) - (n >> (level + 1));
		w->at_least[HB__LEVELS - 1] += n >> (HB__LEVELS - 1);
		return;
	}
	if (!all || w->level < 6 || w->every) {
		for (uint32_t k = from; k < to && !w->full; k++)
			take(w, k);
		return;
	}
	for (uint32_t b = from / HB__BLOCK; b * HB__BLOCK < to && !w->full; b++) {
		uint32_t k = b * HB__BLOCK + w->t->sent.reach[b].longest[q->axis];
		if (k >= from && k < to)
			take(w, k);
	}
}

static void sweep_line(struct sweep *w)
{
	const struct hb__query *q = w->q;
	const struct hb__sent *s = &w->t->sent;
	uint32_t begin = hb__search(w->t, q->axis, 0, q->from, HB__ENTERS_BEFORE);
	uint32_t end = hb__search(w->t, q->axis, begin, q->to, HB__ENTERS_UNTIL);
	uint32_t from = sent_from(w, begin), to = sent_from(w, end);
	for (uint32_t b = 0; b * HB__BLOCK < from && !w->full; b++)
		for (uint32_t k = b * HB__BLOCK;
			s->reach[b].high[q->axis] >= w->from_grain && k < from && k < (b + 1) * HB__BLOCK && !w->full;
			k++)
			if (arrives_in_time(w, k))
				take(w, k);
	take_inside(w, from, to);
	/* clocks that are not quite right: it arrived before it was sent */
	for (uint32_t b = to / HB__BLOCK; b * HB__BLOCK < s->n && !w->full; b++)
		for (uint32_t k = b * HB__BLOCK > to ? b * HB__BLOCK : to;
			s->reach[b].low[q->axis] <= w->to_grain && k < s->n && k < (b + 1) * HB__BLOCK && !w->full; k++)
			if (arrives_early(w, k))
				take(w, k);
}

static void sweep_all(struct sweep *w)
{
	for (w->line = 0; w->line < w->q->layout->info->lines && !w->full; w->line++) {
		if (w->q->hidden[w->line] || !w->q->layout->track[w->line].sent.n)
			continue;
		w->t = &w->q->layout->track[w->line];
		w->bits = w->q->sieve ? &w->q->sieve->message[w->line] : NULL;
		sweep_line(w);
	}
}

/* The lowest level that is not too much; when it is hardly anything, some of the one below come along. */
static void choose_level(struct sweep *w)
{
	uint64_t most = w->q->most;
	while (w->level + 1 < HB__LEVELS && w->at_least[w->level] > most)
		w->level++;
	uint64_t n = w->at_least[w->level];
	if (w->level && n < most / 8 + 1 && n < most)
		w->every = (w->at_least[w->level - 1] - n + most - n - 1) / (most - n);
}

bool hb__query_arrows(struct hb__query *q)
{
	struct sweep w = {
		.q = q, .from_grain = grain(q->layout, q->axis, q->from), .to_grain = grain(q->layout, q->axis, q->to)};
	sweep_all(&w);
	for (uint32_t level = HB__LEVELS - 1; level-- > 0;)
		w.at_least[level] += w.at_least[level + 1];
	q->picture->messages = w.at_least[0];
	choose_level(&w);
	w.draw = true;
	if (q->picture->messages)
		sweep_all(&w);
	q->picture->hidden_messages = q->picture->messages - q->picture->narrows;
	return !w.no_memory;
}

/* ---- what races could have got instead ---- */

static bool add_alternatives(struct hb__query *q, const hb_box *box, size_t first, size_t *room)
{
	hb_layout *l = q->layout;
	hb_picture *p = q->picture;
	const uint32_t *send = hb__race_of(l, box->at);
	for (uint32_t i = 0; send && i < l->alternatives && send[i] != HB_NO; i++) {
		hb_at from = hb_send_at(l->model, send[i]);
		if (q->hidden[from.line])
			continue;
		if (p->narrows - first >= q->most)
			return true;
		if (!hb__room((void **)&p->arrows, room, p->narrows + 1, sizeof *p->arrows))
			return false;
		p->arrows[p->narrows++] = (hb_arrow){.from = from,
			.to = box->at,
			.x0 = hb__enter(&l->track[from.line], q->axis, from.event - 1),
			.x1 = box->x1,
			.send = send[i],
			.merged = 1,
			.flags = HB_ARROW_ALTERNATIVE};
	}
	return true;
}

bool hb__query_alternatives(struct hb__query *q)
{
	size_t first = q->picture->narrows, room = 0;
	if (first) { /* what stands there has no more room than it needs, as far as is known here */
		hb_arrow *more = realloc(q->picture->arrows, first * sizeof *more);
		q->picture->arrows = more ? more : q->picture->arrows;
		room = first;
	}
	for (size_t i = 0; i < q->picture->nboxes; i++)
		if (q->picture->boxes[i].flags & HB_BOX_RACES &&
			!add_alternatives(q, &q->picture->boxes[i], first, &room))
			return false;
	return true;
}
