/* Poll and its kin: what a later answer of the same call names could have been ready first, when its process waited for it already then, and when it was
 * not sent because of the first answer. Which descriptors a call waits for is not recorded: those count that the same call at
 * the same place names later. As what was ready stays ready until it is taken, it is the same thing for as long as that. */
#include "rules/race/parts.h"

#define AHEAD 256 /* answers that are looked at behind one */

static bool named(const hb_chosen *chosen, uint32_t low, uint32_t high, uint32_t receive)
{
	for (uint32_t i = low; i < high; i++)
		if (chosen[i].receive == receive)
			return true;
	return false;
}

static bool found(const struct hb__racing *r, uint32_t receive)
{
	for (uint32_t i = 0; i < r->nfound; i++)
		if (r->found[i].receive == receive)
			return true;
	return false;
}

/* One answer: chosen[low, high). */
static void answered(struct hb__racing *r, const hb_chosen *chosen, uint32_t low, uint32_t high, uint32_t end)
{
	const hb_chosen *c = &chosen[low];
	const hb_receive *receives = hb_model_receives(r->m);
	hb_race race = {.kind = HB_RACE_READY, .id = HB_NO, .spec = HB_NO, .got = HB_NO, .post = c->at, .done = c->at};
	r->nfound = 0;
	r->open = false;
	r->sum.choices++;
	for (uint32_t i = low; i < high && race.id == HB_NO; i++)
		race.id = chosen[i].receive;
	for (uint32_t i = high; i < end && i - high < AHEAD && !r->no_memory; i++) {
		const hb_chosen *later = &chosen[i];
		uint32_t send = later->receive == HB_NO ? HB_NO : receives[later->receive].send;
		if (send == HB_NO || later->site != c->site || later->function != c->function ||
			later->since >= c->at.event || hb_send_seen(r->m, send, c->at.line) > c->at.event ||
			named(chosen, low, high, later->receive) || found(r, later->receive))
			continue;
		hb__found(r, send, false);
	}
	if (race.id != HB_NO) {
		race.spec = receives[race.id].spec;
		race.got = receives[race.id].send;
	}
	hb__race_told(r, &race);
}

void hb__race_ready(struct hb__racing *r, const hb_chosen *chosen, uint32_t low, uint32_t high)
{
	for (uint32_t i = low, end; i < high && !r->stopped && !r->no_memory; i = end) {
		for (end = i; end < high && chosen[end].at.event == chosen[i].at.event;)
			end++;
		if (chosen[i].ready)
			answered(r, chosen, i, end, high);
	}
}
