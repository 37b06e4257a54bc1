/* Races by the source line of the receive. */
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "../options.h"
#include "../show/progress.h"
#include "../terminal.h"
#include "model/part/part.h"
#include "races.h"

#define UNASKED (HB_NO - 1)
#define ALTERNATIVES_MAX 8 /* kept of each race */

/* ---- the group of a receive ---- */

struct site {
	uint32_t process, function, site, group;
};

static int by_site(const void *a, const void *b) { return memcmp(a, b, offsetof(struct site, group)); }

/* --line FILE:LINE, FILE, or the whole text of the place; FILE may have folders in front. */
static bool wanted_place(const struct hb_races *r, const hb_place *place)
{
	if (!r->line)
		return true;
	if (!place)
		return false;
	const char *slash = strrchr(r->line, '/'), *name = slash ? slash + 1 : r->line,
		   *colon = strchr(place->text, ':');
	size_t n = strlen(name);
	if (slash && place->file) { /* compare folders as far as they are given */
		const char *end = strchr(slash, ':');
		size_t want = end ? (size_t)(end - r->line) : strlen(r->line), have = strlen(place->file);
		if (have < want || strncmp(place->file + have - want, r->line, want))
			return false;
	}
	return !strcmp(place->text, name) ||
	       (colon && (size_t)(colon - place->text) == n && !strncmp(place->text, name, n));
}

/* For the message when --line names none. */
static void remember(struct hb_races *r, const char *place)
{
	for (size_t i = 0; i < r->nplaces; i++)
		if (!strcmp(r->places[i], place))
			return;
	r->places = hb__resize(r->places, (r->nplaces + 1) * sizeof *r->places);
	r->phase = hb__resize(r->phase, r->nplaces + 1);
	r->phase[r->nplaces] = r->now;
	r->places[r->nplaces++] = place;
}

static uint32_t group_at(struct hb_races *r, const char *place, const char *function)
{
	for (size_t i = 0; i < r->ngroups; i++)
		if (!strcmp(r->groups[i].place, place) && !strcmp(r->groups[i].function, function))
			return (uint32_t)i;
	r->groups = hb__resize(r->groups, (r->ngroups + 1) * sizeof *r->groups);
	r->groups[r->ngroups] = (struct hb_raced){.place = hb__copy(place), .function = hb__copy(function)};
	return (uint32_t)r->ngroups++;
}

struct hb_raced *hb__raced_at(struct hb_races *r, const char *place, const char *function)
{
	uint32_t group = group_at(r, place, function);
	return &r->groups[group];
}

static uint32_t new_group(struct hb_races *r, uint32_t process, uint32_t function, uint32_t site)
{
	const hb_process *p = &hb_model_processes(r->run.model)[process];
	const hb_function *f = p->log ? hb_log_function(p->log, function) : NULL;
	const hb_place *place = hb__process_place(&r->run, process, site);
	bool there = wanted_place(r, place);
	r->line_found = r->line_found || there;
	if (r->line && place && !there)
		remember(r, place->text);
	if (!there || (r->ranks && !hb__has_process(r->ranks, p->rank, p->name)))
		return UNASKED;
	return group_at(r, place ? place->text : "somewhere", f && f->name ? f->name : "a call");
}

/* The group of a call site of a process. */
static uint32_t group_of_site(struct hb_races *r, uint32_t process, uint32_t function, uint32_t site)
{
	struct site *s = hb__alloc(sizeof *s);
	*s = (struct site){process, function, site, HB_NO};
	struct site **found = tsearch(s, &r->by_site, by_site);
	if (!found) {
		free(s);
		return UNASKED;
	}
	if (*found != s)
		free(s);
	else
		s->group = new_group(r, process, function, site);
	return (*found)->group;
}

static uint32_t group_of_spec(struct hb_races *r, uint32_t spec)
{
	if (spec == HB_NO)
		return UNASKED;
	uint32_t *group = &r->group_of_spec[spec];
	const hb_spec *s = &hb_model_specs(r->run.model)[spec];
	if (*group == HB_NO)
		*group = group_of_site(r, s->process, s->function, s->site);
	return *group;
}

