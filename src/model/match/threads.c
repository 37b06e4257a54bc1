/* What threads order, and which matches they leave open. Two calls of different threads that overlap in time may have
 * been taken by MPI in either order; when both are messages of one channel, who got which is not known. */
#include "model/match/read.h"

/* The call on a channel that ended last, and the latest end of a call of another line. */
struct recent {
	uint32_t line, id;
	uint64_t exit, other_exit;
	uint32_t other_id;
};

static bool overlaps(struct recent *v, uint32_t id, uint32_t line, const struct hb__when *w, uint32_t *ret_with)
{
	bool yes = false;
	if (v->line == HB_NO) {
		*v = (struct recent){line, id, w->exit, 0, HB_NO};
		return false;
	}
	if (v->line != line && v->exit > w->enter) {
		yes = true;
		*ret_with = v->id;
	} else if (v->line == line && v->other_exit > w->enter) {
		yes = true;
		*ret_with = v->other_id;
	}
	if (v->line != line) {
		v->other_exit = v->exit;
		v->other_id = v->id;
		v->line = line;
		v->exit = w->exit;
	} else if (w->exit > v->exit) {
		v->exit = w->exit;
	}
	v->id = id;
	return yes;
}

void hb__mark_overlaps(struct hb__reading *r)
{
	hb_model *m = r->m;
	uint32_t first_send = m->process_more[r->process].first_send;
	uint32_t first_receive = m->process_more[r->process].first_receive, with = 0;
	size_t n = m->channels.n;
	struct recent *sent = malloc((n + 1) * sizeof *sent), *got = malloc((n + 1) * sizeof *got);
	for (size_t i = 0; i < n && sent && got; i++)
		sent[i].line = got[i].line = HB_NO;
	for (size_t i = first_send; sent && got && i < m->sends.n && i - first_send < r->sent_when.n; i++) {
		hb_send *s = &m->sends.at[i];
		if (m->groups.at[m->channels.at[s->channel].group].untagged)
			continue; /* found one by one */
		if (overlaps(&sent[s->channel], (uint32_t)i, s->line, &r->sent_when.at[i - first_send], &with)) {
			s->flags |= HB_AMBIGUOUS;
			m->sends.at[with].flags |= HB_AMBIGUOUS;
		}
	}
	for (size_t i = first_receive; sent && got && i < m->receives.n && i - first_receive < r->posted_when.n; i++) {
		hb_receive *v = &m->receives.at[i];
		if (v->send != HB_NO &&
			overlaps(&got[v->send], (uint32_t)i, v->line, &r->posted_when.at[i - first_receive], &with)) {
			v->flags |= HB_AMBIGUOUS;
			m->receives.at[with].flags |= HB_AMBIGUOUS;
		}
	}
	free(sent);
	free(got);
}

/* A thread may have told of events before MPI_Init, which another one than the first may have called. */
void hb__place_threads(struct hb__reading *r)
{
	const hb_process *p = &r->m->processes.at[r->process];
	uint32_t init = r->m->process_more[r->process].init.line == p->first_line ? r->init : 0;
	for (uint32_t i = 1; i < p->nlines; i++) {
		struct hb__line *line = &r->m->line_more.at[p->first_line + i];
		line->init = line->started >= init ? init : 0;
	}
}

/* How far the first line was when another one began, and when it was over. */
void hb__note_threads(struct hb__reading *r)
{
	const hb_row *row = r->event->row;
	const hb_process *p = &r->m->processes.at[r->process];
	struct hb__line *lines = &r->m->line_more.at[p->first_line];
	uint32_t lane = r->line - p->first_line, first = r->m->lines.at[p->first_line].events;
	if (lane && row->number == 1)
		lines[lane].started = first && r->over[0] > row->enter ? first - 1 : first;
	if (lane)
		lines[lane].joined = 0;
	for (uint32_t i = 1; i < p->nlines && !lane; i++)
		if (r->over[i] && !lines[i].joined && r->over[i] <= row->enter)
			lines[i].joined = (uint32_t)row->number;
	r->over[lane] = row->exit;
}

/* ---- operations by which threads order each other ---- */

static uint32_t line_of(const hb_model *m, uint32_t process, int64_t lane)
{
	const hb_process *p = &m->processes.at[process];
	return lane >= 0 && lane < (int64_t)p->nlines ? p->first_line + (uint32_t)lane : HB_NO;
}

void hb__on_order(struct hb__reading *r)
{
	const hb_event *e = r->event;
	const int64_t *is = e->row->results;
	if (r->inside || e->malformed || e->row->nresults < 2)
		return;
	struct hb__operation o = {.event = (uint32_t)e->row->number,
		.nth = (uint32_t)is[0],
		.posts = e->means->does == HB_DOES_POST_AFTER,
		.line = e->row->nresults >= 4 ? line_of(r->m, r->process, is[1]) : HB_NO};
	if (o.line != HB_NO) {
		hb_lane_info
			other; /* counted from the beginning of the process: a ring may have given up the first ones */
		uint64_t before =
			hb_log_lane(r->m->processes.at[r->process].log, (uint32_t)is[1], &other) ? 0 : other.before;
		if ((uint64_t)is[2] < before)
			o.line = HB_NO;
		o.after = (uint32_t)((uint64_t)is[2] - before);
		o.after_nth = (uint32_t)is[3];
	}
	if (!VEC_PUSH(&r->m->line_more.at[r->line].operations, o))
		r->m->no_memory = true;
}

size_t hb__operations_behind(const struct hb__line *line, uint32_t event)
{
	size_t low = 0, high = line->operations.n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (line->operations.at[mid].event <= event)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The event whose exit the operation comes after: it is an event itself when it has a row, which then is the next one. */
static uint32_t event_of(const struct hb__line *l, uint32_t event, uint32_t nth)
{
	size_t low = hb__operations_behind(l, event);
	const struct hb__operation *o = low < l->operations.n ? &l->operations.at[low] : NULL;
	return o && o->event == event + 1 && o->nth == nth ? event + 1 : event;
}

bool hb__link_threads(hb_model *m)
{
	for (uint32_t line = 0; line < m->lines.n; line++) {
		struct hb__line *l = &m->line_more.at[line];
		for (size_t i = 0; i < l->operations.n; i++) {
			const struct hb__operation *o = &l->operations.at[i];
			if (o->line == HB_NO || o->line == line || o->posts)
				continue;
			uint32_t from = event_of(&m->line_more.at[o->line], o->after, o->after_nth);
			const hb_line *other = &m->lines.at[o->line];
			bool there = from && (from < other->events || (from == other->events && !other->inside));
			if (there && (m->edges.n >> 28 ||
					     !VEC_PUSH(&m->edges,
						     ((hb_edge){{o->line, from}, {line, o->event}, HB_EDGE_THREADS}))))
				return false;
		}
	}
	return !m->no_memory;
}

/* ---- calls inside of which the thread made others: what a library of MPI does over sockets stands before the call, whose message or part in
 * a collective had begun before. Which these are is told by the times at which they began. ---- */

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
