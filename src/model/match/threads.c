/* Which matches threads leave open. Two calls of different threads that overlap in time may have
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
