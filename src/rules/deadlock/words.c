/* The graph in words. */
#include <stdarg.h>
#include <stdio.h>

#include "rules/deadlock/wait.h"

void hb__phrase(struct hb__text *t, const char *format, ...)
{
	va_list args;
	if (t->n >= sizeof t->at - 1)
		return;
	va_start(args, format);
	int n = vsnprintf(t->at + t->n, sizeof t->at - t->n, format, args);
	va_end(args);
	if (n > 0)
		t->n = t->n + (size_t)n < sizeof t->at ? t->n + (size_t)n : sizeof t->at - 1;
}

const char *hb__named(const struct hb__graph *g, uint32_t process) { return hb_model_processes(g->m)[process].name; }

void hb__phrase_ranks(struct hb__text *t, const struct hb__graph *g, const uint32_t *process, size_t n)
{
	enum { MOST = 12 }; /* runs of ranks */
	const hb_process *p = hb_model_processes(g->m);
	hb_process_name run;
	size_t runs = 0;
	hb__phrase(t, n == 1 || !*hb_rank_word(p[process[0]].name) ? "%s" : "ranks ", hb_rank_word(p[process[0]].name));
	for (size_t i = 0; i < n;) {
		const hb_process *first = &p[process[i]], *last = first;
		size_t k = i + 1;
		while (k < n && p[process[k]].world == first->world && p[process[k]].rank <= last->rank + 1)
			last = &p[process[k++]];
		if (runs)
			hb__phrase(t, k == n ? " and " : ", ");
		if (runs++ == MOST) {
			hb__phrase(t, "%zu more", n - i);
			return;
		}
		if (last->rank == first->rank + 1)
			hb__phrase(t, k == n && !i ? "%s and %s" : "%s, %s", first->name, last->name);
		else
			hb__phrase(t, "%s",
				first == last ? first->name
					      : hb_process_range(first->world, first->rank, last->rank, run));
		i = k;
	}
}

void hb__phrase_who(struct hb__text *t, const struct hb__graph *g, uint32_t line)
{
	const hb_line *l = &hb_model_lines(g->m)[line];
	if (hb_model_processes(g->m)[l->process].nlines > 1)
		hb__phrase(t, "thread %u of ", l->lane);
	hb__phrase(t, "%s%s", hb_rank_word(hb__named(g, l->process)), hb__named(g, l->process));
}

static void say_group(struct hb__text *t, const struct hb__graph *g, uint32_t group)
{
	if (group != HB_NO && strcmp(hb_model_groups(g->m)[group].name, "WORLD") != 0)
		hb__phrase(t, " on %s", hb_model_group_title(g->m, group));
}

static void say_tag(struct hb__text *t, int32_t tag)
{
	if (tag == HB_ANY_TAG)
		hb__phrase(t, " with any tag");
	else
		hb__phrase(t, " with tag %d", tag);
}

static void say_missing(struct hb__text *t, const struct hb__graph *g, const struct hb__need *need)
{
	const struct hb__node *n = &g->node[need->node];
	uint32_t *missing = malloc(((size_t)n->n + 1) * sizeof *missing), k = 0;
	for (uint32_t i = 0; i < n->n && missing; i++)
		missing[k++] = g->edge[n->first + i].input;
	if (n->kind == HB__NODE_PROCESS)
		hb__phrase(t, "rank %s", hb__named(g, n->id));
	else if (missing)
		hb__phrase_ranks(t, g, missing, k);
	hb__phrase(t, " to take part");
	free(missing);
}

/* Whoever has the stream, but for the one who waits. */
static void say_peers(
	struct hb__text *t, const struct hb__graph *g, const struct hb__wait *w, const struct hb__need *need)
{
	enum { MOST = 4 };
	const struct hb__node *n = &g->node[need->node];
	uint32_t others = n->n > 1 ? n->n - 1 : 0, k = 0;
	if (!others || others > MOST)
		hb__phrase(t, others ? "one of %u other processes" : "somebody else", others);
	for (uint32_t i = 0; i < n->n && others && others <= MOST; i++) {
		const char *name = hb__named(g, g->edge[n->first + i].input);
		if (g->edge[n->first + i].input == w->process)
			continue;
		k++;
		hb__phrase(t, "%s%s%s", k == 1 ? "" : k == others ? " or " : ", ", hb_rank_word(name), name);
	}
	hb__phrase(t,
		w->means->does == HB_DOES_BYTES_OUT ? " to take something out of %s" : " to send something through %s",
		hb_model_group_title(g->m, need->group));
}

