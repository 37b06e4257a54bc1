/* Receives from any rank that could have got another message: a note for each source line; a warning where that message
 * would not fit, or is the only one that a later receive waits for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "calls/meaning.h"
#include "rules/messages/messages.h"
#include "rules/race.h"

#define CHAIN 4096 /* messages of a channel that are followed */

struct line_of { /* a source line with races */
	const char *module, *function;
	uint64_t offset, times;
	hb_race race;
	uint32_t other;
};

struct racing {
	struct hb__letters *l;
	struct line_of *at;
	size_t n, room;
	bool *adapts; /* by spec: a call whose source changes; it may depend on what came before */
	hb_status status;
};

static bool keep(struct racing *r, const hb_race *race)
{
	const hb_spec *s = &r->l->spec[race->spec];
	const hb_log *log = r->l->process[s->process].log;
	const hb_site *site = hb_log_site(log, s->site);
	const hb_module *module = site ? hb_log_module(log, site->module) : NULL;
	const hb_function *f = hb_log_function(log, s->function);
	struct line_of key = {module && module->path ? module->path : "", f && f->name ? f->name : "a receive",
		site ? site->offset : 0, 1, *race, race->alternative[0].send};
	for (size_t i = 0; i < r->n; i++)
		if (r->at[i].offset == key.offset && !strcmp(r->at[i].module, key.module) &&
			!strcmp(r->at[i].function, key.function)) {
			r->at[i].times++;
			return true;
		}
	if (!HB_GROW(r->at, r->room, r->n + 1))
		return false;
	r->at[r->n++] = key;
	return true;
}

static const char *function_of(const struct racing *r, const hb_race *race)
{
	const hb_spec *s = &r->l->spec[race->spec];
	const hb_function *f = hb_log_function(r->l->process[s->process].log, s->function);
	return f && f->name ? f->name : "a receive";
}

static const char *sender(const struct hb__letters *l, uint32_t send)
{
	return hb__letter_name(l, l->channel[l->send[send].channel].source);
}

static hb_point race_point(const struct racing *r, const hb_race *race, const char *role)
{
	const hb_spec *s = &r->l->spec[race->spec];
	hb_point p = {.process = s->process, .at = race->post, .site = s->site};
	snprintf(p.role, sizeof p.role, "%s", role);
	return p;
}

/* What a call takes, in words: of MPI, of a stream that several write into, datagrams, connections. */
struct words {
	const char *which, *that, *takes, *got, *other, *advice;
};

static const struct words *words_for(const struct racing *r, const hb_race *race)
{
	static const struct words
		message = {"which message", "the one", "takes whichever message arrives first, from any rank",
			"the message that it got", "another message that it could have got",
			"If the result must not depend on this, name the source, or give each sender a tag of its own."},
		datagram = {"which datagram", "that", "takes whichever comes first", "the datagram that it got",
			"another datagram that it could have got",
			"If the result must not depend on this, let each datagram say which one it is, and handle them in that order."},
		bytes = {"whose bytes", "those", "takes whatever comes first", "the bytes that it got",
			"other bytes that it could have got",
			"If the result must not depend on this, give each writer a stream of its own, or let what it writes say where it belongs."},
		connection = {"which connection", "that", "takes whichever comes first", "the connection that it got",
			"another connection that it could have got",
			"If the result must not depend on this, let each client say who it is, and do not go by the order in which they come."};
	const hb_spec *s = &r->l->spec[race->spec];
	if (!hb_model_groups(r->l->m)[s->group].untagged)
		return &message;
	const hb_function *f = hb_log_function(r->l->process[s->process].log, s->function);
	return !f || !f->name            ? &datagram
	       : f->cls == HB_CONNECTION ? &connection
	       : f->cls == HB_STREAM     ? &bytes
					 : &datagram;
}

static hb_status tell_line(struct racing *r, const struct line_of *k)
{
	struct hb__letters *l = r->l;
	const hb_race *race = &k->race;
	const hb_spec *s = &l->spec[race->spec];
	const struct words *w = words_for(r, race);
	const char *self = hb__letter_name(l, s->process), *other = sender(l, k->other);
	char got[120] = "";
	hb_point point[3] = {race_point(r, race, w->takes)};
	uint32_t n = 1;
	if (race->got != HB_NO) {
		const char *from = sender(l, race->got);
		snprintf(got, sizeof got, ": it got %s of %s%.80s", w->that, hb_rank_word(from), from);
		point[n++] = hb__letter_send_point(l, race->got, w->got);
	}
	point[n++] = hb__letter_send_point(l, k->other, w->other);
	char sentence[400];
	snprintf(sentence, sizeof sentence, "%s %s%s gets in %s depends on timing%s, but could have got %s of %s%s",
		w->which, hb_rank_word(self), self, k->function, got, w->that, hb_rank_word(other), other);
	char *key = NULL;
	if (asprintf(&key, "%s\n%s\n%llu", k->module, k->function, (unsigned long long)k->offset) < 0)
		return HB_E_MEMORY;
	hb_finding f = {.id = HB_MESSAGE_RACE,
		.key = key,
		.possible = race->uncertain,
		.times = k->times,
		.sentence = sentence,
		.advice = w->advice,
		.npoints = n,
		.point = point};
	hb_status status = hb__report_finding(l->c, &f, l->err);
	free(key);
	return status;
}

