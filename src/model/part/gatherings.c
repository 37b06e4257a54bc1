/* Collectives in the pass: as clock/collectives.c has them, with what all members know of each (struct hb__meeting). */
#include "model/part/pass.h"

static struct hb__gathering *gathering(struct hb__pass *s, uint32_t id)
{
	struct hb__gathering *g = s->gatherings[id];
	if (g)
		return g;
	const struct hb__meeting *c = &s->p->meetings[id];
	s->gatherings[id] = g = malloc(sizeof *g);
	if (g)
		*g = (struct hb__gathering){.known = {HB_NO, HB_NO}, .sleepers = HB_NO, .root_version = HB_NO};
	if (g && (c->order == HB_ORDER_SCAN || c->order == HB_ORDER_EXSCAN))
		g->scan = calloc((size_t)s->m->groups.at[c->group].size + 1, sizeof *g->scan);
	s->no_memory = s->no_memory || !g || ((c->order == HB_ORDER_SCAN || c->order == HB_ORDER_EXSCAN) && !g->scan);
	return g;
}

static void forget(struct hb__pass *s, uint32_t id)
{
	struct hb__gathering *g = s->gatherings[id];
	hb__version_drop(&s->versions, g->known[0]);
	hb__version_drop(&s->versions, g->known[1]);
	hb__version_drop(&s->versions, g->root_version);
	for (uint32_t i = 0; g->scan && i < s->m->groups.at[s->p->meetings[id].group].size; i++)
		hb__version_drop(&s->versions, g->scan[i] ? g->scan[i] - 1 : HB_NO);
	free(g->scan);
	free(g);
	s->gatherings[id] = NULL;
}

void hb__gatherings_close(struct hb__pass *s)
{
	for (uint32_t i = 0; s->gatherings && i < s->p->nmeetings; i++)
		if (s->gatherings[i]) {
			free(s->gatherings[i]->scan);
			free(s->gatherings[i]);
		}
	free(s->gatherings);
}

static uint32_t place_of(const struct hb__pass *s, const struct hb__meeting *c, uint32_t line, bool *ret_remote)
{
	*ret_remote = false;
	if (!c->inter && c->order != HB_ORDER_SCAN && c->order != HB_ORDER_EXSCAN)
		return 0;
	return hb__place_in(s->m, &s->m->groups.at[c->group], s->m->lines.at[line].process, ret_remote);
}

void hb__gathering_entered(struct hb__pass *s, uint32_t line, uint32_t id)
{
	const struct hb__meeting *c = &s->p->meetings[id];
	if (c->order == HB_ORDER_NONE || !c->exits)
		return;
	struct hb__gathering *g = gathering(s, id);
	if (s->no_memory)
		return;
	bool remote;
	uint32_t place = place_of(s, c, line, &remote);
	g->entered[remote]++;
	if (c->order == HB_ORDER_OUT) {
		if (s->m->lines.at[line].process == c->root) {
			g->root_entered = true;
			g->root_version = hb__version_new(&s->versions, s->lines[line].clock);
		}
	} else if (g->scan) {
		if (place != HB_NO && !remote)
			g->scan[place] = hb__version_new(&s->versions, s->lines[line].clock) + 1;
	} else if (g->known[remote] == HB_NO) {
		g->known[remote] = hb__version_new(&s->versions, s->lines[line].clock);
		s->no_memory = s->no_memory || g->known[remote] == HB_NO;
	} else {
		hb__clock_merge(hb__version(&s->versions, g->known[remote]), s->lines[line].clock, s->versions.width);
	}
	hb__pass_wake_chain(s, &g->sleepers);
}

static bool complete(const struct hb__pass *s, const struct hb__gathering *g, const struct hb__meeting *c,
	uint32_t process, bool remote, uint32_t place)
{
	bool one = g->entered[0] >= (c->inter ? c->from[0] : c->enters), other = g->entered[1] >= c->from[1];
	if (c->order == HB_ORDER_OUT)
		return g->root_entered || c->root == HB_NO || c->root == process || !c->root_enters;
	if (c->order == HB_ORDER_IN && c->root != process)
		return true;
	/* a scan that not all have entered is refused before: hb__part_collectives */
	for (uint32_t i = 0; g->scan && i < place && place != HB_NO; i++)
		if (!g->scan[i])
			return false;
	if (g->scan)
		return true;
	(void)s;
	return !c->inter ? one : c->both_sides ? one && other : remote ? one : other;
}

static void learn(struct hb__pass *s, uint32_t line, const struct hb__gathering *g, const struct hb__meeting *c,
	bool remote, uint32_t place)
{
	uint32_t process = s->m->lines.at[line].process;
	if (c->order == HB_ORDER_OUT) {
		if (c->root != process && g->root_version != HB_NO)
			hb__pass_learn(s, line, g->root_version);
		return;
	}
	if (c->order == HB_ORDER_IN && c->root != process)
		return;
	for (uint32_t i = 0; g->scan && i < place && place != HB_NO; i++)
		if (g->scan[i])
			hb__pass_learn(s, line, g->scan[i] - 1);
	if (g->scan)
		return;
	if ((!c->inter || remote || c->both_sides) && g->known[0] != HB_NO)
		hb__pass_learn(s, line, g->known[0]);
	if (c->inter && (!remote || c->both_sides) && g->known[1] != HB_NO)
		hb__pass_learn(s, line, g->known[1]);
}

bool hb__gathering_left(struct hb__pass *s, uint32_t line, uint32_t id)
{
	const struct hb__meeting *c = &s->p->meetings[id];
	if (c->order == HB_ORDER_NONE)
		return true;
	struct hb__gathering *g = gathering(s, id);
	if (s->no_memory)
		return true;
	bool remote;
	uint32_t place = place_of(s, c, line, &remote);
	if (!complete(s, g, c, s->m->lines.at[line].process, remote, place)) {
		s->lines[line].chain = g->sleepers;
		g->sleepers = line;
		return false;
	}
	learn(s, line, g, c, remote, place);
	if (++g->left == c->exits && g->entered[0] + g->entered[1] >= c->enters)
		forget(s, id);
	return true;
}