/* The call that chose; the model lists them in the order of lines and events. */
static const hb_chosen *chosen_at(const struct hb_races *r, hb_at at)
{
	const hb_chosen *all = hb_model_chosen(r->run.model);
	size_t low = 0, high = hb_model_get_info(r->run.model)->chosen;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		hb_at m = all[mid].at;
		if (m.line < at.line || (m.line == at.line && m.event < at.event))
			low = mid + 1;
		else
			high = mid;
	}
	return low < hb_model_get_info(r->run.model)->chosen && all[low].at.line == at.line &&
			       all[low].at.event == at.event
		       ? &all[low]
		       : NULL;
}

static uint32_t group_of(struct hb_races *r, const hb_race *race)
{
	if (!hb_race_is_choice(race->kind))
		return group_of_spec(r, race->spec);
	const hb_chosen *c = chosen_at(r, race->done);
	return c ? group_of_site(r, hb_model_lines(r->run.model)[c->at.line].process, c->function, c->site)
		 : group_of_spec(r, race->spec);
}

/* ---- counting ---- */

static void count(struct hb_races *r, uint32_t spec, uint32_t send)
{
	uint32_t group =
		hb_model_specs(r->run.model)[spec].any_source && send != HB_NO ? group_of_spec(r, spec) : UNASKED;
	if (group != UNASKED)
		r->groups[group].calls++;
}

void hb__begin_races(struct hb_races *r)
{
	const hb_model *m = r->run.model;
	const hb_model_info *info = hb_model_get_info(m);
	r->facts = hb__facts_open(m);
	r->group_of_spec = hb__alloc(((size_t)info->specs + 1) * sizeof *r->group_of_spec);
	memset(r->group_of_spec, 0xff, ((size_t)info->specs + 1) * sizeof *r->group_of_spec);
	bool all = !r->out || r->line;
	for (uint32_t i = 0; all && i < info->receives; i++)
		if (hb_model_covers_receive(m, i))
			count(r, hb_model_receives(m)[i].spec, hb_model_receives(m)[i].send);
	r->now = 1;
	for (uint32_t i = 0; all && i < info->probes; i++)
		if (hb_model_covers_probe(m, i))
			count(r, hb_model_probes(m)[i].spec, hb_model_probes(m)[i].send);
	r->now = 2;
	for (uint32_t i = 0; all && i < info->chosen; i++) {
		const hb_chosen *c = &hb_model_chosen(m)[i];
		uint32_t process = hb_model_lines(m)[c->at.line].process;
		if (!hb_model_covers_rest(m, process))
			continue;
		uint32_t group = group_of_site(r, process, c->function, c->site);
		if (group != UNASKED)
			r->groups[group].calls++;
	}
}

static void drop(struct hb_kept *kept, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(kept[i].alternative);
		free(kept[i].text);
		free(kept[i].name);
	}
	free(kept);
}

void hb__end_races(struct hb_races *r)
{
	for (size_t i = 0; i < r->ngroups; i++) {
		drop(r->groups[i].kept, r->groups[i].nkept);
		drop(r->groups[i].late, r->groups[i].nlate);
		free(r->groups[i].place);
		free(r->groups[i].function);
	}
	free(r->groups);
	free(r->places);
	free(r->phase);
	free(r->group_of_spec);
	tdestroy(r->by_site, free);
	hb__facts_close(r->facts);
}

/* ---- JSON ---- */

static void key(hb_output *out, const char *name)
{
	hb__put_text(out, ",\"");
	hb__put_text(out, name);
	hb__put_text(out, "\":");
}

static void put_flag(hb_output *out, const char *name, bool yes)
{
	key(out, name);
	hb__put_text(out, yes ? "true" : "false");
}

