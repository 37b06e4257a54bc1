/* Waitany and its kin: of the receives that were pending then and completed later, those whose message was not sent
 * because of this answer could have been complete instead. Which requests were in the array is not recorded:
 * those count that the same call at the same place completes later, and all when no more are pending than
 * the array has room for. */
#include "rules/race/parts.h"

struct choices {
	struct hb__racing *r;
	const hb_receive *receives;
	uint32_t first, end; /* receives of the process */
	uint32_t *by;        /* by receive of the process: 1 + the answer that completed it */
	uint32_t *now;       /* receives pending at the answer at hand */
	size_t nnow;
	uint32_t next; /* receive to become pending */
};

static bool same_place(const hb_chosen *a, const hb_chosen *b)
{
	return a->site == b->site && a->function == b->function;
}

static void bring_up(struct choices *c, const hb_chosen *answer)
{
	size_t kept = 0;
	for (; c->next < c->end && c->receives[c->next].post < answer->at.event; c->next++) {
		const hb_receive *v = &c->receives[c->next];
		bool later = v->done > v->post && !(v->flags & HB_ELSEWHERE);
		if (v->line == answer->at.line && v->send != HB_NO && later)
			c->now[c->nnow++] = c->next;
	}
	for (size_t i = 0; i < c->nnow; i++)
		if (c->receives[c->now[i]].done >= answer->at.event)
			c->now[kept++] = c->now[i];
	c->nnow = kept;
}

/* Whether a receive got a message of the sender whose message was answered with, on the same communicator. */
static bool of_sender(const struct choices *c, const hb_receive *v, uint32_t got)
{
	const hb_model *m = c->r->m;
	if (got == HB_NO)
		return false;
	const hb_channel *a = &hb_model_channels(m)[hb_model_sends(m)[v->send].channel];
	const hb_channel *b = &hb_model_channels(m)[hb_model_sends(m)[got].channel];
	return a->source == b->source && a->group == b->group;
}

static void answered(struct choices *c, const hb_chosen *chosen, const hb_chosen *answer)
{
	struct hb__racing *r = c->r;
	r->nfound = 0;
	r->open = false;
	r->sum.choices++;
	bring_up(c, answer);
	uint32_t got = answer->receive == HB_NO ? HB_NO : c->receives[answer->receive].send;
	for (size_t i = 0; i < 2 * c->nnow; i++) { /* those of the same sender last */
		bool same = i >= c->nnow;
		uint32_t id = c->now[same ? i - c->nnow : i], by = c->by[id - c->first];
		const hb_receive *v = &c->receives[id];
		bool in_array = (by && same_place(&chosen[by - 1], answer)) || c->nnow <= answer->count;
		if (in_array && v->done > answer->at.event && of_sender(c, v, got) == same &&
			hb_send_seen(r->m, v->send, answer->at.line) <= answer->at.event &&
			hb__found(r, v->send, false))
			r->found[r->nfound - 1].same_sender = same;
	}
	hb_race race = {.kind = HB_RACE_CHOICE, .id = answer->receive, .spec = HB_NO, .got = HB_NO};
	race.post = race.done = answer->at;
	if (answer->receive != HB_NO) {
		race.spec = c->receives[answer->receive].spec;
		race.got = c->receives[answer->receive].send;
	}
	hb__race_told(r, &race);
}

/* The answers of the process, in the list of all. */
static void range(const struct hb__racing *r, uint32_t process, uint32_t *ret_low, uint32_t *ret_high)
{
	const hb_chosen *chosen = hb_model_chosen(r->m);
	const hb_process *p = &hb_model_processes(r->m)[process];
	uint32_t n = hb_model_get_info(r->m)->chosen, low = 0, high = n;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (chosen[mid].at.line < p->first_line)
			low = mid + 1;
		else
			high = mid;
	}
	while (high < n && chosen[high].at.line < p->first_line + p->nlines)
		high++;
	*ret_low = low;
	*ret_high = high;
}

void hb__race_choices(struct hb__racing *r, uint32_t process, uint32_t first, uint32_t end)
{
	const hb_chosen *chosen = hb_model_chosen(r->m);
	const hb_process *p = &hb_model_processes(r->m)[process];
	struct choices c = {.r = r, .receives = hb_model_receives(r->m), .first = first, .end = end};
	uint32_t low, high;
	range(r, process, &low, &high);
	if (low == high)
		return;
	for (uint32_t i = low, to; i < high && !r->stopped && !r->no_memory; i = to) {
		for (to = i; to < high && chosen[to].at.line == chosen[i].at.line;)
			to++;
		hb__race_ready(r, chosen, i, to);
	}
	c.by = calloc((size_t)(end - first) + 1, sizeof *c.by);
	c.now = malloc(((size_t)(end - first) + 1) * sizeof *c.now);
	r->no_memory = r->no_memory || !c.by || !c.now;
	for (uint32_t i = low; i < high && !r->no_memory; i++)
		if (chosen[i].receive != HB_NO && !chosen[i].ready)
			c.by[chosen[i].receive - first] = i + 1;
	for (uint32_t l = p->first_line; l < p->first_line + p->nlines; l++) {
		c.nnow = 0;
		c.next = first;
		const hb_chosen *last = NULL;
		for (uint32_t i = low; i < high && !r->no_memory && !r->stopped; i++) {
			if (chosen[i].at.line != l || chosen[i].ready)
				continue;
			if (!last || last->at.event != chosen[i].at.event) /* Waitsome: one answer */
				answered(&c, chosen, &chosen[i]);
			last = &chosen[i];
		}
	}
	free(c.by);
	free(c.now);
}
