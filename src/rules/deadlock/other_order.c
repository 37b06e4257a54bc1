/* Messages in another order: a wildcard receive that takes the message which a later receive, from this sender alone, waits
 * for. When every message of that sender is needed so, one of these receives then waits for ever. */
#include <stdio.h>

#include "rules/deadlock/wait.h"
#include "rules/race.h"

struct other {
	hb_case *c;
	hb_status status;
	hb_error *err;
	/* by channel: messages that a receive with this very source got, posted after the others */
	uint32_t *named;
	uint32_t *first; /* by channel: the first receive that names the source; HB_NO: none */
};

static bool names_source(const hb_model *m, const hb_receive *v)
{
	const hb_spec *s = &hb_model_specs(m)[v->spec];
	return !s->any_source && s->source != HB_NO;
}

/* All messages of the channel from this one on went to receives that name its sender, and there is none to spare. */
static bool needed(const struct other *o, uint32_t send)
{
	const hb_model *m = o->c->model;
	uint32_t channel = hb_model_sends(m)[send].channel, n;
	const uint32_t *all = hb_model_channel_sends(m, channel, &n);
	const hb_channel *ch = &hb_model_channels(m)[channel];
	for (uint32_t k = n; k-- > 0;) {
		uint32_t r = hb_model_sends(m)[all[k]].receive;
		if (r == HB_NO || !names_source(m, &hb_model_receives(m)[r]))
			return false;
		const hb_spec *s = &hb_model_specs(m)[hb_model_receives(m)[r].spec];
		if (s->tag != ch->tag) /* it would take another tag as well */
			return false;
		if (all[k] == send)
			return true;
	}
	return false;
}

static hb_point point_of(const hb_model *m, hb_at at, uint32_t process, uint32_t site, const char *role)
{
	hb_point p = {.process = process, .at = at, .site = site};
	(void)m;
	snprintf(p.role, sizeof p.role, "%s", role);
	return p;
}

static bool on_race(void *user, const hb_race *race)
{
	struct other *o = user;
	const hb_model *m = o->c->model;
	const hb_process *process = hb_model_processes(m);
	if (race->kind != HB_RACE_RECEIVE || race->uncertain || race->dependent)
		return true;
	for (uint32_t i = 0; i < race->nalternatives; i++) {
		const hb_alternative *a = &race->alternative[i];
		if (a->receive == HB_NO || a->dependent || !needed(o, a->send))
			continue;
		const hb_receive *v = &hb_model_receives(m)[a->receive];
		const hb_spec *later = &hb_model_specs(m)[v->spec], *wild = &hb_model_specs(m)[race->spec];
		const hb_channel *c = &hb_model_channels(m)[hb_model_sends(m)[a->send].channel];
		const char *rank = process[wild->process].name, *from = process[c->source].name;
		hb_point p[3] = {point_of(m, race->post, wild->process, wild->site, "takes a message from any rank"),
			point_of(m, hb_receive_post(m, a->receive), later->process, later->site, ""),
			point_of(m, hb_send_at(m, a->send), c->source, 0,
				"sends the message that both receives can take")};
		snprintf(p[1].role, sizeof p[1].role, "then waits for rank %s to send tag %d", from, c->tag);
		o->status = hb__finding(o->c, HB_DEADLOCK_OTHER_ORDER, true,
			"Give the wildcard receive a tag of its own, name its source, or let the later receive take whichever message is left.",
			p, 3, o->err,
			"rank %s hangs when messages arrive in another order: its receive from any rank can take the message with tag %d of rank %s, for which a later receive waits",
			rank, c->tag, from);
		return !o->status;
	}
	return true;
}

hb_status hb_rule_other_order(hb_case *c, hb_error *err)
{
	enum { MOST = 20000000 }; /* events: beyond, races are for hbdb races */
	struct other o = {.c = c, .err = err};
	hb_race_sum sum;
	const hb_model_info *info = hb_model_get_info(c->model);
	bool wild = false;
	for (uint32_t s = 0; s < info->specs; s++)
		wild |= hb_model_specs(c->model)[s].any_source;
	if (!c->complete || info->open || !wild || info->events > MOST)
		return HB_OK;
	hb_status status = hb_races_share(c->model, HB_RACES_FEW, c->share, c->shares, on_race, &o, &sum, err);
	return status ? status : o.status;
}
