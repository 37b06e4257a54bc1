/* Waitany and its kin: among the receives that were pending and that the same call completes later, those whose
 * message was not sent because of this answer could have been complete instead. Which requests were in the array
 * is not recorded: those completed by the same call at the same place are taken for it. */
#include "rules/race/parts.h"

struct pending {
	uint32_t post, done, receive; /* of one place in the program */
};

static int by_post(const void *a, const void *b)
{
	const struct pending *x = a, *y = b;
	return x->post < y->post ? -1 : x->post > y->post;
}

/* One place: its answers in the order of events, and the receives that it completed. */
struct place {
	const hb_chosen *answers;
	const uint32_t *at; /* numbers of its answers */
	size_t n;
	struct pending *pending; /* by post */
	size_t npending, entered;
	struct pending *now; /* pending at the answer at hand */
	size_t nnow;
};

static void answer(struct hb__racing *r, struct place *p, const hb_chosen *c)
{
	uint32_t event = c->at.event;
	size_t kept = 0;
	while (p->entered < p->npending && p->pending[p->entered].post < event)
		p->now[p->nnow++] = p->pending[p->entered++];
	for (size_t i = 0; i < p->nnow; i++)
		if (p->now[i].done >= event)
			p->now[kept++] = p->now[i];
	p->nnow = kept;
	r->nfound = 0;
	r->sum.choices++;
	for (size_t i = 0; i < p->nnow; i++) {
		uint32_t send = hb_model_receives(r->m)[p->now[i].receive].send;
		if (p->now[i].done > event && hb_send_seen(r->m, send, c->at.line) <= event)
			hb__found(r, send, false);
	}
	hb_race race = {.kind = HB_RACE_CHOICE, .id = c->receive, .spec = HB_NO, .got = HB_NO};
	race.post = race.done = c->at;
	if (c->receive != HB_NO) {
		race.spec = hb_model_receives(r->m)[c->receive].spec;
		race.got = hb_model_receives(r->m)[c->receive].send;
	}
	hb__race_told(r, &race);
}

static void on_place(struct hb__racing *r, const hb_chosen *chosen, const uint32_t *at, size_t n)
{
	struct place p = {.answers = chosen, .at = at, .n = n};
	p.pending = malloc((n + 1) * sizeof *p.pending);
	p.now = malloc((n + 1) * sizeof *p.now);
	if (!p.pending || !p.now)
		r->no_memory = true;
	for (size_t i = 0; i < n && !r->no_memory; i++) {
		const hb_chosen *c = &chosen[at[i]];
		const hb_receive *v = c->receive == HB_NO ? NULL : &hb_model_receives(r->m)[c->receive];
		if (v && v->send != HB_NO && v->line == c->at.line)
			p.pending[p.npending++] = (struct pending){v->post, c->at.event, c->receive};
	}
	if (!r->no_memory)
		qsort(p.pending, p.npending, sizeof *p.pending, by_post);
	for (size_t i = 0; i < n && !r->no_memory && !r->stopped; i++) {
		bool again = i && chosen[at[i]].at.event == chosen[at[i - 1]].at.event; /* Waitsome: one answer */
		if (!again)
			answer(r, &p, &chosen[at[i]]);
	}
	free(p.pending);
	free(p.now);
}

static int by_place(const void *a, const void *b, void *user)
{
	const hb_chosen *c = user, *x = &c[*(const uint32_t *)a], *y = &c[*(const uint32_t *)b];
	if (x->at.line != y->at.line)
		return x->at.line < y->at.line ? -1 : 1;
	if (x->site != y->site)
		return x->site < y->site ? -1 : 1;
	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	return *(const uint32_t *)a < *(const uint32_t *)b ? -1 : 1;
}

static bool same_place(const hb_chosen *a, const hb_chosen *b)
{
	return a->at.line == b->at.line && a->site == b->site && a->function == b->function;
}

void hb__race_choices(struct hb__racing *r, uint32_t process)
{
	const hb_chosen *chosen = hb_model_chosen(r->m);
	const hb_process *p = &hb_model_processes(r->m)[process];
	uint32_t n = hb_model_get_info(r->m)->chosen, low = 0, high = n;
	while (low < high) { /* processes follow each other in it */
		uint32_t mid = low + (high - low) / 2;
		if (chosen[mid].at.line < p->first_line)
			low = mid + 1;
		else
			high = mid;
	}
	while (high < n && chosen[high].at.line < p->first_line + p->nlines)
		high++;
	if (low == high)
		return;
	uint32_t *at = malloc((high - low) * sizeof *at);
	if (!at) {
		r->no_memory = true;
		return;
	}
	for (uint32_t i = low; i < high; i++)
		at[i - low] = i;
	qsort_r(at, high - low, sizeof *at, by_place, (void *)chosen);
	for (size_t i = 0, from = 0; i < high - low; i++)
		if (i + 1 == high - low || !same_place(&chosen[at[i]], &chosen[at[i + 1]])) {
			on_place(r, chosen, at + from, i + 1 - from);
			from = i + 1;
		}
	free(at);
}
