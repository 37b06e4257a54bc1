/* Messages. Those of a line are in the order of their sends; of each 64 it is known between which times they arrive, so
 * that those which only cross a window are found without looking at all. Which of too many are drawn: the longest of each
 * 2, 4, 8, ... of a line. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "view/layout/parts.h"

#define AHEAD 12 /* messages */

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
	if (s->receive != HB_NO) {
		hb_at done = hb_receive_done(m, s->receive);
		return done.event ? done : (hb_at){hb_receive_post(m, s->receive).line, 0};
	}
	uint32_t dest = hb_model_channels(m)[s->channel].dest;
	bool there = dest != HB_NO && hb_model_processes(m)[dest].nlines;
	return (hb_at){there ? hb_model_processes(m)[dest].first_line : HB_NO, 0};
}

static double arrival(const hb_layout *l, hb_axis axis, uint32_t send, hb_at end)
{
	hb_at from = hb_send_at(l->model, send);
	return end.event ? hb__exit(&l->track[end.line], axis, end.event - 1)
			 : hb__enter(&l->track[from.line], axis, from.event - 1);
}

/* ---- building ---- */

struct rival {
	uint32_t k;
	float length;
};

/* The longest of each 2, of these the longest of each two, ... */
static void rank(struct hb__line_sends *s, hb_axis axis, struct rival *rival)
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
				s->reach[r.k / HB__TILE].longest[axis] = (uint8_t)(r.k % HB__TILE);
		}
		n = winners == 1 && level >= 6 ? 0 : winners;
	}
}

static void reach(const hb_layout *l, struct hb__line_sends *s, uint32_t k, hb_axis axis, double there)
{
	uint32_t g = s->arrives[axis][k] = grain(l, axis, there);
	struct hb__reach *r = &s->reach[k / HB__TILE];
	if (k % HB__TILE == 0 || g < r->low[axis])
		r->low[axis] = g;
	if (k % HB__TILE == 0 || g > r->high[axis])
		r->high[axis] = g;
}

/* A message's other end lies anywhere: it is asked for in time, its receive first. */
static void fetch(const hb_layout *l, const struct hb__line_sends *s, uint32_t k)
{
	const hb_send *sends = hb_model_sends(l->model);
	const hb_receive *receives = hb_model_receives(l->model);
	if (k + 2 * AHEAD < s->n) {
		uint32_t receive = sends[hb__sent_id(s, k + 2 * AHEAD)].receive;
		if (receive != HB_NO)
			__builtin_prefetch(&receives[receive]);
	}
	if (k + AHEAD >= s->n)
		return;
	uint32_t receive = sends[hb__sent_id(s, k + AHEAD)].receive;
	if (receive != HB_NO && receives[receive].done)
		hb__fetch(&l->track[receives[receive].line], receives[receive].done - 1);
}

static void fill(hb_layout *l, uint32_t line, struct rival *rival, struct rival *other)
{
	const struct hb__track *t = &l->track[line];
	struct hb__line_sends *s = &l->track[line].sent;
	const hb_send *sends = hb_model_sends(l->model);
	for (uint32_t k = 0; k < s->n; k++) {
		fetch(l, s, k);
		uint32_t id = hb__sent_id(s, k), i = sends[id].event - 1;
		hb_at end = end_of(l, id);
		s->to[k] = end.line == HB_NO ? HB__NOWHERE : end.line;
		for (int axis = 0; axis < HB__AXES; axis++) {
			double there = arrival(l, (hb_axis)axis, id, end), here = hb__enter(t, (hb_axis)axis, i);
			reach(l, s, k, (hb_axis)axis, there);
			(axis ? other : rival)[k] =
				(struct rival){k, (float)(there > here ? there - here : here - there)};
		}
	}
	rank(s, 0, rival);
	rank(s, 1, other);
}

/* Finds the sends of a line. Those of a process follow each other, unless it has several lines. */
static bool list(hb_layout *l, uint32_t line)
{
	const hb_send *sends = hb_model_sends(l->model);
	struct hb__line_sends *s = &l->track[line].sent;
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
	s->reach = calloc((size_t)n / HB__TILE + 1, sizeof *s->reach);
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
		size_t n = (size_t)l->track[line].sent.n + 1;
		struct rival *rival = malloc(2 * n * sizeof *rival);
		if (!rival)
			return false;
		fill(l, line, rival, rival + n);
		free(rival);
	}
	return true;
}

