/* A difference as a sentence. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../contents/show.h"
#include "../show/inert.h"
#include "calls/calls.h"
#include "compare.h"

const char *const hb__difference_words[HB_DIFFERENCES] = {
	[HB_DIFFERENCE_CALL] = "call",
	[HB_DIFFERENCE_ARGUMENT] = "argument",
	[HB_DIFFERENCE_POLL] = "poll",
	[HB_DIFFERENCE_CHOICE] = "race",
	[HB_DIFFERENCE_LENGTH] = "length",
	[HB_DIFFERENCE_RESULT] = "answer",
	[HB_DIFFERENCE_GIVEN] = "contents given",
	[HB_DIFFERENCE_GOT] = "contents got",
	[HB_DIFFERENCE_ACCESS] = "access",
	[HB_DIFFERENCE_END] = "end",
};

static const hb_process *process_at(const struct hb_compared_side *s, hb_at at)
{
	return &hb_model_processes(s->run.model)[hb_model_lines(s->run.model)[at.line].process];
}

static bool fact_of(const struct hb_compared_side *s, hb_at at, hb_fact *ret)
{
	return at.event && at.line != HB_NO && hb__fact(s->facts, at, ret);
}

const char *hb__compared_function(const struct hb_compared_side *s, hb_at at)
{
	hb_fact fact;
	const hb_function *f = fact_of(s, at, &fact) ? hb_log_function(process_at(s, at)->log, fact.function) : NULL;
	return f && f->name ? hb__tame(f->name) : "";
}

const hb_place *hb__compared_place(struct hb_compared_side *s, hb_at at)
{
	hb_fact fact;
	if (!fact_of(s, at, &fact))
		return NULL;
	return hb__process_place(&s->run, hb_model_lines(s->run.model)[at.line].process, fact.site);
}

static const hb_meaning *meaning_at(const struct hb_compared_side *s, hb_at at)
{
	hb_fact fact;
	const hb_function *f = fact_of(s, at, &fact) ? hb_log_function(process_at(s, at)->log, fact.function) : NULL;
	return hb_meaning_of(f && f->name ? f->name : "", f ? f->cls : HB_SPECIAL);
}

/* "rank 2" */
static const char *who(const struct hb_comparison *c, hb_at at, char ret[HB_EVENT_NAME + 8])
{
	char line[HB_EVENT_NAME];
	hb__line_name(&c->side[0].run, at.line, line);
	snprintf(ret, HB_EVENT_NAME + 8, "%s%s", hb_rank_word(line), line);
	return ret;
}

/* A value of an argument or of an event of the program, as `hbdb dump` has it. */
static char *value_text(const struct hb_comparison *c, const hb_difference *d, int side)
{
	hb_output *out = hb__alloc(sizeof *out);
	out->fd = -1;
	hb_at at = side ? d->b : d->a;
	hb__put_value(out, process_at(&c->side[side], at)->log, d->value_kind, d->value[side]);
	char *text = hb__format("%.*s", (int)out->n, out->at);
	free(out);
	return text;
}

static const char *count_text(uint64_t n, char ret[24])
{
	snprintf(ret, 24, "%llu", (unsigned long long)n);
	return ret;
}

/* "by at most 2.2e-16, relative 1.1e-16, 1 ulp" */
static char *distance_text(const hb_values_differ *v)
{
	if (!isfinite(v->absolute))
		return hb__copy("one of them is no finite number");
	return hb__format("by at most %.3g, relative %.3g, %.4g %s", v->absolute, v->relative, v->ulps,
		v->ulps == 1 ? "ulp" : "ulps");
}

static const char *datatype_text(const hb_values_differ *v)
{
	const hb_datatype *type = v->a.datatype == HB_NO ? NULL : hb_log_datatype(v->log, v->a.datatype);
	return type && type->name && *type->name ? hb__tame(type->name) : "values";
}

static char *differing_text(const hb_values_differ *v)
{
	char n[24], all[24], a[64], b[64];
	if (v->values != v->other_values)
		return hb__format(
			"%s values in A and %s in B", count_text(v->values, n), count_text(v->other_values, all));
	if (!v->a.datatype && !v->b.datatype && v->a.kind == HB_VALUE_INTEGER && v->a.a.whole == v->b.a.whole)
		return hb__copy("in bits that are not shown");
	char *far = v->real ? distance_text(v) : hb__copy("");
	char *text = hb__format("%s of %s %s differ, the first is number %llu: %s in A, %s in B%s%s",
		count_text(v->beyond, n), count_text(v->values, all), datatype_text(v), (unsigned long long)v->first,
		hb__value_text(&v->a, a, sizeof a), hb__value_text(&v->b, b, sizeof b), *far ? "; " : "", far);
	free(far);
	return text;
}

/* ": 3 of 10 MPI_DOUBLE differ ..." or nothing. */
static char *behind(const hb_difference *d)
{
	if (!d->valued)
		return hb__copy("");
	char *values = differing_text(&d->values), *text = hb__format(": %s", values);
	free(values);
	return text;
}

/* ---- each kind ---- */

