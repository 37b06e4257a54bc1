/* Collectives. The k-th call on a communicator is part of its k-th collective: all processes call them in
 * the same order, blocking, nonblocking and constructors alike. What is not numbered so, the
 * odd ones: starts of persistent collectives (by the call that made them and how often it was
 * started), constructors that not all of the parent call (by the communicator made), fences (by the
 * window and how many there were before; in a recording that does not say which window a constructor made, by the
 * window's communicator), windows that are freed. */
#include "model/match/read.h"

static uint32_t new_collective(hb_model *m, uint32_t group, uint32_t number, uint8_t kind)
{
	hb_collective c = {.group = group, .number = number, .root = HB_NO, .function = HB_NO, .process = HB_NO};
	if (m->collectives.n >> 28 || !VEC_PUSH(&m->collectives, c) || !VEC_PUSH(&m->collective_kind, kind)) {
		m->no_memory = true;
		return HB_NO;
	}
	return (uint32_t)m->collectives.n - 1;
}

static hb_at here(const struct hb__reading *r) { return (hb_at){r->line, (uint32_t)r->event->row->number}; }

static uint32_t regular(struct hb__reading *r, struct hb__member *part)
{
	uint32_t number = (uint32_t)part->enters.n;
	if (part->lost || (part->skip && part->lane != r->event->row->lane)) {
		part->lost = true; /* how many there were before is not known */
		r->m->info.open = true;
		return HB_NO;
	}
	if (!VEC_PUSH(&part->enters, here(r))) {
		r->m->no_memory = true;
		return HB_NO;
	}
	return hb__collective_numbered(r, part, number);
}

uint32_t hb__collective_numbered(struct hb__reading *r, struct hb__member *part, uint32_t number)
{
	hb_model *m = r->m;
	struct hb__group_more *more = &m->group_more.at[part->group];
	while (more->collectives.n <= number) {
		uint32_t id = new_collective(m, part->group, (uint32_t)more->collectives.n, HB__REGULAR);
		if (id == HB_NO || !VEC_PUSH(&more->collectives, id)) {
			m->no_memory = true;
			return HB_NO;
		}
	}
	return more->collectives.at[number];
}

static uint32_t odd(struct hb__reading *r, uint32_t group, uint32_t kind, uint64_t what, uint32_t number)
{
	hb_model *m = r->m;
	struct hb__cell *cell =
		hb__place(&m->odd_collective, (struct hb__key){what << 8 | kind, (uint64_t)number << 32 | group});
	if (cell && cell->value == HB_NO)
		cell->value = new_collective(m, group, number, HB__ODD);
	uint32_t id = cell ? cell->value : HB_NO;
	struct hb__cell *enter = id == HB_NO ? NULL : hb__place(&m->odd_enters, (struct hb__key){id, r->process});
	if (!enter || !VEC_PUSH(&m->odd_at, here(r))) {
		m->no_memory = true;
		return HB_NO;
	}
	enter->value = (uint32_t)m->odd_at.n - 1;
	return id;
}

/* The process of the root; HB_NO: none. *ret_part: whether this process takes part at all. */
static uint32_t root_of(
	struct hb__reading *r, const struct hb__function *f, const struct hb__member *part, bool *ret_part)
{
	*ret_part = true;
	if (!f->means->rooted || f->root < 0 || (uint32_t)f->root >= r->event->row->nargs)
		return HB_NO;
	int64_t root = r->event->row->arg[f->root];
	if (root == HB_PROC_NULL)
		*ret_part = false;
	return root == HB_ROOT ? r->process : hb__peer(r->m, part, root);
}

/* nothing: the call waits for nobody. */
static void describe(struct hb__reading *r, uint32_t id, const struct hb__function *f, uint32_t root, bool nothing)
{
	hb_collective *c = &r->m->collectives.at[id];
	nothing |= f->means->flags & HB_PERSISTENT || (f->means->empty && r->event->bytes == 0);
	hb_order order = nothing ? HB_ORDER_NONE : (hb_order)f->means->order;
	bool fence = f->means->does == HB_DOES_WINDOW_FENCE;
	if (c->process == HB_NO) {
		c->process = r->process;
		c->function = r->event->row->function;
		c->order = order;
		c->root = root;
		c->base = f->means->base;
		c->both_sides = f->means->cls == HB_COMM;
		return;
	}
	if (c->base != f->means->base || (root != HB_NO && c->root != HB_NO && c->root != root))
		c->differs = true;
	if (c->root == HB_NO)
		c->root = root;
	if (c->order == HB_ORDER_NONE || (fence && nothing)) /* of a fence all have to assert the same */
		c->order = fence ? HB_ORDER_NONE : order;
}

