/* Near misses: a message under way that would have done, had its tag, its communicator or its receiver been another; a
 * receive under way that would have taken it. */
#include <stdio.h>

#include "rules/deadlock/wait.h"

static void say_channel(struct hb__text *t, const struct hb__graph *g, int32_t tag, uint32_t group)
{
	if (tag == HB_ANY_TAG)
		hb__phrase(t, "any tag on %s", hb_model_group_title(g->m, group));
	else
		hb__phrase(t, "tag %d on %s", tag, hb_model_group_title(g->m, group));
}

/* How near; 0: not at all. */
static int nearness(bool source, bool tag, bool group)
{
	return source && group ? 4 : source && tag ? 3 : group && tag ? 2 : source ? 1 : 0;
}

/* What goes over sockets and pipes would not have done for a receive of MPI. */
static bool untagged(const struct hb__graph *g, uint32_t group)
{
	return group != HB_NO && hb_model_groups(g->m)[group].untagged;
}

/* Messages to the process that nobody has received. */
static bool for_message(const struct hb__graph *g, const struct hb__wait *w, const struct hb__need *need, hb_point *ret,
	struct hb__text *text)
{
	const hb_channel *best = NULL;
	uint32_t send = HB_NO;
	int near = 0;
	for (uint32_t i = g->in_first[w->process]; i < g->in_first[w->process + 1]; i++) {
		const hb_channel *c = &hb_model_channels(g->m)[g->in[i]];
		int d = nearness(need->peer == HB_NO || need->peer == c->source,
			need->tag == HB_ANY_TAG || need->tag == c->tag, need->group == c->group);
		uint32_t n;
		if (untagged(g, c->group))
			continue;
		const uint32_t *all = d > near ? hb_model_channel_sends(g->m, g->in[i], &n) : NULL;
		for (uint32_t k = 0; all && k < n; k++)
			if (!g->sent[all[k]]) {
				near = d;
				best = c;
				send = all[k];
				break;
			}
	}
	if (!best || best->source == HB_NO)
		return false;
	hb_at at = hb_send_at(g->m, send);
	*ret = (hb_point){.process = best->source, .at = at};
	snprintf(ret->role, sizeof ret->role, "has sent tag %d on %s to rank %s, which nobody receives", best->tag,
		hb_model_group_title(g->m, best->group), hb__named(g, w->process));
	hb__phrase(text, "rank %s has sent ", hb__named(g, best->source));
	say_channel(text, g, best->tag, best->group);
	hb__phrase(text, ", but rank %s waits for ", hb__named(g, w->process));
	say_channel(text, g, need->tag, need->group);
	if (need->peer != HB_NO && need->peer != best->source)
		hb__phrase(text, " from rank %s", hb__named(g, need->peer));
	return true;
}

/* Receives of the peer that nothing has come for. */
static bool for_receive(const struct hb__graph *g, const struct hb__wait *w, const struct hb__need *need, hb_point *ret,
	struct hb__text *text)
{
	const hb_spec *best = NULL;
	uint32_t receive = HB_NO;
	int near = 0;
	for (uint32_t i = g->open_first[need->peer]; i < g->open_first[need->peer + 1]; i++) {
		const hb_receive *v = &hb_model_receives(g->m)[g->open[i]];
		const hb_spec *s = &hb_model_specs(g->m)[v->spec];
		int d = nearness(s->any_source || s->source == w->process, s->tag == HB_ANY_TAG || s->tag == need->tag,
			s->group == need->group);
		if (g->got[g->open[i]] || d <= near || untagged(g, s->group))
			continue;
		near = d;
		best = s;
		receive = g->open[i];
	}
	if (!best)
		return false;
	*ret = (hb_point){.process = need->peer, .at = hb_receive_post(g->m, receive)};
	hb__phrase(text, "rank %s has sent ", hb__named(g, w->process));
	say_channel(text, g, need->tag, need->group);
	hb__phrase(text, ", but rank %s receives ", hb__named(g, need->peer));
	say_channel(text, g, best->tag, best->group);
	if (!best->any_source && best->source != w->process && best->source != HB_NO)
		hb__phrase(text, " from rank %s", hb__named(g, best->source));
	snprintf(ret->role, sizeof ret->role, "receives a different message than rank %s has sent",
		hb__named(g, w->process));
	return true;
}

bool hb__near_miss(const struct hb__graph *g, const struct hb__wait *w, hb_point *ret, struct hb__text *text)
{
	for (uint32_t i = 0; i < w->n; i++) {
		const struct hb__need *need = &g->need[w->need + i];
		if (need->want == HB__WANT_MESSAGE && for_message(g, w, need, ret, text))
			return true;
		if (need->want == HB__WANT_RECEIVE && need->peer != w->process && for_receive(g, w, need, ret, text))
			return true;
	}
	return false;
}
