/* When rules are due. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "system/reactions/inside.h"

#define FIELD(object, name) cJSON_GetObjectItemCaseSensitive(object, name)

static const char *text_of(const cJSON *object, const char *name)
{
	const char *text = cJSON_GetStringValue(FIELD(object, name));
	return text ? text : "";
}

static int64_t number_of(const cJSON *object, const char *name)
{
	const cJSON *item = FIELD(object, name);
	return cJSON_IsNumber(item) ? (int64_t)item->valuedouble : 0;
}

/* ---- which events ---- */

static unsigned kind_of(const cJSON *event)
{
	static const struct {
		const char *name;
		unsigned kind;
	} all[] = {{"death", HB__DEATH}, {"exit", HB__EXIT}, {"gone", HB__GONE}, {"start", HB__START},
		{"stop", HB__STOP}, {"go", HB__GO}, {"finding", HB__FOUND}, {"hang", HB__HANG}, {"sensor", HB__SENSED}};
	const char *name = text_of(event, "kind");
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (!strcmp(all[i].name, name))
			return all[i].kind == HB__HANG && !strcmp(text_of(FIELD(event, "data"), "verdict"), "moves")
				       ? HB__MOVES
				       : all[i].kind;
	return 0;
}

static bool is_it(const char *wanted, const char *name) { return !wanted || !strcmp(wanted, name); }

/* Rank 3 is that of the first world: its name has no @. */
static bool is_process(const hb__when_condition *c, const cJSON *row, const char *field)
{
	return !c->process ||
	       (!strcmp(c->process, text_of(row, field)) && (!c->ranked || cJSON_IsNumber(FIELD(row, "rank"))));
}

static bool is_there(const hb__when_condition *c, const cJSON *row, const char *process)
{
	return is_it(c->program, text_of(row, "program_name")) && is_it(c->node, text_of(row, "node_name")) &&
	       is_process(c, row, process);
}

static bool ends_so(const hb__when_condition *c, const cJSON *event, unsigned kind)
{
	const cJSON *data = FIELD(event, "data");
	int64_t status = number_of(data, "status"), signal = number_of(data, "signal");
	if (c->signal && signal != c->signal)
		return false;
	if (c->kinds == HB__DEATH && cJSON_IsTrue(FIELD(data, "asked")))
		return false; /* with its program it was told to end */
	if (c->has_status && (status == c->status) == c->not_status)
		return false;
	return !c->fails || (!cJSON_IsTrue(FIELD(data, "asked")) && (kind != HB__EXIT || status));
}

static bool is_beyond(const hb__when_condition *c, double value)
{
	return c->over > 0 ? value > c->limit : value < c->limit;
}

/* A sensor counts when it goes beyond the limit, and not again before it was back. */
static bool sensed(hb__when_condition *c, const cJSON *event)
{
	const cJSON *value = FIELD(FIELD(event, "data"), "value");
	if (!c->over)
		return true;
	if (!cJSON_IsNumber(value))
		return false;
	int64_t process = number_of(event, "process");
	size_t at = 0;
	while (at < c->nsamples && c->sample[at].time != process)
		at++;
	bool was = at < c->nsamples, is = is_beyond(c, value->valuedouble);
	if (was && !is)
		c->sample[at] = c->sample[--c->nsamples];
	else if (!was && is && HB_GROW(c->sample, c->room, c->nsamples + 1))
		c->sample[c->nsamples++] = (hb__when_sample){process, 0};
	return is && !was;
}

static bool happened(hb__when_condition *c, const cJSON *event, unsigned kind)
{
	const cJSON *data = FIELD(event, "data");
	if (!is_there(c, event, "process_name"))
		return false;
	switch (c->kind) {
	case HB__EVENT:
		return (c->kinds & kind) && ends_so(c, event, kind);
	case HB__PROGRAM_ENDS:
		return (c->kinds & kind) && number_of(event, "process") &&
		       number_of(event, "process") == number_of(event, "main") && ends_so(c, event, kind);
	case HB__FINDING:
		return kind == HB__FOUND && is_it(c->what, text_of(data, "id")) &&
		       is_it(c->model, text_of(data, "model"));
	case HB__SENSOR:
		return kind == HB__SENSED && !strcmp(c->what, text_of(data, "name")) && sensed(c, event);
	default:
		return false;
	}
}

/* ---- which states ---- */

struct look {
	hb__when_condition *c;
	int64_t now;
	bool found;
	double sum;
	cJSON *row; /* the first one */
};

static bool fits(const hb__when_condition *c, const cJSON *row)
{
	const cJSON *value = c->kind == HB__NODE_HAS ? FIELD(row, c->what) : NULL;
	if (c->kind == HB__NODE_IS || c->kind == HB__NODE_HAS) {
		if (!is_it(c->node, text_of(row, "name")))
			return false;
		return c->kind == HB__NODE_IS ? !strcmp(c->what, text_of(row, "state"))
					      : cJSON_IsNumber(value) && is_beyond(c, value->valuedouble);
	}
	if (c->kind == HB__PROGRAM_IS)
		return is_it(c->program, text_of(row, "name")) && !strcmp(c->what, text_of(row, "state"));
	return is_there(c, row, "name") && (c->kind == HB__SPEED || !strcmp(c->what, text_of(row, "state")));
}