static char *choice(const struct hb_comparison *c, const hb_difference *d, const char *rank, const char *fn)
{
	(void)c;
	if (d->source[0] != HB_ABSENT && d->source[1] != HB_ABSENT &&
		(d->source[0] != d->source[1] || d->tag[0] != d->tag[1]) && d->index[0] == d->index[1])
		return hb__format(
			"%s gets another message in %s: of process %lld with tag %lld in A, of %lld with tag %lld in B (a race)",
			rank, fn, (long long)d->source[0], (long long)d->tag[0], (long long)d->source[1],
			(long long)d->tag[1]);
	if (d->index[0] != HB_ABSENT && d->index[1] != HB_ABSENT && d->index[0] != d->index[1])
		return hb__format("%s is answered otherwise by %s: %lld in A, %lld in B (a race)", rank, fn,
			(long long)d->index[0], (long long)d->index[1]);
	return hb__format("%s is answered otherwise by %s: another request is over (a race)", rank, fn);
}

static char *polled(const hb_difference *d, const char *rank, const char *const fn[2])
{
	if (d->value[0] && d->value[1] && !strcmp(fn[0], fn[1]))
		return hb__format("%s is told yes by %s first in A, and by another call of it in B (a race of polls)",
			rank, fn[0]);
	if (d->value[0] && d->value[1])
		return hb__format(
			"%s is told yes by %s first in A, and by %s in B (a race of polls)", rank, fn[0], fn[1]);
	int yes = d->value[0] ? 0 : 1;
	return hb__format("%s is told yes by %s in %s, and no in %s, where it goes on and calls %s (a race of polls)",
		rank, fn[yes], yes ? "B" : "A", yes ? "A" : "B", fn[!yes]);
}

static char *given(const struct hb_comparison *c, const hb_difference *d, const char *rank, const char *fn)
{
	const hb_meaning *m = meaning_at(&c->side[0], d->a);
	char *more = behind(d), *text;
	if (m->cls == HB_COLLECTIVE && d->members > 1)
		text = hb__format("%u processes give other contents to %s%s", d->members, fn, more);
	else if (m->cls == HB_COLLECTIVE)
		text = hb__format("%s gives other contents to %s%s", rank, fn, more);
	else if (m->cls == HB_IO)
		text = hb__format("%s writes other contents by %s%s", rank, fn, more);
	else
		text = hb__format("%s sends other contents by %s%s", rank, fn, more);
	free(more);
	return text;
}

static char *result(const struct hb_comparison *c, const hb_difference *d)
{
	const char *fn = hb__compared_function(&c->side[0], d->begun);
	char *more = behind(d), *text;
	const char *inputs = !d->first          ? ""
			     : d->given_differs ? ", whose inputs differ by an amount that is not recorded,"
			     : d->untold        ? ", whose inputs could not be compared at all processes,"
			     : d->unsure        ? ", whose inputs agree as far as they were compared,"
						: ", whose inputs agree at all processes,";
	char *op = d->name ? value_text(c, d, 0) : NULL;
	text = hb__format("the result of %s%s%s%s%s differs%s%s", fn, op ? "(" : "", op ? op : "", op ? ")" : "",
		inputs, d->innocent == HB_INNOCENT_ROUNDING ? " by rounding" : "", more);
	free(op);
	free(more);
	return text;
}

static char *got(const struct hb_comparison *c, const hb_difference *d, const char *rank, const char *fn)
{
	char *more = behind(d), *text;
	if (d->collective != HB_NO) {
		free(more);
		return result(c, d);
	}
	if (d->first && d->in_flight)
		text = hb__format("%s gets other contents in %s, although the same were sent%s", rank, fn, more);
	else
		text = hb__format("%s gets other contents in %s%s", rank, fn, more);
	free(more);
	return text;
}

static char *argument(const struct hb_comparison *c, const hb_difference *d, const char *rank, const char *fn)
{
	if (!d->name)
		return hb__format("%s calls %s with other arguments", rank, fn);
	char *a = value_text(c, d, 0), *b = value_text(c, d, 1);
	char *text = hb__format("%s calls %s with %s = %s in A and %s in B", rank, fn, hb__tame(d->name), a, b);
	free(a);
	free(b);
	return text;
}

static char *ended(const struct hb_comparison *c, const hb_difference *d, const char *rank, const char *const fn[2])
{
	(void)c;
	for (int i = 0; i < 2; i++)
		if (d->never[i] && !d->never[!i] && *fn[!i])
			return hb__format("%s never returns from %s in %s", rank, fn[i], i ? "B" : "A");
	if (d->a.event && !d->b.event)
		return hb__format("%s makes no more calls in B, where it calls %s in A", rank, fn[0]);
	if (d->b.event && !d->a.event)
		return hb__format("%s makes no more calls in A, where it calls %s in B", rank, fn[1]);
	return hb__format("%s comes to another end in B than in A", rank);
}

