/* A comparison: it goes on as far as both runs have come, and is printed at its end. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../show/inert.h"
#include "reference.h"

#define SHOWN 1000 /* differences that are kept, of arrays and results that differed before */

static void visit(void *user, const hb_reference_difference *d)
{
	hb_against *c = user;
	bool differs = d->kind < HB_REFERENCE_DIFFERS;
	if (differs && !c->any) {
		c->any = true;
		c->first = d->point;
		c->correct = d->correct;
		c->foreign = d->kind == HB_REFERENCE_CONSTRUCT && !hb_reference_get_sum(c->rules)->points;
		if (c->loud) {
			char *sentence = hb__against_sentence(c, d);
			hb__say("%s", sentence);
			free(sentence);
		}
	}
	if (d->kind == HB_REFERENCE_CHECKSUM && !c->array) {
		c->array = d->shape[HB_OF_RUN];
		c->array_at = d->point;
	}
	c->found[d->kind]++;
	if (d->again && (!c->all || c->lines.n > SHOWN))
		return;
	char *line = c->json ? hb__against_json(c, d) : hb__against_text(c, d);
	hb__push(&c->lines, line);
	free(line);
}

int hb__against_begin(hb_against *c)
{
	hb_error err = {0};
	if (hb_reference_open(c->side[HB_OF_REFERENCE].points, c->side[HB_OF_RUN].points, &c->tolerance, visit, c,
		    &c->rules, &err))
		return hb__fail_log(c->side[0].path, &err);
	return 0;
}

int hb__against_go(hb_against *c)
{
	hb_error err = {0};
	int got;
	while ((got = hb_reference_step(c->rules, &err)) > 0)
		;
	return got < 0 ? hb__fail_log(c->side[HB_OF_RUN].path, &err) : 0;
}

void hb__against_end(hb_against *c)
{
	hb_reference_close(c->rules);
	hb__strings_free(&c->lines);
}

/* ---- what was compared ---- */

static void put_looked(const hb_against *c, FILE *to)
{
	const hb_reference_sum *s = hb_reference_get_sum(c->rules);
	fprintf(to, "compared: %" PRIu64 " %s, %" PRIu64 " %s of arrays (%" PRIu64 " tiles)", s->points,
		hb__plural(s->points, "point", "points"), s->arrays, hb__plural(s->arrays, "checksum", "checksums"),
		s->tiles);
	if (s->results)
		fprintf(to, ", %" PRIu64 " %s of reductions", s->results, hb__plural(s->results, "result", "results"));
	if (s->values)
		fprintf(to, ", %" PRIu64 " %s", s->values, hb__plural(s->values, "value", "values"));
	fprintf(to, "\n");
	if (s->within)
		fprintf(to,
			"  within the tolerance of %.3g: %" PRIu64 " %s with other bits, by at most %.2g of the norm\n",
			c->tolerance.relative, s->within, hb__plural(s->within, "tile", "tiles"), s->most);
	if (s->failed)
		fprintf(to, "  not compared: %" PRIu64 " %s that could not be computed\n", s->failed,
			hb__plural(s->failed, "checksum", "checksums"));
	if (s->own)
		fprintf(to,
			"  not compared: %" PRIu64
			" %s of arrays that nobody registered, for the runs have other numbers of processes\n",
			s->own, hb__plural(s->own, "checksum", "checksums"));
	if (s->partial)
		fprintf(to, "  not compared: %" PRIu64 " %s within tasks that no single process has whole\n",
			s->partial, hb__plural(s->partial, "tile", "tiles"));
	if (s->shared)
		fprintf(to,
			"  not compared: %" PRIu64
			" %s of elements that several threads wrote between two points; what is read of them later is\n",
			s->shared, hb__plural(s->shared, "value", "values"));
	if (s->unmatched)
		fprintf(to, "  not compared: %" PRIu64 " %s that only one of the runs has\n", s->unmatched,
			hb__plural(s->unmatched, "value", "values"));
	if (s->stopped)
		fprintf(to, "  behind the point %s nothing was compared\n",
			s->last.number ? hb__point_words(&s->last) : "0");
	if (s->again && !c->all)
		fprintf(to, "  %" PRIu64 " later differences of what differs already: --all lists them\n", s->again);
}

/* How it ended, by rank of what is known. */
static int code_of(const hb_against *c)
{
	const hb_reference_sum *s = hb_reference_get_sum(c->rules);
	bool cut =
		hb__cut_traced(&c->side[0], false) || hb__cut_traced(&c->side[1], false) || (!s->done && !s->stopped);
	if (c->foreign || s->boxes)
		return HB_EXIT_USAGE;
	if (s->differences)
		return HB_EXIT_FINDING;
	if (cut)
		return HB_EXIT_RECORDING;
	return s->arrays || s->results || s->values ? HB_EXIT_OK : HB_EXIT_USAGE;
}

static void put_end(const hb_against *c, int code, FILE *to)
{
	const hb_reference_sum *s = hb_reference_get_sum(c->rules);
	const char *a = hb__tame(c->side[0].name), *b = hb__tame(c->side[1].name);
	const char *first = c->side[0].program, *second = c->side[1].program;
	if (c->foreign && first && second)
		fprintf(to,
			"not comparable: %s (%s) and %s (%s) have not even their first construct in common: are they of one program?\n",
			a, hb__tame(first), b, hb__tame(second));
	else if (c->foreign)
		fprintf(to,
			"not comparable: %s and %s have not even their first construct in common: are they of one program?\n",
			a, b);
	else if (s->boxes)
		fprintf(to, "not comparable: %" PRIu64 " %s other extents or another type\n", s->boxes,
			hb__plural(s->boxes, "array has", "arrays have"));
	else if (code == HB_EXIT_FINDING)
		fprintf(to, "different: %s differs from %s, first at the point %s\n", b, a, hb__point_words(&c->first));
	else if (code == HB_EXIT_RECORDING)
		fprintf(to, "cut: no difference up to the point %s; what was behind is not known\n",
			hb__point_words(&s->last));
	else if (code == HB_EXIT_USAGE)
		fprintf(to,
			"not comparable: nothing was compared: no point has a checksum, a result of a reduction or a value in both runs; register arrays (HB_ARRAY) in both\n");
	else
		fprintf(to, "same: no difference in what was compared, at a tolerance of %.3g\n",
			c->tolerance.relative);
}

int hb__against_print(const hb_against *c, FILE *to)
{
	/* where the runs part the traces have not been read to their ends */
	for (unsigned side = 0; side < 2 && hb_reference_get_sum(c->rules)->stopped; side++)
		hb_points_skip(c->side[side].points);
	int code = code_of(c);
	for (size_t i = 0; i < c->lines.n; i++)
		fputs(c->lines.at[i], to);
	hb__cut_traced(&c->side[0], true);
	hb__cut_traced(&c->side[1], true);
	if (c->json) {
		char *sum = hb__against_sum_json(c, code);
		fputs(sum, to);
		free(sum);
		return code;
	}
	put_looked(c, to);
	put_end(c, code, to);
	return code;
}
