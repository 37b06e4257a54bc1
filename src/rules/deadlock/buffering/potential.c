/* Sends that only buffering let through. The standard lets a send wait until its receive is posted, and a collective until
 * all have called it. The recorded calls of all lines are done again in the mind, in program order, each message to the
 * receive that got it, with every standard send synchronous and every collective a barrier. Where that gets stuck, the run would have
 * under a library that buffers less. What an answer of MPI decided (wildcards, polls, Waitany) could have gone
 * otherwise there: a line that stands at one is taken to get further. Work: linear in the operations. */
#include "rules/deadlock/buffering/replay.h"

enum { ROUNDS = 16 };

static void wake(struct hb__replay *r, uint32_t *head)
{
	for (uint32_t l = *head; l; l = r->line[l - 1].chain) {
		r->queue[r->end++ % r->nlines] = l - 1;
		r->line[l - 1].waits = false;
	}
	*head = 0;
}

static void sleep_at(struct hb__replay *r, uint32_t l, uint32_t *head)
{
	r->line[l].chain = *head;
	r->line[l].waits = true;
	*head = l + 1;
}

/* The next event of a line at which anything happens; false: it is through. */
static bool next_event(struct hb__replay *r, uint32_t l)
{
	struct hb__replayed_line *n = &r->line[l];
	bool ops = n->op < n->nops, sents = n->sent < n->nsents;
	if (!ops && !sents)
		return false;
	n->event = ops ? n->ops[n->op].event : UINT32_MAX;
	if (sents && n->sents[n->sent].event < n->event)
		n->event = n->sents[n->sent].event;
	return true;
}

static void enter(struct hb__replay *r, uint32_t l)
{
	struct hb__replayed_line *n = &r->line[l];
	const hb_receive *receive = hb_model_receives(r->m);
	n->entered = true;
	for (uint64_t i = n->op; i < n->nops && n->ops[i].event == n->event; i++) {
		uint32_t id = n->ops[i].id;
		if (n->ops[i].kind == HB_OP_SEND) {
			r->begun[id] = true;
			wake(r, &r->for_send[id]);
		} else if (n->ops[i].kind == HB_OP_POST || (n->ops[i].kind == HB_OP_RECEIVED && receive[id].line == l &&
								   receive[id].post == n->event)) {
			r->posted[id] = true;
			wake(r, &r->for_receive[id]);
		} else if (n->ops[i].kind == HB_OP_ENTER) {
			if (++r->entered[id] == hb_model_collectives(r->m)[id].enters)
				wake(r, &r->for_collective[id]);
		}
	}
}

/* Where a line has to wait for this operation; NULL: nowhere. */
static uint32_t *obstacle(struct hb__replay *r, const hb_op *op)
{
	const hb_send *send = hb_model_sends(r->m);
	uint32_t id = op->id, other;
	switch (op->kind) {
	case HB_OP_RECEIVED:
		other = hb_model_receives(r->m)[id].send;
		return other != HB_NO && !r->begun[other] ? &r->for_send[other] : NULL;
	case HB_OP_PROBED:
		other = hb_model_probes(r->m)[id].send;
		return other != HB_NO && !r->begun[other] ? &r->for_send[other] : NULL;
	case HB_OP_SENT:
		other = send[id].receive;
		if (other == HB_NO || r->buffered[id] || send[id].flags & (HB_BUFFERED | HB_CANCELLED | HB_AMBIGUOUS))
			return NULL;
		return !r->posted[other] ? &r->for_receive[other] : NULL;
	case HB_OP_LEAVE:
		if (hb_model_collectives(r->m)[id].differs || r->passed[id])
			return NULL;
		return r->entered[id] < hb_model_collectives(r->m)[id].enters ? &r->for_collective[id] : NULL;
	default:
		return NULL;
	}
}

const hb_op *hb__replay_obstacle(struct hb__replay *r, uint32_t l, uint64_t *k)
{
	struct hb__replayed_line *n = &r->line[l];
	for (; n->op + *k < n->nops && n->ops[n->op + *k].event == n->event; ++*k)
		if (obstacle(r, &n->ops[n->op + *k]))
			return &n->ops[n->op + (*k)++];
	uint64_t before = 0;
	while (n->op + before < n->nops && n->ops[n->op + before].event == n->event)
		before++;
	for (; n->sent + (*k - before) < n->nsents && n->sents[n->sent + (*k - before)].event == n->event; ++*k)
		if (obstacle(r, &n->sents[n->sent + (*k - before)]))
			return &n->sents[n->sent + (*k)++ - before];
	return NULL;
}