static void put_place(hb_output *out, const hb_place *place)
{
	if (!place)
		return;
	key(out, place->file ? "file" : "address");
	hb__put_json(out, place->file ? place->file : place->text);
	if (place->file) {
		key(out, "line");
		hb__put_int(out, place->line);
	}
}

/* {"event":"1:7" and more may follow */
static void put_at(const struct hb_races *r, hb_at at)
{
	char name[HB_EVENT_NAME];
	hb__put_text(r->out, "{\"event\":\"");
	hb__put_text(r->out, hb__event_name(&r->run, at, name));
	hb__put_text(r->out, "\"");
}

static void put_message(struct hb_races *r, uint32_t send)
{
	hb_model *m = r->run.model;
	put_at(r, hb_send_at(m, send));
	const hb_channel *c = &hb_model_channels(m)[hb_model_sends(m)[send].channel];
	if (hb_model_tag_word(m, c->group)) {
		key(r->out, "tag");
		hb__put_int(r->out, c->tag);
	}
	key(r->out, "bytes");
	hb__put_int(r->out, (int64_t)hb_send_bytes(m, send));
	put_place(r->out, hb__send_place(r, send));
}

static void put_alternative(struct hb_races *r, const hb_alternative *a)
{
	put_message(r, a->send);
	key(r->out, "received_by");
	if (a->receive == HB_NO)
		hb__put_text(r->out, "null");
	else {
		hb_at done = hb_receive_done(r->run.model, a->receive);
		put_at(r, done.event ? done : hb_receive_post(r->run.model, a->receive));
		put_flag(r->out, "completed", done.event != 0);
		hb__put_text(r->out, "}");
	}
	put_flag(r->out, "dependent", a->dependent);
	put_flag(r->out, "same_sender", a->same_sender);
	hb__put_text(r->out, "}");
}

static void put_asked(struct hb_races *r, const hb_race *race)
{
	/* a choice of a request that is no receive has no specification */
	const hb_spec *s = race->spec == HB_NO ? NULL : &hb_model_specs(r->run.model)[race->spec];
	const hb_chosen *c = hb_race_is_choice(race->kind) ? chosen_at(r, race->done) : NULL;
	uint32_t process = hb_model_lines(r->run.model)[race->post.line].process;
	hb_log *log = hb_model_processes(r->run.model)[process].log;
	const hb_function *f = log && (c || s) ? hb_log_function(log, c ? c->function : s->function) : NULL;
	key(r->out, "function");
	hb__put_json(r->out, f && f->name ? f->name : "");
	put_place(r->out, hb__process_place(&r->run, process, c ? c->site : s ? s->site : 0));
	if (!s)
		return;
	key(r->out, "communicator");
	hb__put_json(r->out, s->group == HB_NO ? "" : hb_model_group_name(r->run.model, s->group));
	if (s->group != HB_NO && !hb_model_tag_word(r->run.model, s->group))
		return;
	key(r->out, "tag");
	if (s->tag == HB_ANY_TAG)
		hb__put_text(r->out, "\"ANY\"");
	else
		hb__put_int(r->out, s->tag);
}

static void put_race(struct hb_races *r, const hb_race *race)
{
	char name[HB_EVENT_NAME];
	hb__put_text(r->out, "{\"kind\":\"");
	hb__put_text(r->out, hb_race_words[race->kind]);
	hb__put_text(r->out, "\",\"event\":\"");
	hb__put_text(r->out, hb__event_name(&r->run, race->done.event ? race->done : race->post, name));
	hb__put_text(r->out, "\",\"posted\":\"");
	hb__put_text(r->out, hb__event_name(&r->run, race->post, name));
	hb__put_text(r->out, "\"");
	put_asked(r, race);
	key(r->out, "got");
	if (race->got == HB_NO)
		hb__put_text(r->out, "null");
	else {
		put_message(r, race->got);
		hb__put_text(r->out, "}");
	}
	key(r->out, "alternatives");
	hb__put_text(r->out, "[");
	for (uint32_t i = 0; i < race->nalternatives; i++) {
		if (i)
			hb__put_text(r->out, ",");
		put_alternative(r, &race->alternative[i]);
	}
	hb__put_text(r->out, "]");
	put_flag(r->out, "dependent", race->dependent);
	put_flag(r->out, "same_sender", race->same_sender);
	put_flag(r->out, "uncertain", race->uncertain);
	hb__put_text(r->out, "}\n");
}