static bool fits(const hb_data *sent, const hb_data *room)
{
	struct hb__data_difference d;
	hb_data_relation relation = hb__data_difference(sent, room, &d);
	return relation != HB_DATA_DIFFERENT && relation != HB_DATA_LONGER;
}

/* A message that it could have got, and that has another type or is longer than there is room for. */
static hb_status misfit(struct racing *r, const hb_race *race)
{
	struct hb__letters *l = r->l;
	hb_data got, sent, room;
	char sent_text[200], room_text[200], role[160];
	const char *name = function_of(r, race);
	if (race->got == HB_NO || hb_meaning_of(name, HB_RECV)->cls == HB_PROBE ||
		!hb__letter_room(l, race->id, &room) || !hb__letter_sent(l, race->got, &got) || !fits(&got, &room))
		return HB_OK;
	for (uint32_t i = 0; i < race->nalternatives; i++) {
		uint32_t other = race->alternative[i].send;
		if (race->alternative[i].dependent || !hb__letter_sent(l, other, &sent) || fits(&sent, &room))
			continue;
		hb__data_text(&sent, sent_text, sizeof sent_text);
		hb__data_text(&room, room_text, sizeof room_text);
		snprintf(role, sizeof role, "has room for %.120s", room_text);
		hb_point point[2] = {race_point(r, race, role)};
		snprintf(role, sizeof role, "sends %.120s", sent_text);
		point[1] = hb__letter_send_point(l, other, role);
		return hb__finding(l->c, HB_MESSAGE_RACE_FIT, race->uncertain,
			"Name the source, or give messages of different datatypes different tags.", point, 2, l->err,
			"%s of rank %s takes whichever message arrives first as %s, but that could have been the message of rank %s, %s",
			name, hb__letter_name(l, l->spec[race->spec].process), room_text, sender(l, other), sent_text);
	}
	return HB_OK;
}

/* Whether the receive is the next one of its thread after the race that the channel's messages match. */
static bool next_for(const struct hb__letters *l, const hb_race *race, uint32_t receive, const hb_channel *channel)
{
	const hb_receive *v = &l->receive[receive];
	if (l->info->receives > CHAIN || v->line != race->post.line || v->post <= race->post.event)
		return false;
	for (uint32_t i = 0; i < l->info->receives; i++) {
		const hb_receive *between = &l->receive[i];
		if (between->line == v->line && between->post > race->post.event && between->post < v->post &&
			hb__letter_matches(&l->spec[between->spec], channel))
			return false;
	}
	return hb__letter_matches(&l->spec[v->spec], channel);
}

/* Two messages that change places: the receive that got the other one has no room for the one that this one got. */
static hb_status swapped(struct racing *r, const hb_race *race)
{
	struct hb__letters *l = r->l;
	hb_data got, room;
	char got_text[200], room_text[200], role[160];
	if (race->got == HB_NO || race->uncertain || race->dependent || !hb__letter_sent(l, race->got, &got))
		return HB_OK;
	for (uint32_t i = 0; i < race->nalternatives; i++) {
		uint32_t later = race->alternative[i].receive, other = race->alternative[i].send;
		if (race->alternative[i].dependent || later == HB_NO || !hb__letter_room(l, later, &room) ||
			fits(&got, &room) || hb__letter_is_probe(l, later) ||
			l->spec[l->receive[later].spec].site == l->spec[race->spec].site ||
			!next_for(l, race, later, &l->channel[l->send[race->got].channel]))
			continue;
		hb__data_text(&got, got_text, sizeof got_text);
		hb__data_text(&room, room_text, sizeof room_text);
		snprintf(role, sizeof role, "has room for %.120s", room_text);
		hb_point point[3] = {hb__letter_post_point(l, later, role),
			race_point(r, race, "takes whichever message arrives first, from any rank")};
		snprintf(role, sizeof role, "sends %.120s", got_text);
		point[2] = hb__letter_send_point(l, race->got, role);
		return hb__finding(l->c, HB_MESSAGE_RACE_FIT, false,
			"Name the source, or give messages of different datatypes and lengths different tags.", point,
			3, l->err,
			"%s of rank %s takes whichever message arrives first: had that been the message of rank %s, its next receive would have got %s of rank %s as %s",
			function_of(r, race), hb__letter_name(l, l->spec[race->spec].process), sender(l, other),
			got_text, sender(l, race->got), room_text);
	}
	return HB_OK;
}

static bool probed(const struct hb__letters *l, uint32_t send)
{
	const hb_probe *p = hb_model_probes(l->m);
	for (uint32_t i = 0; i < l->info->probes; i++)
		if (p[i].send == send)
			return true;
	return false;
}