static void advance(struct hb__replay *r, uint32_t l)
{
	struct hb__replayed_line *n = &r->line[l];
	for (;;) {
		uint64_t k = 0;
		if (!n->entered) {
			if (!next_event(r, l)) {
				n->over = true;
				return;
			}
			enter(r, l);
		}
		const hb_op *op = hb__replay_obstacle(r, l, &k);
		if (op) {
			sleep_at(r, l, obstacle(r, op));
			return;
		}
		while (n->op < n->nops && n->ops[n->op].event == n->event)
			n->op++;
		while (n->sent < n->nsents && n->sents[n->sent].event == n->event)
			n->sent++;
		n->entered = false;
	}
}

static void run(struct hb__replay *r)
{
	while (r->begin != r->end)
		advance(r, r->queue[r->begin++ % r->nlines]);
}

/* Lets what stands in the cycle through, as it was in the recorded run. */
static void let_through(struct hb__replay *r, const struct hb__replay_step *step, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const hb_op *op = step[i].op;
		uint32_t *head = op->kind == HB_OP_SENT || op->kind == HB_OP_LEAVE ? obstacle(r, op) : NULL;
		if (op->kind == HB_OP_SENT)
			r->buffered[op->id] = true;
		else if (op->kind == HB_OP_LEAVE)
			r->passed[op->id] = true;
		if (head)
			wake(r, head);
	}
}

static bool start(struct hb__replay *r, hb_model *m)
{
	const hb_model_info *info = hb_model_get_info(m);
	r->m = m;
	r->nlines = info->lines;
	r->line = calloc((size_t)info->lines + 1, sizeof *r->line);
	r->queue = calloc((size_t)info->lines + 1, sizeof *r->queue);
	r->begun = calloc((size_t)info->sends + 1, 1);
	r->buffered = calloc((size_t)info->sends + 1, 1);
	r->posted = calloc((size_t)info->receives + 1, 1);
	r->passed = calloc((size_t)info->collectives + 1, 1);
	r->entered = calloc((size_t)info->collectives + 1, sizeof *r->entered);
	r->for_send = calloc((size_t)info->sends + 1, sizeof *r->for_send);
	r->for_receive = calloc((size_t)info->receives + 1, sizeof *r->for_receive);
	r->for_collective = calloc((size_t)info->collectives + 1, sizeof *r->for_collective);
	if (!r->line || !r->queue || !r->begun || !r->buffered || !r->posted || !r->passed || !r->entered ||
		!r->for_send || !r->for_receive || !r->for_collective)
		return false;
	for (uint32_t l = 0; l < info->lines; l++) {
		r->line[l].ops = hb_model_ops(m, l, &r->line[l].nops);
		r->line[l].sents = hb_model_sent(m, l, &r->line[l].nsents);
		r->queue[r->end++] = l;
	}
	return true;
}

static void stop(struct hb__replay *r)
{
	void *const blocks[] = {r->line, r->queue, r->begun, r->buffered, r->posted, r->passed, r->entered, r->for_send,
		r->for_receive, r->for_collective};
	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
		free(blocks[i]);
}

hb_status hb_rule_potential(hb_case *c, hb_error *err)
{
	struct hb__replay r = {.nlines = 0};
	const hb_model_info *info = hb_model_get_info(c->model);
	if (!c->complete || !c->remarked || info->open || !info->lines)
		return HB_OK;
	struct hb__replay_step *step = malloc(((size_t)info->lines + 1) * sizeof *step);
	hb_status status = step && start(&r, c->model) ? HB_OK : HB_E_MEMORY;
	for (int round = 0; round < ROUNDS && !status; round++) {
		run(&r);
		uint32_t n = 0;
		status = hb__replay_cycle(&r, step, &n);
		if (status || !n)
			break;
		status = hb__replay_report(&r, c, step, n, err);
		let_through(&r, step, n);
	}
	if (status == HB_E_MEMORY && err)
		*err = (hb_error){.status = HB_E_MEMORY, .message = "out of memory"};
	stop(&r);
	free(step);
	return status;
}
