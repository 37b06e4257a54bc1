/* Reads of streams that got less than they had room for: how much there was is chance, when what was sent next was not sent because of the read,
 * for it could have been there, too; and when several calls had sent what it got, for less could have been there. */
#include "base/grow.h"
#include "rules/race/parts.h"

/* By channel: the receive that took of it last, so far; chained by receive: the next one. */
struct parts {
	uint32_t *last, *next;
};

static uint32_t channel_of(const hb_model *m, uint32_t receive)
{
	uint32_t send = hb_model_receives(m)[receive].send;
	return send == HB_NO ? HB_NO : hb_model_sends(m)[send].channel;
}

static uint32_t chain(const hb_model *m, struct parts *p, uint32_t first, uint32_t end)
{
	const hb_receive *v = hb_model_receives(m);
	uint32_t n = 0;
	for (uint32_t i = first; i < end; i++) {
		uint32_t channel = channel_of(m, i);
		n += (v[i].flags & HB_PART) != 0;
		p->next[i - first] = HB_NO;
		if (channel == HB_NO)
			continue;
		if (p->last[channel] != HB_NO && p->last[channel] >= first)
			p->next[p->last[channel] - first] = i;
		p->last[channel] = i;
	}
	return n;
}

/* The receives [i, end) are of one call. */
static void examine(struct hb__racing *r, const struct parts *p, uint32_t first, uint32_t i, uint32_t end)
{
	const hb_receive *v = &hb_model_receives(r->m)[i];
	uint32_t next = p->next[end - 1 - first], send = next == HB_NO ? HB_NO : hb_model_receives(r->m)[next].send;
	hb_race race = {.kind = HB_RACE_PART, .id = i, .spec = v->spec, .got = v->send, .several = end - i > 1};
	race.post = race.done = (hb_at){v->line, v->done};
	r->nfound = 0;
	r->open = false;
	r->sum.parts++;
	if (send != HB_NO && hb_send_seen(r->m, send, v->line) <= v->done)
		hb__found(r, send, false);
	hb__race_told(r, &race);
}

void hb__race_parts(struct hb__racing *r, uint32_t first, uint32_t end)
{
	const hb_receive *v = hb_model_receives(r->m);
	bool any = false;
	for (uint32_t i = first; i < end && !any; i++)
		any = v[i].flags & HB_PART;
	if (!any)
		return;
	size_t channels = hb_model_get_info(r->m)->channels;
	struct parts p = {
		malloc((channels + 1) * sizeof *p.last), malloc(((size_t)(end - first) + 1) * sizeof *p.next)};
	r->no_memory = r->no_memory || !p.last || !p.next;
	if (!r->no_memory) {
		memset(p.last, 0xff, channels * sizeof *p.last);
		chain(r->m, &p, first, end);
	}
	for (uint32_t i = first, to; i < end && !r->no_memory && !r->stopped; i = to) {
		for (to = i + 1; to < end && v[to].line == v[i].line && v[to].done == v[i].done && v[to].done;)
			to++;
		if (v[i].flags & HB_PART && v[i].done && v[i].send != HB_NO)
			examine(r, &p, first, i, to);
	}
	free(p.last);
	free(p.next);
}
