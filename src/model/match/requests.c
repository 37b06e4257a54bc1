/* Requests of a process, from the call that made them to their end. */
#include "model/match/read.h"

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