static hb__when_series *series_of(hb__when_condition *c, int64_t process)
{
	for (size_t i = 0; i < c->nseries; i++)
		if (c->series[i].process == process)
			return &c->series[i];
	if (!HB_GROW(c->series, c->series_room, c->nseries + 1))
		return NULL;
	c->series[c->nseries] = (hb__when_series){.process = process};
	return &c->series[c->nseries++];
}

/* How much more there is than a window ago. */
static bool is_fast(const hb__when_condition *c, hb__when_series *s, double sum, int64_t now)
{
	if (s->nsamples && s->sample[s->nsamples - 1].time > now)
		s->nsamples = 0; /* the clock was set back */
	if (!s->nsamples || s->sample[s->nsamples - 1].time + c->window / 10 <= now) {
		if (s->nsamples && s->sample[s->nsamples - 1].value > sum)
			s->nsamples = 0; /* processes that had ended were forgotten */
		if (HB_GROW(s->sample, s->room, s->nsamples + 1))
			s->sample[s->nsamples++] = (hb__when_sample){now, sum};
	}
	size_t old = 0;
	while (old + 1 < s->nsamples && s->sample[old + 1].time <= now - c->window)
		old++;
	memmove(s->sample, s->sample + old, (s->nsamples - old) * sizeof *s->sample);
	s->nsamples -= old;
	if (!s->nsamples || s->sample[0].time > now - c->window)
		return false; /* it is not known for so long */
	double passed = (double)(now - s->sample[0].time);
	return is_beyond(c, (sum - s->sample[0].value) * (double)c->window / passed);
}

/* Of one process by itself: one that has ended has no rate. */
static bool look_at_each(struct look *l, const cJSON *row)
{
	const char *state = text_of(row, "state");
	hb__when_series *s = series_of(l->c, number_of(row, "process"));
	if (!s || !cJSON_IsNumber(FIELD(row, l->c->what)) || !strcmp(state, "ended") || !strcmp(state, "gone"))
		return false;
	s->seen = true;
	return is_fast(l->c, s, (double)number_of(row, l->c->what), l->now);
}

static bool look(void *user, cJSON *row)
{
	struct look *l = user;
	bool counts = fits(l->c, row) && (!l->c->each || look_at_each(l, row));
	if (!counts) {
		cJSON_Delete(row);
		return true;
	}
	if (l->c->kind == HB__SPEED)
		l->sum += (double)number_of(row, l->c->what);
	if (l->found)
		cJSON_Delete(row);
	else
		l->row = row;
	l->found = true;
	return l->c->kind == HB__SPEED; /* a state needs no second one */
}

static void forget_series(hb__when_condition *c)
{
	for (size_t i = 0; i < c->nseries;)
		if (c->series[i].seen) {
			c->series[i++].seen = false;
		} else {
			free(c->series[i].sample);
			c->series[i] = c->series[--c->nseries];
		}
}

static bool is_often(hb__when_condition *c, int64_t now)
{
	size_t old = 0;
	/* where the clock was set back, what came before that came now, at the latest */
	for (size_t i = c->nsamples; i && c->sample[i - 1].time > now; i--)
		c->sample[i - 1].time = now;
	if (c->came > now)
		c->came = now;
	while (old < c->nsamples && c->sample[old].time <= now - c->window)
		old++;
	memmove(c->sample, c->sample + old, (c->nsamples - old) * sizeof *c->sample);
	c->nsamples -= old;
	/* of "under" a whole window must have passed since it was asked first */
	if (!c->came)
		c->came = now;
	if (c->over < 0 && now < c->came + c->window)
		return false;
	return is_beyond(c, (double)c->nsamples);
}

/* Whether the state is so; *ret_row: of what. */
static bool is_so(hb__when_condition *c, hb_complex *complex, int64_t now, cJSON **ret_row)
{
	*ret_row = NULL;
	if (c->kind == HB__RATE)
		return is_often(c, now);
	const char *what = c->kind == HB__NODE_IS || c->kind == HB__NODE_HAS ? "nodes"
			   : c->kind == HB__PROGRAM_IS                       ? "programs"
									     : "processes";
	struct look l = {.c = c, .now = now};
	hb_complex_rows(complex, what, &(hb_complex_filter){0}, look, &l, NULL);
	*ret_row = l.row;
	if (c->each)
		forget_series(c);
	if (c->kind != HB__SPEED || c->each)
		return l.found;
	hb__when_series *all = series_of(c, 0);
	return all && is_fast(c, all, l.sum, now);
}

/* ---- rules ---- */

static bool is_state(const hb__when_condition *c) { return c->kind >= HB__PROCESS_IS; }