/* ---- keeping ---- */

const hb_place *hb__send_place(struct hb_races *r, uint32_t send)
{
	hb_at at = hb_send_at(r->run.model, send);
	hb_fact fact;
	if (hb_model_team(r->run.model))
		return hb__process_place(
			&r->run, hb_model_lines(r->run.model)[at.line].process, hb_part_send_site(r->run.model, send));
	return hb__fact(r->facts, at, &fact)
		       ? hb__process_place(&r->run, hb_model_lines(r->run.model)[at.line].process, fact.site)
		       : NULL;
}

static void keep(const struct hb_races *r, struct hb_kept **all, size_t *n, const hb_race *race)
{
	if (r->limit && *n >= r->limit)
		return;
	if (!(*n & (*n - 1)))
		*all = hb__resize(*all, (*n ? 2 * *n : 1) * sizeof **all);
	struct hb_kept *k = &(*all)[(*n)++];
	*k = (struct hb_kept){.race = *race};
	k->nalternatives = r->limit && race->nalternatives > ALTERNATIVES_MAX ? ALTERNATIVES_MAX : race->nalternatives;
	k->alternative = hb__alloc(k->nalternatives * sizeof *k->alternative);
	if (k->nalternatives)
		memcpy(k->alternative, race->alternative, k->nalternatives * sizeof *k->alternative);
	k->race.alternative = k->alternative;
}

bool hb__keep_race(void *user, const hb_race *race)
{
	struct hb_races *r = user;
	uint32_t group = group_of(r, race);
	if (group == UNASKED)
		return true;
	struct hb_raced *g = &r->groups[group];
	r->found++;
	g->races++;
	g->dependent += race->dependent;
	g->uncertain += race->uncertain;
	g->same_sender += race->same_sender;
	if (r->out) {
		put_race(r, race);
		return !r->out->broken;
	}
	if (race->same_sender)
		keep(r, &g->late, &g->nlate, race);
	else
		keep(r, &g->kept, &g->nkept, race);
	return true;
}

/* ---- the whole answer ---- */

static int look(struct hb_races *r)
{
	hb_error err = {0};
	hb_race_sum sum;
	hb_bar bar;
	hb__bar_begin(&bar, "looking for races");
	hb_status status = hb_races(r->run.model, r->flags, hb__keep_race, r, &sum, hb__bar_step, &bar, &err);
	hb__bar_end(&bar);
	if (status)
		return hb__fail_log(r->run.path, &err);
	hb__say_troubles(&r->run);
	if (r->line && !r->line_found)
		return hb__no_such_line(r);
	hb__page();
	if (r->out) {
		hb__flush(r->out);
		if (r->out->broken && r->out->error != EPIPE)
			return hb__fail_with(HB_EXIT_RECORDING, "cannot write the output: %s", strerror(r->out->error));
	} else
		hb__put_races(r, &sum);
	return r->found ? HB_EXIT_FINDING : 0;
}

int hb__races_answer(struct hb_races *r, const hb_args *args, int code)
{
	if (r->ranks && hb__check_run_ranks("races --rank", r->ranks, &r->run.logs))
		return HB_EXIT_USAGE;
	r->whole = !code && hb__is_whole(&r->run);
	if (hb__option_value(args, "json")) {
		r->out = hb__alloc(sizeof *r->out);
		r->out->fd = 1;
	}
	hb__begin_races(r);
	int found = look(r);
	hb__end_races(r);
	free(r->out);
	/* what is missing decides: neither "none" nor "these" is the whole answer */
	return found > HB_EXIT_FINDING || !code ? found : code;
}
