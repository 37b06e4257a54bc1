/* Messages and receives that did not meet, and what they have in common. */
#include <stdio.h>
#include <string.h>

#include "model/event.h"
#include "rules/messages/messages.h"

const char *hb__letter_name(const struct hb__letters *l, uint32_t process)
{
	return process < l->info->processes ? l->process[process].name : "-1";
}

const char *hb__letter_from(const struct hb__letters *l, const hb_spec *s, char ret[32])
{
	if (s->any_source)
		snprintf(ret, 32, "any rank");
	else if (s->source == HB_NO)
		snprintf(ret, 32, "a process without a log");
	else
		snprintf(ret, 32, "rank %s", hb__letter_name(l, s->source));
	return ret;
}

const char *hb__letter_tag(int32_t tag, char ret[32])
{
	if (tag == HB_ANY_TAG)
		snprintf(ret, 32, "any tag");
	else
		snprintf(ret, 32, "tag %d", tag);
	return ret;
}

const char *hb__letter_on(const struct hb__letters *l, uint32_t group, char ret[64])
{
	const hb_group *g = group < l->info->groups ? &hb_model_groups(l->m)[group] : NULL;
	ret[0] = 0;
	if (g && strcmp(g->name, "WORLD") != 0)
		snprintf(ret, 64, " on %s", g->name);
	return ret;
}

hb_point hb__letter_send_point(const struct hb__letters *l, uint32_t send, const char *role)
{
	hb_at at = hb_model_sends(l->m) ? hb_send_at(l->m, send) : (hb_at){HB_NO, 0};
	hb_point p = {.process = l->line[at.line].process, .at = at};
	snprintf(p.role, sizeof p.role, "%s", role);
	return p;
}

hb_point hb__letter_post_point(const struct hb__letters *l, uint32_t receive, const char *role)
{
	const hb_spec *s = &l->spec[l->receive[receive].spec];
	hb_point p = {.process = s->process, .at = hb_receive_post(l->m, receive), .site = s->site};
	snprintf(p.role, sizeof p.role, "%s", role);
	snprintf(p.function, sizeof p.function, "%s",
		hb__letter_receive_name(l, receive)); /* of MPI_Start: what it starts */
	return p;
}

static bool in_finalize(const struct hb__letters *l, uint32_t process)
{
	const hb_line *line = &l->line[l->process[process].first_line];
	hb_events *events;
	hb_event e;
	bool is = false;
	if (!line->inside || hb_events_open_at(l->process[process].log, line->lane, line->events, &events, NULL))
		return false;
	while (hb_events_next(events, &e, NULL) == 1)
		;
	is = hb_events_inside(events, &e) == 1 && e.means->does == HB_DOES_FINALIZE;
	hb_events_close(events);
	return is;
}

bool hb__letter_over(const struct hb__letters *l, uint32_t process)
{
	if (process >= l->info->processes || !l->process[process].log || l->process[process].cut)
		return false;
	return l->process[process].ending == HB_ENDING_FINALIZED ||
	       (l->process[process].nlines == 1 && in_finalize(l, process));
}

bool hb__letter_matches(const hb_spec *s, const hb_channel *c)
{
	return s->group == c->group && s->process == c->dest && (s->tag == HB_ANY_TAG || s->tag == c->tag) &&
	       (s->any_source || s->source == c->source);
}

/* ---- near ---- */

static bool waits_for_nothing(const hb_receive *v)
{
	return v->flags & HB_PENDING && v->send == HB_NO && !(v->flags & HB_CANCEL_ASKED);
}

static bool untaken(const hb_send *s) { return s->receive == HB_NO && !(s->flags & HB_CANCELLED); }

/* How far apart they are; 0: they match, above 3: they have nothing to do with each other. */
static int distance(const hb_spec *s, const hb_channel *c)
{
	bool tag = s->tag != HB_ANY_TAG && s->tag != c->tag, group = s->group != c->group;
	bool dest = s->process != c->dest, source = !s->any_source && s->source != c->source;
	if (dest + source + tag + group > 1 + (tag && group))
		return 9;
	return tag ? 1 + group : group ? 1 : dest ? 3 : source ? 2 : 0;
}

static void difference(const struct hb__letters *l, const hb_spec *s, const hb_channel *c, char ret[200])
{
	char from[32], tag[32], on[64], on_too[64];
	int n = snprintf(ret, 200, "rank %s waits for a message from %s with %s%s", hb__letter_name(l, s->process),
		hb__letter_from(l, s, from), hb__letter_tag(s->tag, tag), hb__letter_on(l, s->group, on));
	if (s->group != c->group && n > 0 && n < 200)
		snprintf(ret + n, 200 - (size_t)n, "%s, not%s", on[0] ? "" : " on WORLD",
			hb__letter_on(l, c->group, on_too)[0] ? on_too : " on WORLD");
}

uint32_t hb__letter_near_receive(const struct hb__letters *l, uint32_t send, const bool *told, char ret[200])
{
	const hb_channel *c = &l->channel[l->send[send].channel];
	uint32_t best = HB_NO;
	int least = 8;
	for (uint32_t i = 0; i < l->info->receives && least > 2; i++) {
		int d = waits_for_nothing(&l->receive[i]) ? distance(&l->spec[l->receive[i].spec], c) : 9;
		int far = 2 * d + told[i]; /* each message with a receive of its own, as far as there are some */
		if (d && d <= 3 && far < least)
			least = far, best = i;
	}
	ret[0] = 0;
	if (best != HB_NO)
		difference(l, &l->spec[l->receive[best].spec], c, ret);
	return best;
}

uint32_t hb__letter_near_send(const struct hb__letters *l, uint32_t receive, char ret[200])
{
	const hb_spec *s = &l->spec[l->receive[receive].spec];
	uint32_t best = HB_NO;
	int least = 4;
	for (uint32_t i = 0; i < l->info->sends && least > 1; i++) {
		int d = untaken(&l->send[i]) ? distance(s, &l->channel[l->send[i].channel]) : 9;
		if (d && d < least)
			least = d, best = i;
	}
	ret[0] = 0;
	if (best == HB_NO)
		return best;
	const hb_channel *c = &l->channel[l->send[best].channel];
	char on[64];
	snprintf(ret, 200, "rank %s sent one to rank %s with tag %d%s", hb__letter_name(l, c->source),
		hb__letter_name(l, c->dest), c->tag,
		hb__letter_on(l, c->group, on)[0] ? on
		: s->group != c->group            ? " on WORLD"
						  : "");
	return best;
}

bool hb__letter_maybe_taken(const struct hb__letters *l, uint32_t send)
{
	const hb_channel *c = &l->channel[l->send[send].channel];
	for (uint32_t i = 0; i < l->info->receives; i++)
		if (!(l->receive[i].flags & HB_CANCELLED) && l->receive[i].send == HB_NO &&
			hb__letter_matches(&l->spec[l->receive[i].spec], c))
			return true;
	return false;
}

bool hb__letter_maybe_came(const struct hb__letters *l, uint32_t receive)
{
	const hb_spec *s = &l->spec[l->receive[receive].spec];
	for (uint32_t i = 0; i < l->info->sends; i++)
		if (untaken(&l->send[i]) && hb__letter_matches(s, &l->channel[l->send[i].channel]))
			return true;
	return false;
}