void hb__phrase_need(
	struct hb__text *t, const struct hb__graph *g, const struct hb__wait *w, const struct hb__need *need)
{
	bool self = need->peer == w->process;
	switch (need->want) {
	case HB__WANT_MESSAGE:
		if (need->peer == HB_NO)
			hb__phrase(t, "any rank to send a message");
		else
			hb__phrase(t, self ? "itself (rank %s) to send a message" : "rank %s to send a message",
				hb__named(g, need->peer));
		break;
	case HB__WANT_RECEIVE:
		hb__phrase(t, self ? "itself (rank %s) to receive its message" : "rank %s to receive its message",
			hb__named(g, need->peer));
		break;
	case HB__WANT_READY:
		hb__phrase(t, "its own process (rank %s) to call MPI_Pready for what it sends: partitions %s",
			hb__named(g, w->process), w->unready);
		return;
	case HB__WANT_THREAD:
		if (need->id == HB_NO)
			hb__phrase(t, "another thread of its process to wake it");
		else
			hb__phrase(t, "thread %u to end", hb_model_lines(g->m)[need->id].lane);
		return;
	case HB__WANT_UNLOCK:
		hb__phrase(t, self ? "itself (rank %s)" : "rank %s", hb__named(g, need->peer));
		hb__phrase(t, " to unlock the window's memory of rank %s", hb__named(g, need->id));
		return;
	case HB__WANT_POST:
		hb__phrase(t, "rank %s to call MPI_Win_post for it", hb__named(g, need->peer));
		return;
	case HB__WANT_START:
		hb__phrase(t, "rank %s to call MPI_Win_start and MPI_Win_complete for it", hb__named(g, need->peer));
		return;
	case HB__WANT_COMPLETE:
		hb__phrase(t, "rank %s to complete its epoch (MPI_Win_complete)", hb__named(g, need->peer));
		return;
	case HB__WANT_COLLECTIVE:
		say_missing(t, g, need);
		say_group(t, g, need->group);
		return;
	case HB__WANT_PEER:
		say_peers(t, g, w, need);
		return;
	case HB__WANT_CHILD:
		hb__phrase(t, "%s%s to end", hb_rank_word(hb__named(g, need->peer)), hb__named(g, need->peer));
		return;
	default:
		hb__phrase(t, *hb_rank_word(hb__named(g, w->process)) ? "other ranks" : "others");
		say_group(t, g, need->group);
		return;
	}
	say_tag(t, need->tag);
	say_group(t, g, need->group);
}

void hb__phrase_wait(struct hb__text *t, const struct hb__graph *g, const struct hb__wait *w)
{
	enum { MOST = 3 };
	if (w->asleep)
		hb__phrase(t, "sleeps %s and waits for ", hb_process_outside(hb__named(g, w->process)));
	else
		hb__phrase(t, w->poll ? "polls with %s for " : "waits in %s for ", w->name);
	for (uint32_t i = 0; i < w->n && i < MOST; i++) {
		if (i)
			hb__phrase(t, w->any ? ", or for " : ", and for ");
		hb__phrase_need(t, g, w, &g->need[w->need + i]);
	}
	if (w->n > MOST)
		hb__phrase(t, w->any ? ", or for one of %u more" : ", and for %u more", w->n - MOST);
}

void hb__phrase_state(struct hb__text *t, const struct hb__graph *g, uint32_t process)
{
	const hb_process *p = &hb_model_processes(g->m)[process];
	const struct hb__wait *w = NULL;
	for (uint32_t i = 0; i < p->nlines && !w; i++)
		if (g->wait[p->first_line + i].name && !g->wait[p->first_line + i].asleep)
			w = &g->wait[p->first_line + i];
	if (!p->log)
		hb__phrase(t, "has no log");
	else if (p->ending == HB_ENDING_FINALIZED)
		hb__phrase(t, "has finished");
	else if (p->ending == HB_ENDING_LEFT)
		hb__phrase(t, *hb_rank_word(p->name) ? "has left without MPI_Finalize" : "has ended");
	else if (p->ending == HB_ENDING_ABORTED)
		hb__phrase(t, "has aborted");
	else if (w && w->poll)
		hb__phrase(t, "polls with %s", w->name);
	else if (w)
		hb__phrase(t, "is in %s", w->name);
	else
		hb__phrase(t, "is %s", hb_process_outside(p->name));
}

hb_point hb__point_of(const struct hb__graph *g, uint32_t line)
{
	const struct hb__wait *w = &g->wait[line];
	const hb_line *l = &hb_model_lines(g->m)[line];
	hb_point p = {.process = w->process, .at = {line, l->events}, .site = w->site};
	if (w->poll)
		p.at.event = l->events + 1;
	if (w->name && !w->asleep)
		strncpy(p.function, w->name, sizeof p.function - 1);
	return p;
}
