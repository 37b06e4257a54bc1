/* events, race: what the recording says of where the processes stand. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../run/races.h"
#include "../../show/inert.h"
#include "../../show/progress.h"
#include "../debug.h"

/* ---- events ---- */

/* The events of a line around one, as text. */
static void around(hb_debug *d, int32_t rank, hb_at here, uint32_t n)
{
	const hb_line *line = &hb_model_lines(d->run.model)[here.line];
	const hb_proc *p = hb_session_proc(hb__live_session(d->live), rank);
	bool inside = p && line->lane < p->nthreads && p->threads[line->lane].inside;
	uint32_t first = here.event >= n ? here.event - n + 1 : 1;
	uint32_t last = here.event + n < line->events ? here.event + n : line->events, count = last + 1 - first;
	hb_at *at = hb__alloc(count * sizeof *at);
	for (uint32_t i = 0; i < count; i++)
		at[i] = (hb_at){here.line, first + i};
	char **texts = hb__event_texts(&d->run, at, count, d->settings.json), *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);
	if (d->settings.json)
		fprintf(to, "\"stands\":%u,\"inside\":%s,\"events\":[", here.event, inside ? "true" : "false");
	else if (!here.event)
		fprintf(to, "> before its first event\n");
	for (uint32_t i = 0; i < count; i++) {
		bool mark = first + i == here.event + inside;
		if (d->settings.json)
			fprintf(to, "%s%s", i ? "," : "", texts[i]);
		else
			fprintf(to, "%s %s%s\n", mark ? ">" : " ", texts[i], mark && inside ? "  (inside)" : "");
	}
	if (d->settings.json)
		fputs("]", to);
	fclose(to);
	hb__d_reply(d, rank, false, d->settings.json ? hb__copy(text) : NULL, "%s", text);
	free(text);
	hb__free_texts(texts, count);
	free(at);
}

int hb__v_events(hb_debug *d, char *args)
{
	long n = *args ? hb__d_number(args) : d->settings.events;
	if (!d->run.model)
		return hb__d_fail(d, HB_EXIT_FINDING, "%s", d->whyno);
	if (n < 1)
		return hb__d_fail(d, HB_EXIT_USAGE, "events takes a number of lines, but got '%s'", args);
	hb__d_poll(d, 0);
	for (int32_t i = hb_set_next(&d->set, 0); i >= 0; i = hb_set_next(&d->set, i + 1)) {
		hb_at here;
		if (hb__d_stands_at(d, i, &here))
			around(d, i, here, (uint32_t)n);
		else
			hb__d_reply(d, i, true, NULL, "its log is missing from the recording");
	}
	return hb__d_replies(d, "events");
}

/* ---- race ---- */

struct sought {
	struct hb_races races;
	hb_at at;
};

static bool same(hb_at a, hb_at b) { return a.line == b.line && a.event == b.event; }

static bool keep(void *user, const hb_race *race)
{
	struct sought *s = user;
	return same(race->done, s->at) || same(race->post, s->at) ? hb__keep_race(&s->races, race) : true;
}

static int print_races(hb_debug *d, struct sought *s)
{
	char name[HB_EVENT_NAME], *text = NULL;
	size_t size = 0, n = 0;
	FILE *to = open_memstream(&text, &size);
	for (size_t i = 0; i < s->races.ngroups; i++)
		for (size_t k = 0; k < s->races.groups[i].nkept; k++, n++) {
			fprintf(to, "%s  %s\n", hb__tame(s->races.groups[i].function), s->races.groups[i].place);
			hb__put_race(to, &s->races, &s->races.groups[i].kept[k]);
		}
	fclose(to);
	hb__event_name(&d->run, s->at, name);
	if (d->settings.json) {
		char *quoted = hb__d_json(text);
		hb__d_print(d, "{\"answer\":\"race\",\"event\":\"%s\",\"races\":%zu,\"text\":%s}\n", name, n, quoted);
		free(quoted);
	} else if (n)
		hb__d_print(d, "%s", text);
	else
		hb__d_print(d, "%s did not race: it could have got no other message\n", name);
	free(text);
	return 0;
}

int hb__v_race(hb_debug *d, char *args)
{
	struct sought s = {.races = {.limit = 0, .whole = d->run.ended}};
	hb_error err = {0};
	hb_race_sum sum;
	hb_bar bar;
	int code = 0;
	if (!d->run.model)
		return hb__d_fail(d, HB_EXIT_FINDING, "%s", d->whyno);
	if (*args)
		code = hb__d_event(d, args, &s.at);
	else if (!hb__d_here(d, &s.at) || !s.at.event)
		code = hb__d_fail(d, HB_EXIT_USAGE, "race takes an event, as in race 0:17, or one process: [0] race");
	if (code)
		return code;
	s.races.run = d->run; /* lent */
	hb__begin_races(&s.races);
	hb__bar_begin(&bar, "looking for races");
	if (hb_races(d->run.model, 0, keep, &s, &sum, hb__bar_step, &bar, &err))
		code = hb__d_fail(d, HB_EXIT_FINDING, "%s", err.message);
	hb__bar_end(&bar);
	code = code ? code : print_races(d, &s);
	hb__end_races(&s.races);
	return code;
}
