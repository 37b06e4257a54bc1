/* Finding the races once, and keeping them. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "races.h"

/* The place of each call site that has a wildcard or a choice: open addressing. */
struct site {
	uint32_t process, function, site, place; /* place HB_NO: free */
};

struct finder {
	hb_view_server *server;
	struct hb_view_races *races;
	struct site *site;
	uint32_t sites, room;
};

/* ---- places ---- */

static struct site *slot(struct finder *f, const struct site *wanted)
{
	uint32_t h = (wanted->process * 2654435761u) ^ (wanted->function * 40503u) ^ (wanted->site * 2246822519u);
	for (uint32_t i = h & (f->room - 1);; i = (i + 1) & (f->room - 1)) {
		struct site *s = &f->site[i];
		if (s->place == HB_NO ||
			(s->process == wanted->process && s->function == wanted->function && s->site == wanted->site))
			return s;
	}
}

static bool grow(struct finder *f)
{
	uint32_t room = f->room, new_room = room ? 2 * room : 256;
	struct site *old = f->site, *new = malloc(new_room * sizeof *new);
	if (!new)
		return false;
	memset(new, 0xff, new_room * sizeof *new);
	f->site = new;
	f->room = new_room;
	for (uint32_t i = 0; i < room; i++)
		if (old[i].place != HB_NO)
			*slot(f, &old[i]) = old[i];
	free(old);
	return true;
}

static uint32_t place_named(struct hb_view_races *r, const char *text, const char *function)
{
	for (uint32_t i = 0; i < r->places; i++)
		if (!strcmp(r->place[i].text, text) && !strcmp(r->place[i].function, function))
			return i;
	struct hb_race_place *more = realloc(r->place, (r->places + 1) * sizeof *more);
	if (!more)
		return HB_NO;
	r->place = more;
	r->place[r->places] = (struct hb_race_place){strdup(text), strdup(function), 0, 0};
	r->broken = r->broken || !r->place[r->places].text || !r->place[r->places].function;
	return r->places++;
}

/* HB_NO: without memory. */
static uint32_t place_of(struct finder *f, uint32_t process, uint32_t function, uint32_t number)
{
	struct site wanted = {process, function, number, 0};
	if (2 * (f->sites + 1) > f->room && !grow(f))
		return HB_NO;
	struct site *s = slot(f, &wanted);
	if (s->place != HB_NO)
		return s->place;
	hb_view_server *server = f->server;
	const hb_log *log = hb_model_processes(server->model)[process].log;
	const hb_function *named = log ? hb_log_function(log, function) : NULL;
	hb_view_place place;
	bool known = server->o.source.place(server->o.source.user, process, number, &place);
	wanted.place = f->races->broken ? HB_NO
					: place_named(f->races, known ? place.text : "somewhere",
						  named && named->name ? named->name : "a call");
	if (wanted.place == HB_NO)
		return HB_NO;
	*s = wanted;
	f->sites++;
	return s->place;
}

static uint32_t place_of_spec(struct finder *f, uint32_t spec)
{
	const hb_spec *s = &hb_model_specs(f->server->model)[spec];
	return place_of(f, s->process, s->function, s->site);
}

static const hb_chosen *chosen_at(const hb_model *m, hb_at at)
{
	const hb_chosen *all = hb_model_chosen(m);
	size_t low = 0, high = hb_model_get_info(m)->chosen;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (all[mid].at.line < at.line || (all[mid].at.line == at.line && all[mid].at.event < at.event))
			low = mid + 1;
		else
			high = mid;
	}
	bool found = low < hb_model_get_info(m)->chosen && all[low].at.line == at.line && all[low].at.event == at.event;
	return found ? &all[low] : NULL;
}

static uint32_t place_of_chosen(struct finder *f, const hb_chosen *c)
{
	return place_of(f, hb_model_lines(f->server->model)[c->at.line].process, c->function, c->site);
}

/* ---- races ---- */