/* ---- what is in a window ---- */

/* Groups of 2^k messages of a line, counted off from the first: of each that has one in the window one can be drawn. */
struct sweep {
	struct hb__query *q;
	uint32_t from_grain, to_grain;
	bool *good; /* by line, and at HB__NOWHERE's place behind the last: a message from `line` may go there */
	bool all;   /* to anywhere */
	uint32_t line;
	const struct hb__track *t;
	const struct hb__bits *bits; /* NULL: all are wanted */
	uint32_t from, to;           /* messages that are sent in the window */
	uint64_t messages, groups[HB__LEVELS];
	uint32_t last[HB__LEVELS]; /* group counted last */
	uint32_t level;            /* to be drawn */
	uint64_t every, passed;    /* when that is still too much: every so many-th group */
	/* the group at hand */
	uint32_t group, best, best_level;
	uint64_t members;
	size_t room;
	bool no_memory;
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
	uint32_t id = hb__sent_id(&w->t->sent, k);
	return arrival(w->q->layout, w->q->axis, id, end_of(w->q->layout, id));
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

/* Which of 64 messages are in the window and wanted. Those that begin in it are; of the others it is looked at where they end:
 * with clocks that are not quite right also of those that begin behind it. */
static uint64_t mask_of(const struct sweep *w, uint32_t b)
{
	const struct hb__line_sends *s = &w->t->sent;
	const struct hb__reach *r = &s->reach[b];
	hb_axis axis = w->q->axis;
	uint32_t first = b * HB__TILE, end = s->n - first > HB__TILE ? first + HB__TILE : s->n, k = first;
	uint64_t mask = 0;
	if (r->high[axis] >= w->from_grain)
		for (; k < end && k < w->from; k++)
			mask |= (uint64_t)arrives_in_time(w, k) << (k - first);
	k = w->from > first ? w->from : first;
	if (k < end && k < w->to) {
		uint32_t n = (w->to < end ? w->to : end) - k;
		mask |= UINT64_MAX >> (64 - n) << (k - first);
	}
	if (r->low[axis] <= w->to_grain)
		for (k = w->to > first ? w->to : first; k < end; k++)
			mask |= (uint64_t)arrives_early(w, k) << (k - first);
	if (w->bits)
		mask &= w->bits->word[b];
	if (mask && !w->all) {
		uint64_t good = 0;
		for (k = first; k < end; k++) {
			uint32_t to = HB__TO(s->to[k]);
			good |= (uint64_t)w->good[to == HB__NOWHERE ? w->q->layout->info->lines : to] << (k - first);
		}
		mask &= good;
	}
	return mask;
}

static void count(struct sweep *w, uint32_t b, uint64_t mask)
{
	static const uint64_t even[] = {
		0x5555555555555555, 0x1111111111111111, 0x0101010101010101, 0x0001000100010001, 0x0000000100000001, 1};
	uint32_t n = (uint32_t)__builtin_popcountll(mask);
	w->messages += n;
	w->groups[0] += n;
	for (uint32_t level = 1; level <= 6; level++) {
		mask = (mask | mask >> (1u << (level - 1))) & even[level - 1];
		w->groups[level] += (uint32_t)__builtin_popcountll(mask);
	}
	for (uint32_t level = 7; level < HB__LEVELS; level++)
		if (w->last[level] != b >> (level - 6)) {
			w->last[level] = b >> (level - 6);
			w->groups[level]++;
		}
}

static void draw(struct sweep *w)
{
	hb_layout *l = w->q->layout;
	hb_picture *p = w->q->picture;
	uint64_t members = w->members;
	w->members = 0;
	if (!members || w->passed++ % w->every || p->narrows >= w->q->most)
		return;
	if (!HB_GROW(p->arrows, w->room, p->narrows + 1)) {
		w->no_memory = true;
		return;
	}
	uint32_t id = hb__sent_id(&w->t->sent, w->best);
	const hb_send *s = &hb_model_sends(l->model)[id];
	hb_at to = end_of(l, id);
	uint8_t flags = (s->flags & HB_SYNCHRONOUS ? HB_ARROW_SYNCHRONOUS : 0) |
			(s->flags & HB_AMBIGUOUS ? HB_ARROW_AMBIGUOUS : 0) | (to.event ? 0 : HB_ARROW_UNMATCHED);
	p->arrows[p->narrows++] = (hb_arrow){.from = hb_send_at(l->model, id),
		.to = to,
		.x0 = hb__enter(w->t, w->q->axis, s->event - 1),
		.x1 = arrival(l, w->q->axis, id, to),
		.send = id,
		.merged = (uint32_t)members,
		.flags = flags};
}

/* The longest of a group is remembered until the group is over. */
static void gather(struct sweep *w, uint32_t group, uint32_t k, uint32_t members)
{
	uint32_t level = HB__LEVEL(w->t->sent.to[k], w->q->axis);
	if (w->members && w->group != group)
		draw(w);
	if (!w->members || level > w->best_level) {
		w->best = k;
		w->best_level = level;
	}
	w->group = group;
	w->members += members;
}

static void draw_block(struct sweep *w, uint32_t b, uint64_t mask)
{
	uint32_t first = b * HB__TILE;
	if (w->level < 6) {
		for (; mask; mask &= mask - 1) {
			uint32_t k = first + (uint32_t)__builtin_ctzll(mask);
			gather(w, k >> w->level, k, 1);
		}
		return;
	}
	/* the longest, unless it is not wanted: then one that is */
	uint32_t k = w->t->sent.reach[b].longest[w->q->axis];
	if (!(mask >> k & 1))
		k = (uint32_t)__builtin_ctzll(mask);
	gather(w, b >> (w->level - 6), first + k, (uint32_t)__builtin_popcountll(mask));
}

static void sweep_line(struct sweep *w, bool drawing)
{
	const struct hb__query *q = w->q;
	uint32_t begin = hb__search(w->t, q->axis, 0, q->from, HB__ENTERS_BEFORE);
	uint32_t end = hb__search(w->t, q->axis, begin, q->to, HB__ENTERS_UNTIL);
	w->from = sent_from(w, begin);
	w->to = sent_from(w, end);
	memset(w->last, 0xff, sizeof w->last);
	for (uint32_t b = 0; b * HB__TILE < w->t->sent.n && !w->no_memory; b++) {
		uint64_t mask = mask_of(w, b);
		if (!mask)
			continue;
		if (drawing)
			draw_block(w, b, mask);
		else
			count(w, b, mask);
	}
	if (drawing)
		draw(w);
}

static void sweep_all(struct sweep *w, bool drawing)
{
	const struct hb__query *q = w->q;
	uint32_t lines = q->layout->info->lines;
	for (w->line = 0; w->line < lines && !w->no_memory; w->line++) {
		w->t = &q->layout->track[w->line];
		if (q->hidden[w->line] || !w->t->sent.n)
			continue;
		w->bits = q->sieve ? &q->sieve->message[w->line] : NULL;
		w->all = q->wanted[w->line] && !q->any_hidden;
		for (uint32_t i = 0; i < lines && !w->all; i++)
			w->good[i] = !q->hidden[i] && (q->wanted[w->line] || q->wanted[i]);
		w->good[lines] = q->wanted[w->line];
		sweep_line(w, drawing);
	}
}

bool hb__query_arrows(struct hb__query *q, uint32_t most)
{
	struct sweep w = {.q = q,
		.from_grain = grain(q->layout, q->axis, q->from),
		.to_grain = grain(q->layout, q->axis, q->to),
		.good = malloc((size_t)q->layout->info->lines + 1)};
	if (!w.good)
		return false;
	sweep_all(&w, false);
	q->picture->messages = w.messages;
	while (w.level + 1 < HB__LEVELS && w.groups[w.level] > most)
		w.level++;
	w.every = (w.groups[w.level] + most - 1) / most;
	if (w.messages)
		sweep_all(&w, true);
	q->picture->hidden_messages = w.messages - q->picture->narrows;
	free(w.good);
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
		if (!HB_GROW(p->arrows, *room, p->narrows + 1))
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
