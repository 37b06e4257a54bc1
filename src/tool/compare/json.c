/* Differences for programs: an object on a line each, and one for the sum. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../contents/show.h"
#include "compare.h"

/* Nothing is null, too. */
static void text(hb_output *out, const char *member, const char *value)
{
	hb__put_text_member(out, member, value && *value ? value : NULL);
}

static void put_event(hb_output *out, const char *member, struct hb_compared_side *s, hb_at at)
{
	char event[HB_EVENT_NAME];
	hb__put_member(out, member);
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
		hb__put_uint_member(out, "line", (uint64_t)place->line);
	} else
		text(out, "address", place ? place->text : NULL);
	hb__put_char(out, '}');
}

static void put_values(hb_output *out, const hb_values_differ *v)
{
	char a[64], b[64];
	hb__put_member(out, "values");
	hb__put_char(out, '{');
	hb__put_uint_member(out, "a", v->values);
	hb__put_uint_member(out, "b", v->other_values);
	hb__put_uint_member(out, "differing", v->differing);
	hb__put_uint_member(out, "beyond", v->beyond);
	hb__put_uint_member(out, "first", v->first);
	text(out, "first_a", hb__value_text(&v->a, a, sizeof a));
	text(out, "first_b", hb__value_text(&v->b, b, sizeof b));
	if (v->real) {
		hb__put_real_member(out, "absolute", v->absolute);
		hb__put_real_member(out, "relative", v->relative);
		hb__put_real_member(out, "ulps", v->ulps);
	}
	hb__put_char(out, '}');
}

static void put_difference(struct hb_comparison *c, const hb_difference *d, hb_output *out)
{
	static const char *const innocent[] = {NULL, "maybe", "rounding"};
	char line[HB_EVENT_NAME], *sentence = hb__difference_sentence(c, d), *advice = hb__difference_advice(c, d);
	hb__put_char(out, '{');
	text(out, "difference", hb__difference_words[d->kind]);
	hb__put_truth_member(out, "first", d->first);
	text(out, "sentence", sentence);
	text(out, "advice", advice);
	put_event(out, "a", &c->side[0], d->a);
	put_event(out, "b", &c->side[1], d->b);
	text(out, "innocent", innocent[d->innocent]);
	text(out, "behind", d->first ? NULL : hb__line_name(&c->side[0].run, d->cause, line));
	bool contents =
		d->kind == HB_DIFFERENCE_GIVEN || d->kind == HB_DIFFERENCE_GOT || d->kind == HB_DIFFERENCE_ACCESS;
	if (contents)
		hb__put_uint_member(out, "bits", d->bits);
	if (d->kind == HB_DIFFERENCE_GOT)
		put_event(out, "sender", &c->side[0], d->sender);
	if (d->kind == HB_DIFFERENCE_GOT && d->collective != HB_NO)
		put_event(out, "begun", &c->side[0], d->begun);
	if (d->until.event)
		put_event(out, "parts_at", &c->side[0], d->until);
	if (d->members)
		hb__put_uint_member(out, "members", d->members);
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
	hb__put_truth_member(out, "same", hb__is_same(c));
	hb__put_truth_member(out, "forced", c->forced);
	hb__put_uint_member(out, "first", s->first);
	hb__put_uint_member(out, "others", s->others);
	hb__put_uint_member(out, "differing_contents", s->differing);
	hb__put_uint_member(out, "parted", s->parted);
	hb__put_uint_member(out, "processes", s->processes);
	hb__put_uint_member(out, "events", s->events);
	hb__put_uint_member(out, "by_64_bits", s->whole);
	hb__put_uint_member(out, "by_16_bits", s->checked);
	hb__put_uint_member(out, "by_16_bits_of_a_sample", s->sampled);
	hb__put_uint_member(out, "by_values", s->valued);
	hb__put_uint_member(out, "contents_not_compared", s->without);
	hb__put_uint_member(out, "accesses_not_compared", s->unseen);
	hb__put_uint_member(out, "shared_windows", s->shared);
	hb__put_uint_member(out, "tolerated", s->tolerated);
	hb__put_uint_member(out, "given_not_compared", s->untold);
	hb__put_uint_member(out, "polls_differ", s->polls);
	hb__put_uint_member(out, "passed_over", s->passed);
	hb__put_uint_member(out, "cut_a", s->cut[0]);
	hb__put_uint_member(out, "cut_b", s->cut[1]);
	hb__put_uint_member(out, "threads_only_in_b", s->only_b);
	if (s->tolerated) {
		hb__put_real_member(out, "absolute", s->within.absolute);
		hb__put_real_member(out, "relative", s->within.relative);
		hb__put_real_member(out, "ulps", s->within.ulps);
	}
	hb__put_text(out, "}\n");
}