static char *access_text(const hb_difference *d, const char *rank)
{
	if (!d->call[0] || !d->call[1])
		return hb__format("%s calls %s in %s, and not in %s", rank,
			hb__tame(d->call[0] ? d->call[0] : d->call[1]), d->call[0] ? "A" : "B", d->call[0] ? "B" : "A");
	if (strcmp(d->call[0], d->call[1]) != 0) {
		char *a = hb__copy(hb__tame(d->call[0]));
		char *text = hb__format("%s calls %s in A and %s in B", rank, a, hb__tame(d->call[1]));
		free(a);
		return text;
	}
	return hb__format("%s %s other contents %s %s", rank, d->value[0] ? "gives" : "gets",
		d->value[0] ? "to" : "from", hb__tame(d->call[0]));
}

char *hb__difference_sentence(const struct hb_comparison *c, const hb_difference *d)
{
	char rank[HB_EVENT_NAME + 8];
	who(c, d->a, rank);
	char *a = hb__copy(hb__compared_function(&c->side[0], d->a)),
	     *b = hb__copy(hb__compared_function(&c->side[1], d->b)), *text = NULL;
	const char *const fn[2] = {a, b};
	switch (d->kind) {
	case HB_DIFFERENCE_CALL:
		text = hb__format("%s calls %s in A and %s in B", rank, a, b);
		break;
	case HB_DIFFERENCE_ARGUMENT:
		text = argument(c, d, rank, a);
		break;
	case HB_DIFFERENCE_POLL:
		text = polled(d, rank, fn);
		break;
	case HB_DIFFERENCE_CHOICE:
		text = choice(c, d, rank, a);
		break;
	case HB_DIFFERENCE_LENGTH:
		text = hb__format("%s gets a message of %lld bytes in A and of %lld in B, by %s", rank,
			(long long)d->value[0], (long long)d->value[1], a);
		break;
	case HB_DIFFERENCE_RESULT:
		text = hb__format("%s answers %s otherwise: %lld in A, %lld in B", a, rank, (long long)d->value[0],
			(long long)d->value[1]);
		break;
	case HB_DIFFERENCE_GIVEN:
		text = given(c, d, rank, a);
		break;
	case HB_DIFFERENCE_GOT:
		text = got(c, d, rank, a);
		break;
	case HB_DIFFERENCE_ACCESS:
		text = access_text(d, rank);
		break;
	default:
		text = ended(c, d, rank, fn);
		break;
	}
	free(a);
	free(b);
	return text;
}

static char *clocks_text(const struct hb_comparison *c, const hb_difference *d)
{
	if (!d->clocks)
		return hb__copy("");
	if (c->forced)
		return hb__copy(" MPI_Wtime gave it the times of A; other clocks give their own.");
	return hb__format(
		" It had called MPI_Wtime %llu times: times differ in every run, and hbdb diff --force gives the program of B those of A.",
		(unsigned long long)d->clocks);
}

static char *given_advice(const struct hb_comparison *c, const hb_difference *d, bool values)
{
	char *clocks = clocks_text(c, d);
	char *text = hb__format(
		"It was computed otherwise here, came in from outside, or was never written: nothing that was sent here before differs%s.%s%s",
		d->bits == 16 ? ", as far as the checks of 16 bits tell" : "", clocks,
		values ? "" : " Recordings of level data tell which values.");
	free(clocks);
	return text;
}

static char *inputs_advice(const struct hb_comparison *c, const hb_difference *d)
{
	char *clocks = clocks_text(c, d);
	char *text = hb__format("hbdb diff without a tolerance tells where its inputs begin to differ.%s", clocks);
	free(clocks);
	return text;
}

char *hb__difference_advice(const struct hb_comparison *c, const hb_difference *d)
{
	bool values = c->side[0].level_data && c->side[1].level_data;
	if (d->innocent == HB_INNOCENT_ROUNDING)
		return hb__copy(
			"Sums of real numbers depend on the order in which they are added, which the MPI library chooses: this is no error by itself.");
	if (d->innocent == HB_INNOCENT_MAYBE)
		return hb__copy(
			"Sums of real numbers depend on the order in which they are added; recordings of level data tell by how much it differs.");
	if (d->kind == HB_DIFFERENCE_CHOICE && !c->sum.parted && !c->sum.differing && !c->sum.cut[0] && !c->sum.cut[1])
		return hb__copy("Nothing that was compared follows from it.");
	if (d->kind == HB_DIFFERENCE_CHOICE || d->kind == HB_DIFFERENCE_POLL)
		return hb__copy(
			c->forced
				? "The run in the order of A could not follow it here."
				: "What differs behind it may follow from it: hbdb diff --force runs the program of B in the order of A.");
	if (d->first && d->given_differs)
		return inputs_advice(c, d);
	if (d->kind == HB_DIFFERENCE_GIVEN && d->first)
		return given_advice(c, d, values || d->valued);
	if (d->kind == HB_DIFFERENCE_GOT && d->first && d->in_flight)
		return hb__copy("The buffer was changed after the send had begun, or while it was received.");
	if (d->kind == HB_DIFFERENCE_GOT && d->first && meaning_at(&c->side[0], d->a)->cls == HB_RMA)
		return hb__copy(
			"The process whose window it is had stored other values there, of which no call tells, or another one was quicker.");
	return NULL;
}