/* Where a message stands in its channel: the list is in the order of sends, but where threads send. */
static uint32_t place_of(const uint32_t *list, uint32_t n, uint32_t send)
{
	uint32_t low = 0, high = n;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (list[middle] < send)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < n && list[low] == send)
		return low;
	for (low = 0; low < n && list[low] != send;)
		low++;
	return low;
}

/* The receive that would be left without a message, were this one taken: the last of those that take what the channel has
 * from it on; HB_NO: none, or one of them takes from any rank and finds another. */
static uint32_t starved(const struct racing *r, const hb_race *race, uint32_t send)
{
	const struct hb__letters *l = r->l;
	uint32_t n, at, last = HB_NO;
	const uint32_t *list = hb_model_channel_sends(l->m, l->send[send].channel, &n);
	const hb_channel *got = &l->channel[l->send[race->got].channel];
	at = place_of(list, n, send);
	if (n - at > CHAIN)
		return HB_NO;
	for (; at < n; at++) {
		uint32_t receive = l->send[list[at]].receive;
		if (receive == HB_NO)
			return HB_NO; /* one is left over */
		const hb_receive *v = &l->receive[receive];
		const hb_spec *s = &l->spec[v->spec];
		if (hb__letter_matches(s, got) || v->flags & (HB_CHOSEN | HB_AMBIGUOUS) || r->adapts[v->spec])
			return HB_NO;
		last = receive;
	}
	return last;
}

static hb_status starving(struct racing *r, const hb_race *race)
{
	struct hb__letters *l = r->l;
	if (race->got == HB_NO || race->uncertain || race->dependent || !l->c->complete)
		return HB_OK;
	for (uint32_t i = 0; i < race->nalternatives; i++) {
		uint32_t other = race->alternative[i].send;
		if (race->alternative[i].dependent || race->alternative[i].receive == HB_NO ||
			l->info->probes > CHAIN || probed(l, other))
			continue;
		uint32_t left = starved(r, race, other);
		if (left == HB_NO)
			continue;
		char from[32];
		const hb_spec *s = &l->spec[l->receive[left].spec];
		hb_point point[3] = {race_point(r, race, "takes whichever message arrives first, from any rank"),
			hb__letter_post_point(l, left, "would wait forever"),
			hb__letter_send_point(l, other, "the message that the first receive could have taken")};
		return hb__finding(l->c, HB_MESSAGE_RACE_STARVED, false,
			"Put the receives that name their source first, or give the two kinds of messages different tags.",
			point, 3, l->err,
			"%s of rank %s takes whichever message arrives first: had that been the message of rank %s, there would be none left for its %s from %s",
			function_of(r, race), hb__letter_name(l, s->process), sender(l, other),
			hb__letter_receive_name(l, left), hb__letter_from(l, s, from));
	}
	return HB_OK;
}

static bool see(void *user, const hb_race *race)
{
	struct racing *r = user;
	if (hb_race_is_choice(race->kind) || !race->nalternatives)
		return true;
	if (!keep(r, race)) {
		r->status = HB_E_MEMORY;
		return false;
	}
	/* what goes over sockets and pipes has no types, and any receive of an end takes it */
	bool letter = race->kind == HB_RACE_RECEIVE && !hb_model_groups(r->l->m)[r->l->spec[race->spec].group].untagged;
	if (letter && !r->l->send_call) /* no race was seen before */
		r->status = hb__letters_read(r->l);
	if (!r->status && letter)
		r->status = misfit(r, race);
	if (!r->status && letter)
		r->status = swapped(r, race);
	if (!r->status && letter)
		r->status = starving(r, race);
	return !r->status;
}

/* Calls at one place that name different sources. */
static void find_adapting(struct racing *r)
{
	const struct hb__letters *l = r->l;
	for (uint32_t i = 0; i < l->info->specs; i++)
		for (uint32_t k = 0; k < i && l->info->specs < CHAIN; k++)
			if (l->spec[i].process == l->spec[k].process && l->spec[i].site == l->spec[k].site &&
				l->spec[i].function == l->spec[k].function && l->spec[i].source != l->spec[k].source)
				r->adapts[i] = r->adapts[k] = true;
	for (uint32_t i = 0; i < l->info->specs && l->info->specs >= CHAIN; i++)
		r->adapts[i] = true;
}

hb_status hb__letters_raced(struct hb__letters *l)
{
	struct racing r = {.l = l, .adapts = calloc((size_t)l->info->specs + 1, sizeof *r.adapts)};
	hb_race_sum sum;
	hb_status status = r.adapts ? HB_OK : HB_E_MEMORY;
	if (!status) {
		find_adapting(&r);
		status = hb_races_share(l->m, HB_RACES_FEW, l->c->share, l->c->shares, see, &r, &sum, l->err);
	}
	status = status ? status : r.status;
	for (size_t i = 0; !status && i < r.n; i++)
		status = tell_line(&r, &r.at[i]);
	free(r.at);
	free(r.adapts);
	if (status == HB_E_MEMORY && l->err)
		*l->err = (hb_error){.status = HB_E_MEMORY, .message = "out of memory"};
	return status;
}
