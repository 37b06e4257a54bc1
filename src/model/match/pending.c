/* Requests of a process, from the call that made them to their end; and those that are under way when its log ends, for who asks what it waits for. */
#include <stdlib.h>

#include "model/match/read.h"
#include "model/remark/remark.h"

/* ---- while a process is read ---- */

static struct hb__key request_key(hb_reference r) { return (struct hb__key){r.lane, (uint64_t)r.posting}; }

/* Few requests are under way at a time, and postings are numbered one after the other: so most have their place to
 * themselves, and the others stand in a table. */
static struct hb__near *near_of(struct hb__reading *r, hb_reference ref)
{
	return &r->near[((uint64_t)ref.posting + ref.lane * 389u) & ((1 << HB__NEAR_BITS) - 1)];
}

static bool is_at(const struct hb__near *n, hb_reference ref)
{
	return n->request != HB_NO && n->posting == ref.posting && n->lane == ref.lane;
}

/* A place for a request; HB_NO without memory. */
static uint32_t request_room(struct hb__reading *r)
{
	uint32_t i = r->free_request;
	if (i != HB_NO)
		r->free_request = r->requests.at[i].id;
	else if (VEC_PUSH(&r->requests, (struct hb__followed_request){0}))
		i = (uint32_t)r->requests.n - 1;
	if (i != HB_NO)
		r->requests.at[i] = (struct hb__followed_request){0};
	return i;
}

struct hb__followed_request *hb__request_new(struct hb__reading *r, int64_t posting)
{
	return hb__request_at(r, (hb_reference){r->event->row->lane, posting});
}

struct hb__followed_request *hb__request_at(struct hb__reading *r, hb_reference ref)
{
	struct hb__near *near = near_of(r, ref);
	if (is_at(near, ref)) /* a posting made twice: a damaged log */
		return &r->requests.at[near->request];
	struct hb__cell *cell = near->request == HB_NO ? NULL : hb__place(&r->request_of, request_key(ref));
	if (cell && cell->value != HB_NO)
		return &r->requests.at[cell->value];
	uint32_t i = near->request == HB_NO || cell ? request_room(r) : HB_NO;
	if (i == HB_NO) {
		r->m->no_memory = true;
		return &r->nowhere;
	}
	if (cell)
		cell->value = i;
	else
		*near = (struct hb__near){ref.posting, ref.lane, i};
	return &r->requests.at[i];
}

struct hb__followed_request *hb__request_find(struct hb__reading *r, hb_reference ref)
{
	const struct hb__near *near = near_of(r, ref);
	uint32_t i = is_at(near, ref)     ? near->request
		     : r->request_of.used ? hb__look(&r->request_of, request_key(ref))
					  : HB_NO;
	return i == HB_NO ? NULL : &r->requests.at[i];
}

void hb__request_over(struct hb__reading *r, hb_reference ref, struct hb__followed_request *q)
{
	struct hb__near *near = near_of(r, ref);
	q->id = r->free_request;
	r->free_request = (uint32_t)(q - r->requests.at);
	if (is_at(near, ref))
		near->request = HB_NO;
	else
		hb__erase(&r->request_of, request_key(ref));
}

/* ---- when its log ends ---- */

/* The lane is inside a call that completes requests. */
static bool completes(hb_log *log, uint32_t lane, const hb_lane_info *info)
{
	hb_cursor *c;
	hb_row row;
	if (!info->inside || hb_cursor_open(log, lane, info->events + 1, &c, NULL))
		return false;
	bool found = !hb_cursor_slot(c, info->inside_slot, &row);
	const hb_function *f = found ? hb_log_function(log, row.function) : NULL;
	hb_cursor_close(c);
	return f && f->cls == HB_COMPLETE;
}

bool hb__follow_requests(const hb_model *m, uint32_t process)
{
	const hb_process *p = &m->processes.at[process];
	hb_lane_info info;
	if (hb_remarked(p->log, false))
		return true;
	for (uint32_t i = 0; i < p->nlines; i++)
		if (!hb_log_lane(p->log, i, &info) && (info.polls || completes(p->log, i, &info)))
			return true;
	return false;
}

static int by_posting(const void *a, const void *b)
{
	const hb_reference *x = &((const hb_pending *)a)->request, *y = &((const hb_pending *)b)->request;
	if (x->lane != y->lane)
		return x->lane < y->lane ? -1 : 1;
	return (x->posting > y->posting) - (x->posting < y->posting);
}

static void keep(struct hb__reading *r, hb_reference ref, const struct hb__followed_request *q)
{
	static const hb_pending_kind kind[] = {[HB__R_SEND] = HB_PENDING_SEND,
		[HB__R_RECV] = HB_PENDING_RECEIVE,
		[HB__R_COLL] = HB_PENDING_COLLECTIVE};
	if (q->type > HB__R_COLL) /* persistent: its starts have requests of their own */
		return;
	if (!VEC_PUSH(&r->m->pending, ((hb_pending){kind[q->type], q->id, ref})))
		r->m->no_memory = true;
}

void hb__note_pending(struct hb__reading *r)
{
	hb_model *m = r->m;
	struct hb__process_more *more = &m->process_more[r->process];
	more->first_pending = (uint32_t)m->pending.n;
	for (size_t i = 0; i < sizeof r->near / sizeof *r->near; i++) {
		const struct hb__near *n = &r->near[i];
		if (n->request != HB_NO)
			keep(r, (hb_reference){n->lane, n->posting}, &r->requests.at[n->request]);
	}
	for (size_t i = 0; r->request_of.used && i < r->request_of.size; i++) {
		const struct hb__cell *c = &r->request_of.at[i];
		if (c->value != HB_NO)
			keep(r, (hb_reference){(uint32_t)c->key.a, (int64_t)c->key.b}, &r->requests.at[c->value]);
	}
	more->pending = (uint32_t)m->pending.n - more->first_pending;
	if (more->pending)
		qsort(m->pending.at + more->first_pending, more->pending, sizeof *m->pending.at, by_posting);
}

/* ---- answers ---- */

bool hb_model_followed(const hb_model *m, uint32_t process) { return m->process_more[process].followed; }

const hb_pending *hb_model_pending(const hb_model *m, uint32_t process, uint32_t *ret_n)
{
	*ret_n = m->process_more[process].pending;
	return m->pending.at + m->process_more[process].first_pending;
}

const hb_op *hb_model_sent(const hb_model *m, uint32_t line, uint64_t *ret_n)
{
	*ret_n = m->line_more.at[line].sent.n;
	return m->line_more.at[line].sent.at;
}

uint32_t hb_model_group(const hb_model *m, uint32_t process, int64_t comm, bool *ret_peers_are_member)
{
	const struct hb__process_more *more = &m->process_more[process];
	*ret_peers_are_member = true;
	if (comm < 0 || (uint64_t)comm >= more->parts.n || more->parts.at[comm].group == HB_NO)
		return HB_NO;
	const struct hb__member *part = &more->parts.at[comm];
	*ret_peers_are_member = !m->groups.at[part->group].remote_size || part->side;
	return part->group;
}