static void take_part(struct hb__reading *r, uint32_t id, const struct hb__function *f)
{
	hb_model *m = r->m;
	hb_op op = {(uint32_t)r->event->row->number, id, HB_OP_ENTER};
	m->collectives.at[id].enters++;
	if (!VEC_PUSH(&m->line_more.at[r->line].ops, op))
		m->no_memory = true;
	if (f->means->posts || r->inside)
		return;
	op.kind = HB_OP_LEAVE;
	m->collectives.at[id].exits++;
	if (!VEC_PUSH(&m->line_more.at[r->line].ops, op))
		m->no_memory = true;
}

void hb__read_collective(struct hb__reading *r, const struct hb__function *f)
{
	const hb_event *e = r->event;
	bool takes_part = true, nothing = false;
	uint32_t id = HB_NO, root = HB_NO;
	struct hb__member *part;
	if (e->row->result)
		return;
	if (f->means->does == HB_DOES_BIRTH || f->means->does == HB_DOES_BIRTH_OF_GROUP) {
		part = e->made != HB_ABSENT ? hb__part(r->m, r->process, e->made) : NULL;
		id = part ? odd(r, part->group, HB__ODD_BIRTH, 0, 0) : HB_NO;
	} else if (f->means->does == HB_DOES_WINDOW_FREE) {
		struct hb__own_window *w = hb__own_window(r, f);
		part = w && w->made != HB_NO ? hb__part(r->m, r->process, w->comm) : NULL;
		id = part ? odd(r, part->group, HB__ODD_FREE, (uint64_t)w->made + 1, 0) : HB_NO;
		hb__window_freed(r, w, id);
		nothing = true; /* unless its window was locked: hb__link_windows */
	} else if (f->means->does == HB_DOES_WINDOW_FENCE) {
		struct hb__own_window *w = hb__own_window(r, f);
		part = w ? hb__part(r->m, r->process, w->comm) : NULL;
		if (part && w->made != HB_NO)
			id = odd(r, part->group, HB__ODD_FENCE, (uint64_t)w->made + 1, w->fences++);
		else if (part) /* with several on one communicator all have to fence them in the same order */
			id = odd(r, part->group, HB__ODD_FENCE, 0, part->fences++);
		nothing = w && !hb__fence_meets(r, w);
	} else {
		part = hb__part(r->m, r->process, e->comm);
		id = part ? regular(r, part) : HB_NO;
		if (part && f->means->does == HB_DOES_WINDOW_MAKE)
			hb__window_made(r, id);
		root = part ? root_of(r, f, part, &takes_part) : HB_NO;
	}
	if (id == HB_NO)
		return;
	describe(r, id, f, root, nothing);
	if (f->means->flags & HB_PERSISTENT) {
		struct hb__followed_request *q = hb__request_new(r, e->posting);
		*q = (struct hb__followed_request){.type = HB__R_PCOLL, .id = id, .bytes = e->bytes};
		q->comm = f->means->order | (uint32_t)(takes_part ? 0 : 1) << 8;
		return;
	}
	if (takes_part)
		take_part(r, id, f);
	if (takes_part && f->means->posts)
		*hb__request_new(r, e->posting) = (struct hb__followed_request){.type = HB__R_COLL, .id = id};
}

uint32_t hb__collective_started(struct hb__reading *r, const struct hb__followed_request *made)
{
	if (made->comm >> 8)
		return HB_NO;
	hb_model *m = r->m;
	hb_collective init = m->collectives.at[made->id];
	uint32_t id = odd(r, init.group, HB__ODD_START, made->id, made->count);
	if (id == HB_NO)
		return id;
	hb_collective *c = &m->collectives.at[id];
	if (c->process == HB_NO) {
		c->process = init.process;
		c->function = init.function;
		c->base = init.base;
		c->order = (hb_order)(made->comm & 0xff);
	}
	if (c->root == HB_NO)
		c->root = init.root;
	c->differs = init.differs;
	c->enters++;
	return id;
}