static void keep(struct finder *f, const hb_race *race, uint32_t place)
{
	struct hb_view_races *r = f->races;
	if (r->n >= HB_RACES_KEPT)
		return;
	if (!HB_GROW(r->at, r->room, r->n + 1)) {
		r->broken = true;
		return;
	}
	struct hb_kept_race *k = &r->at[r->n++];
	*k = (struct hb_kept_race){.at = race->done.event ? race->done : race->post,
		.post = race->post,
		.got = race->got,
		.first = (uint32_t)r->nalternatives,
		.alternatives = race->nalternatives,
		.kind = (uint8_t)race->kind,
		.uncertain = race->uncertain,
		.place = place};
	for (; k->kept < HB_ALTERNATIVES_KEPT && k->kept < race->nalternatives; k->kept++) {
		if (!HB_GROW(r->alternative, r->alternatives_room, r->nalternatives + 1)) {
			r->broken = true;
			return;
		}
		const hb_alternative *a = &race->alternative[k->kept];
		r->alternative[r->nalternatives++] = (struct hb_kept_alternative){a->send, a->receive};
	}
}

static bool visit(void *user, const hb_race *race)
{
	struct finder *f = user;
	const hb_chosen *c = hb_race_is_choice(race->kind) ? chosen_at(f->server->model, race->done) : NULL;
	uint32_t place = c ? place_of_chosen(f, c) : race->spec == HB_NO ? HB_NO : place_of_spec(f, race->spec);
	f->races->found++;
	if (place != HB_NO)
		f->races->place[place].races++;
	keep(f, race, place);
	return !f->races->broken;
}

static void count(struct finder *f, uint32_t spec, uint32_t send)
{
	uint32_t place =
		hb_model_specs(f->server->model)[spec].any_source && send != HB_NO ? place_of_spec(f, spec) : HB_NO;
	if (place != HB_NO)
		f->races->place[place].calls++;
}

static void count_calls(struct finder *f)
{
	const hb_model *m = f->server->model;
	const hb_model_info *info = hb_model_get_info(m);
	for (uint32_t i = 0; i < info->receives; i++)
		count(f, hb_model_receives(m)[i].spec, hb_model_receives(m)[i].send);
	for (uint32_t i = 0; i < info->probes; i++)
		count(f, hb_model_probes(m)[i].spec, hb_model_probes(m)[i].send);
	for (uint32_t i = 0; i < info->chosen; i++) {
		uint32_t place = place_of_chosen(f, &hb_model_chosen(m)[i]);
		if (place != HB_NO)
			f->races->place[place].calls++;
	}
}

static int by_event(const void *a, const void *b)
{
	const struct hb_kept_race *x = a, *y = b;
	if (x->at.line != y->at.line)
		return x->at.line < y->at.line ? -1 : 1;
	if (x->at.event != y->at.event)
		return x->at.event < y->at.event ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

hb_status hb__races_find(hb_view_server *s, hb_progress *progress, void *user, hb_error *err)
{
	struct finder f = {.server = s, .races = calloc(1, sizeof *f.races)};
	hb_race_sum sum;
	s->races = f.races;
	hb_status status = HB_E_MEMORY;
	if (f.races) {
		count_calls(&f);
		status = hb_races(s->model, 0, visit, &f, &sum, progress, user, err);
	}
	free(f.site);
	if (!status && !f.races->broken) {
		if (f.races->n)
			qsort(f.races->at, f.races->n, sizeof *f.races->at, by_event);
		return HB_OK;
	}
	if (!status || !f.races) {
		*err = (hb_error){.status = HB_E_MEMORY, .message = "out of memory"};
		status = HB_E_MEMORY;
	}
	return status;
}

void hb__races_free(struct hb_view_races *r)
{
	for (uint32_t i = 0; r && i < r->places; i++) {
		free(r->place[i].text);
		free(r->place[i].function);
	}
	if (r) {
		free(r->place);
		free(r->at);
		free(r->alternative);
	}
	free(r);
}
