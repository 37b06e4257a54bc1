/* Differences for people. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../run/next.h"
#include "../show/inert.h"
#include "compare.h"

#define SHOWN 20 /* causally first differences, without --all */

static void put_event(struct hb_compared_side *s, const char *letter, hb_at at, const char *more, FILE *to)
{
	char name[HB_EVENT_NAME];
	if (at.line == HB_NO)
		return;
	if (!at.event) {
		at.event = hb_model_lines(s->run.model)[at.line].events;
		more = "its last call";
	}
	if (!at.event)
		return;
	hb__event_name(&s->run, at, name);
	const hb_place *place = hb__compared_place(s, at);
	fprintf(to, "  %s  %s  %s%s%s%s%s\n", letter, name, hb__compared_function(s, at), place ? "  " : "",
		place ? place->text : "", *more ? "  " : "", more);
}

static void put_next(struct hb_comparison *c, const hb_difference *d, FILE *to)
{
	char name[HB_EVENT_NAME];
	int side = d->a.event ? 0 : 1;
	hb_at at = side ? d->b : d->a;
	if (!at.event || at.line == HB_NO)
		return;
	fprintf(to, "  ");
	hb__put_next(
		to, c->side[side].run.path, c->side[side].name, hb__event_name(&c->side[side].run, at, name), NULL);
	fprintf(to, "\n");
}

static void put_difference(struct hb_comparison *c, const hb_difference *d, FILE *to, bool colour)
{
	const char *word = !d->first ? "later" : d->innocent ? "rounding" : "different";
	const char *on = !colour                    ? ""
			 : d->first && !d->innocent ? "\033[1;31m"
						    : "\033[1;36m",
		   *off = colour ? "\033[0m" : "";
	char *sentence = hb__difference_sentence(c, d), *advice = hb__difference_advice(c, d), cause[HB_EVENT_NAME];
	if (d->innocent == HB_INNOCENT_MAYBE)
		word = "rounding (possible)";
	fprintf(to, "%s%s%s: %s\n", on, word, off, hb__tame(sentence));
	const char *more = d->kind == HB_DIFFERENCE_ACCESS ? "the event behind it" : "";
	put_event(&c->side[0], "A", d->a, more, to);
	put_event(&c->side[1], "B", d->b, more, to);
	if (d->kind == HB_DIFFERENCE_GOT && d->sender.event)
		put_event(&c->side[0], "sent by", d->sender, "", to);
	if (d->kind == HB_DIFFERENCE_GOT && d->collective != HB_NO && d->begun.event != d->a.event)
		put_event(&c->side[0], "begun by", d->begun, "", to);
	if (d->until.event)
		put_event(&c->side[0], "part at", d->until, "", to);
	if (d->members > 1 && d->kind == HB_DIFFERENCE_GOT)
		fprintf(to, "  at %u processes\n", d->members);
	if (!d->first)
		fprintf(to, "  after the difference of %s\n", hb__line_name(&c->side[0].run, d->cause, cause));
	else if (advice)
		fprintf(to, "  %s\n", advice);
	if (d->first)
		put_next(c, d, to);
	fprintf(to, "\n");
	free(sentence);
	free(advice);
}