static bool may(const hb__when_rule *rule, int64_t now)
{
	return !rule->pause || !rule->last || now >= rule->last + rule->pause || now < rule->last;
}

static void fire(hb_reactions *re, size_t index, const cJSON *event, int64_t now, hb_reactions_due *due, void *user)
{
	hb__when_rule *rule = &re->rule[index];
	for (size_t i = 0; i < rule->nconditions; i++)
		if (!is_state(&rule->condition[i]))
			rule->condition[i].came = 0; /* used up */
	if (!due || !may(rule, now))
		return;
	rule->last = now;
	due(user, index, event);
}

void hb_reactions_event(hb_reactions *re, hb_complex *complex, const cJSON *event, hb_reactions_due *due, void *user)
{
	unsigned kind = kind_of(event);
	int64_t now = number_of(event, "time");
	for (size_t i = 0; i < re->nrules; i++) {
		hb__when_rule *rule = &re->rule[i];
		bool touched = false, all = true;
		for (size_t k = 0; k < rule->nconditions; k++) {
			hb__when_condition *c = &rule->condition[k];
			if (c->kind == HB__RATE && (c->kinds & kind) && ends_so(c, event, kind) &&
				is_there(c, event, "process_name") &&
				(kind != HB__SENSED || !strcmp(c->what, text_of(FIELD(event, "data"), "name"))) &&
				HB_GROW(c->sample, c->room, c->nsamples + 1))
				c->sample[c->nsamples++] = (hb__when_sample){now, 1};
			if (is_state(c) || !happened(c, event, kind))
				continue;
			c->came = now;
			touched = true;
		}
		for (size_t k = 0; k < rule->nconditions && touched && all; k++) {
			hb__when_condition *c = &rule->condition[k];
			cJSON *row = NULL;
			/* of what is only remembered states are not known any more: it counts as used up */
			all = is_state(c) ? !due || is_so(c, complex, now, &row)
					  : c->came && (!rule->within || now - c->came <= rule->within);
			cJSON_Delete(row);
		}
		if (touched && all)
			fire(re, i, event, now, due, user);
	}
}

/* A state made a rule due: what an event would have of it. */
static cJSON *as_event(const hb__when_rule *rule, const hb__when_condition *c, cJSON *row, int64_t now)
{
	cJSON *event = cJSON_CreateObject();
	cJSON_AddNumberToObject(event, "time", (double)now);
	cJSON_AddStringToObject(event, "kind", "state");
	cJSON_AddStringToObject(event, "text", rule->shown.condition);
	bool node = c->kind == HB__NODE_IS || c->kind == HB__NODE_HAS;
	const char *name = text_of(row, "name");
	const char *program = c->kind == HB__PROGRAM_IS ? name
			      : node                    ? ""
			      : row                     ? text_of(row, "program_name")
							: c->program;
	const char *where = node ? name : row ? text_of(row, "node_name") : c->node;
	if (program && *program)
		cJSON_AddStringToObject(event, "program_name", program);
	if (where && *where)
		cJSON_AddStringToObject(event, "node_name", where);
	static const char *const numbers[] = {"node", "program"};
	for (size_t i = 0; i < 2; i++)
		if (cJSON_IsNumber(FIELD(row, numbers[i])))
			cJSON_AddNumberToObject(event, numbers[i], FIELD(row, numbers[i])->valuedouble);
	if (row && c->kind == HB__NODE_HAS)
		cJSON_AddNumberToObject(
			cJSON_AddObjectToObject(event, "data"), "value", FIELD(row, c->what)->valuedouble);
	if (row && (c->kind == HB__PROCESS_IS || c->each)) {
		cJSON_AddStringToObject(event, "process_name", name);
		static const char *const fields[] = {"process", "rank", "pid", "recording"};
		for (size_t i = 0; i < 4; i++)
			cJSON_AddItemToObject(event, fields[i], cJSON_Duplicate(FIELD(row, fields[i]), 1));
	}
	return event;
}

void hb_reactions_tick(hb_reactions *re, hb_complex *complex, int64_t now, hb_reactions_due *due, void *user)
{
	for (size_t i = 0; i < re->nrules; i++) {
		hb__when_rule *rule = &re->rule[i];
		bool all = true, states = true;
		cJSON *first = NULL;
		for (size_t k = 0; k < rule->nconditions && states; k++)
			states = is_state(&rule->condition[k]);
		for (size_t k = 0; k < rule->nconditions && states; k++) {
			cJSON *row;
			/* all are asked, as rates look at what passes */
			all = is_so(&rule->condition[k], complex, now, &row) && all;
			if (first || !row)
				cJSON_Delete(row);
			else
				first = row;
		}
		if (states && all && !rule->held) {
			cJSON *event = as_event(rule, &rule->condition[0], first, now);
			fire(re, i, event, now, due, user);
			cJSON_Delete(event);
		}
		if (states)
			rule->held = all;
		cJSON_Delete(first);
	}
}
