/* Differences for programs: an object on a line each, and one for the sum. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../contents/show.h"
#include "compare.h"

static void name(hb_output *out, const char *member)
{
	if (out->n && out->at[out->n - 1] != '{')
		hb__put_char(out, ',');
	hb__put_json(out, member);
	hb__put_char(out, ':');
}

static void text(hb_output *out, const char *member, const char *value)
{
	name(out, member);
	if (value && *value)
		hb__put_json(out, value);
	else
		hb__put_text(out, "null");
}

static void number(hb_output *out, const char *member, uint64_t value)
{
	name(out, member);
	hb__put_uint(out, value);
}

/* JSON has no infinity. */
static void real(hb_output *out, const char *member, double value)
{
	name(out, member);
	if (isfinite(value))
		hb__put_real(out, value);
	else
		hb__put_text(out, "null");
}

static void truth(hb_output *out, const char *member, bool value)
{
	name(out, member);
	hb__put_text(out, value ? "true" : "false");
}

static void put_event(hb_output *out, const char *member, struct hb_compared_side *s, hb_at at)
{
	char event[HB_EVENT_NAME];
	name(out, member);
	if (!at.event || at.line == HB_NO) {
		hb__put_text(out, "null");
		return;
	}
	const hb_place *place = hb__compared_place(s, at);
	hb__put_char(out, '{');
	text(out, "event", hb__event_name(&s->run, at, event));
	text(out, "function", hb__compared_function(s, at));
	if (place && place->file) {
		text(out, "file", place->file);
		number(out, "line", (uint64_t)place->line);
	} else
		text(out, "address", place ? place->text : NULL);
	hb__put_char(out, '}');
}

static void put_values(hb_output *out, const hb_values_differ *v)
{
	char a[64], b[64];
	name(out, "values");
	hb__put_char(out, '{');
	number(out, "a", v->values);
	number(out, "b", v->other_values);
	number(out, "differing", v->differing);
	number(out, "beyond", v->beyond);
	number(out, "first", v->first);
	text(out, "first_a", hb__value_text(&v->a, a, sizeof a));
	text(out, "first_b", hb__value_text(&v->b, b, sizeof b));
	if (v->real) {
		real(out, "absolute", v->absolute);
		real(out, "relative", v->relative);
		real(out, "ulps", v->ulps);
	}
	hb__put_char(out, '}');
}

static void put_difference(struct hb_comparison *c, const hb_difference *d, hb_output *out)
{
	static const char *const innocent[] = {NULL, "maybe", "rounding"};
	char line[HB_EVENT_NAME], *sentence = hb__difference_sentence(c, d), *advice = hb__difference_advice(c, d);
	hb__put_char(out, '{');
	text(out, "difference", hb__difference_words[d->kind]);
	truth(out, "first", d->first);
	text(out, "sentence", sentence);
	text(out, "advice", advice);
	put_event(out, "a", &c->side[0], d->a);
	put_event(out, "b", &c->side[1], d->b);
	text(out, "innocent", innocent[d->innocent]);
	text(out, "behind", d->first ? NULL : hb__line_name(&c->side[0].run, d->cause, line));
	bool contents =
		d->kind == HB_DIFFERENCE_GIVEN || d->kind == HB_DIFFERENCE_GOT || d->kind == HB_DIFFERENCE_ACCESS;
	if (contents)
		number(out, "bits", d->bits);
	if (d->kind == HB_DIFFERENCE_GOT)
		put_event(out, "sender", &c->side[0], d->sender);
	if (d->kind == HB_DIFFERENCE_GOT && d->collective != HB_NO)
		put_event(out, "begun", &c->side[0], d->begun);
	if (d->until.event)
		put_event(out, "parts_at", &c->side[0], d->until);
	if (d->members)
		number(out, "members", d->members);
	if (d->valued)
		put_values(out, &d->values);
	hb__put_text(out, "}\n");
	free(sentence);
	free(advice);
}

void hb__compared_json(struct hb_comparison *c, hb_output *out)
{
	const hb_compared *s = &c->sum;
	for (size_t i = 0; i < c->n; i++)
		if (c->at[i].first || c->all)
			put_difference(c, &c->at[i], out);
	hb__put_char(out, '{');
	truth(out, "same", hb__is_same(c));
	truth(out, "forced", c->forced);
	number(out, "first", s->first);
	number(out, "others", s->others);
	number(out, "differing_contents", s->differing);
	number(out, "parted", s->parted);
	number(out, "processes", s->processes);
	number(out, "events", s->events);
	number(out, "by_64_bits", s->whole);
	number(out, "by_16_bits", s->checked);
	number(out, "by_16_bits_of_a_sample", s->sampled);
	number(out, "by_values", s->valued);
	number(out, "contents_not_compared", s->without);
	number(out, "accesses_not_compared", s->unseen);
	number(out, "shared_windows", s->shared);
	number(out, "tolerated", s->tolerated);
	number(out, "given_not_compared", s->untold);
	number(out, "polls_differ", s->polls);
	number(out, "passed_over", s->passed);
	number(out, "cut_a", s->cut[0]);
	number(out, "cut_b", s->cut[1]);
	number(out, "threads_only_in_b", s->only_b);
	if (s->tolerated) {
		real(out, "absolute", s->within.absolute);
		real(out, "relative", s->within.relative);
		real(out, "ulps", s->within.ulps);
	}
	hb__put_text(out, "}\n");
}