/* How far was looked: what is said to be the same is said of this. */
static void put_looked(const struct hb_comparison *c, FILE *to)
{
	const hb_compared *s = &c->sum;
	fprintf(to, "compared: %llu %s of %u %s; contents: %llu by 64 bits", (unsigned long long)s->events,
		hb__plural(s->events, "pair of events", "pairs of events"), s->processes,
		hb__plural(s->processes, "process", "processes"), (unsigned long long)s->whole);
	if (s->checked)
		fprintf(to, ", %llu by 16 bits", (unsigned long long)s->checked);
	if (s->sampled)
		fprintf(to, " (%llu of these were longer than 4096 bytes, of which 3072 are checked)",
			(unsigned long long)s->sampled);
	if (s->valued)
		fprintf(to, ", %llu by their values", (unsigned long long)s->valued);
	fprintf(to, "; %llu not at all\n", (unsigned long long)s->without);
	if (s->tolerated)
		fprintf(to,
			"  within the tolerance: %llu %s in %llu contents, by at most %.3g, relative %.3g, %.4g ulps\n",
			(unsigned long long)s->within.differing, hb__plural(s->within.differing, "value", "values"),
			(unsigned long long)s->tolerated, s->within.absolute, s->within.relative, s->within.ulps);
	if (s->unseen)
		fprintf(to, "  not compared: the contents of %llu %s of windows and files\n",
			(unsigned long long)s->unseen, hb__plural(s->unseen, "call", "calls"));
	if (s->shared)
		fprintf(to, "  not compared: the memory that processes share by windows\n");
	if (s->untold)
		fprintf(to,
			"  given to collectives and different, by how much is not recorded: %llu contents; their results were compared\n",
			(unsigned long long)s->untold);
	if (s->polls || s->passed)
		fprintf(to,
			"  not compared: %llu clocks that were read and operations that order threads; how often polls answered no (it differs before %llu calls)\n",
			(unsigned long long)s->passed, (unsigned long long)s->polls);
	if (!c->side[0].whole || !c->side[1].whole)
		fprintf(to,
			"  hbdb record --digests whole (of both runs) compares whole contents, and what is written to files and windows\n");
}

static void put_cut(const struct hb_comparison *c, FILE *to)
{
	for (int i = 0; i < 2; i++)
		if (c->sum.cut[i])
			fprintf(to,
				"  %s is cut: what %u of its %u threads did behind the ends of their logs was not compared\n",
				i ? "B" : "A", c->sum.cut[i], c->sum.lines);
	if (c->sum.only_b)
		fprintf(to, "  %u %s made events in B and not in A\n", c->sum.only_b,
			hb__plural(c->sum.only_b, "thread", "threads"));
}

bool hb__is_same(const struct hb_comparison *c) { return !c->sum.first && !c->sum.others && !c->sum.only_b; }

static void put_sum(const struct hb_comparison *c, FILE *to)
{
	const hb_compared *s = &c->sum;
	bool cut = s->cut[0] || s->cut[1];
	if (hb__is_same(c)) {
		fprintf(to, "%s%s\n", c->forced ? "in the order of A, " : "",
			cut ? "the same, up to where the cut recording ends" : "the same");
	} else {
		fprintf(to, "%s%u causally first %s", c->forced ? "in the order of A: " : "", s->first,
			hb__plural(s->first, "difference", "differences"));
		if (s->others)
			fprintf(to, ", and %u other %s %s behind %s%s", s->others,
				hb__plural(s->others, "thread", "threads"), hb__plural(s->others, "differs", "differ"),
				s->first == 1 ? "it" : "them", c->all ? "" : " (--all lists them)");
		if (s->differing)
			fprintf(to, "; %llu contents differ as far as calls can be paired",
				(unsigned long long)s->differing);
		else if (!s->parted && !cut)
			fprintf(to, "; behind %s nothing differs", s->first == 1 ? "it" : "them");
		fprintf(to, "\n");
	}
	put_cut(c, to);
	put_looked(c, to);
}

void hb__compared_text(struct hb_comparison *c, FILE *to, bool colour)
{
	size_t shown = 0, first = 0;
	for (size_t i = 0; i < c->n; i++) {
		const hb_difference *d = &c->at[i];
		first += d->first;
		if ((d->first && (c->all || first <= SHOWN)) || (!d->first && c->all)) {
			put_difference(c, d, to, colour);
			shown += d->first;
		}
	}
	if (first > shown)
		fprintf(to, "and %zu more that are causally first (--all lists them)\n\n", first - shown);
	put_sum(c, to);
}
