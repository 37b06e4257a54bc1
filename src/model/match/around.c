/* Calls inside of which the thread made others: what a library of MPI does over sockets stands before the call, whose message or part in a
 * collective had begun before. Which these are is told by the times at which they began. */
#include "model/match/read.h"

void hb__note_around(struct hb__reading *r)
{
	uint32_t number = (uint32_t)r->event->row->number, first = number;
	uint64_t enter = r->event->row->enter;
	struct hb__begun_calls *c = &r->begun[r->line - r->m->processes.at[r->process].first_line];
	while (c->all.n && c->all.at[c->all.n - 1].enter > enter)
		first = c->all.at[--c->all.n].first;
	if (!VEC_PUSH(&c->all, ((struct hb__begun){enter, first})))
		r->m->no_memory = true;
	if (first != number && !VEC_PUSH(&r->m->line_more.at[r->line].around, ((struct hb__around){number, first})))
		r->m->no_memory = true;
}

static int by_first(const void *a, const void *b)
{
	const struct hb__around *x = a, *y = b;
	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return x->event > y->event ? -1 : x->event < y->event;
}

void hb__around_read(struct hb__reading *r)
{
	const hb_process *p = &r->m->processes.at[r->process];
	for (uint32_t i = 0; r->begun && i < p->nlines; i++) {
		struct hb__line *l = &r->m->line_more.at[p->first_line + i];
		free(r->begun[i].all.at);
		if (!l->around.n)
			continue;
		l->by_first = malloc(l->around.n * sizeof *l->by_first);
		if (!l->by_first) {
			r->m->no_memory = true;
			l->around.n = 0;
			continue;
		}
		memcpy(l->by_first, l->around.at, l->around.n * sizeof *l->by_first);
		qsort(l->by_first, l->around.n, sizeof *l->by_first, by_first);
	}
	free(r->begun);
	r->begun = NULL;
}
