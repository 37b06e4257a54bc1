/* A difference, for people. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../show/inert.h"
#include "../reference.h"
#include "between.h"

static const char *const side_name[] = {"the reference", "the run"};

static int32_t rank_of(const hb_against *c, unsigned side, uint32_t process)
{
	hb_traced_process p;
	hb_points_process(c->side[side].points, process, &p);
	return p.rank;
}

/* ---- the line ---- */

/* What an array is called by one number: the sum of its elements; where that is the same in all digits, its hash. */
static void values_of(const hb_reference_difference *d, char a[40], char b[40])
{
	hb__numbers_words(d->whole[0].sum, d->whole[1].sum, a, b);
	if (!strcmp(a, b)) {
		snprintf(a, 40, "#%016" PRIx64, d->whole[0].hash);
		snprintf(b, 40, "#%016" PRIx64, d->whole[1].hash);
	}
}

static char *previous(const hb_reference_difference *d)
{
	return d->correct.number ? hb__format("; previous correct point is %s", hb__point_words(&d->correct))
				 : hb__copy("; there is no correct point before");
}

static char *checksum(const hb_against *c, const hb_reference_difference *d)
{
	char a[40], b[40], *before = previous(d), *text;
	values_of(d, a, b);
	if (d->kind == HB_REFERENCE_COPIES)
		text = hb__format("Different copies of array %s: %s at rank %d != %s at rank %d at the point %s%s",
			hb__array_words(d->shape[1], d->access), a, (int)rank_of(c, HB_OF_RUN, d->process[0]), b,
			(int)rank_of(c, HB_OF_RUN, d->process[1]), hb__point_words(&d->point), before);
	else
		text = hb__format("Different checksums for array %s: %s != %s at the point %s%s",
			hb__array_words(d->shape[1], d->access), a, b, hb__point_words(&d->point), before);
	free(before);
	return text;
}

static const char *does(hb_trace_kind kind) { return kind == HB_TRACE_READ ? "reads" : "writes"; }

static char *value(const hb_against *c, const hb_reference_difference *d)
{
	char a[40], b[40];
	hb__numbers_words(d->number[0], d->number[1], a, b);
	if (d->kind == HB_REFERENCE_RESULT) {
		char *name = hb__inert(d->value[1]->variable->name);
		char *text = hb__format(
			"Different result of reduction (\"%s\", \"%s\", %u): %s != %s at rank %d before the point %s",
			name, hb__tame(d->value[1]->variable->file), d->value[1]->variable->line, a, b,
			(int)rank_of(c, HB_OF_RUN, d->process[1]), hb__point_words(&d->point));
		free(name);
		return text;
	}
	char *element = hb__element_words(d->shape[1], d->value[1]->element);
	char *text = hb__format("First different value: rank %d %s %s%s = %s != %s before the point %s",
		(int)rank_of(c, HB_OF_RUN, d->process[1]), does(d->value[1]->kind), hb__tame(d->shape[1]->id.name),
		element, b, a, hb__point_words(&d->point));
	free(element);
	return text;
}

static char *parted(const hb_against *c, const hb_reference_difference *d)
{
	const char *at = hb__point_words(&d->point);
	if (d->kind == HB_REFERENCE_CONSTRUCT)
		return hb__format(
			"The runs come by different constructs at point %s: %s in the reference, %s in the run", at,
			hb__construct_words(d->construct[0]), hb__construct_words(d->construct[1]));
	if (d->kind == HB_REFERENCE_PROCESSES)
		return hb__format(
			"Processes of %s come by different constructs at point %s: %s at rank %d, %s at rank %d",
			side_name[d->side], at, hb__construct_words(d->construct[0]),
			(int)rank_of(c, d->side, d->process[0]), hb__construct_words(d->construct[1]),
			(int)rank_of(c, d->side, d->process[1]));
	if (d->process[1] != HB_NO)
		return hb__format("Rank %d of %s ended before the point %s, which others came to",
			(int)rank_of(c, d->side, d->process[1]), side_name[d->side], at);
	return hb__format("%s ended before the point %s", d->side ? "The run" : "The reference", at);
}

static char *box(const hb_against *c, const hb_reference_difference *d)
{
	if (d->process[1] != HB_NO && d->process[0] != HB_NO)
		return hb__format("Ranks %d and %d of %s say different things of array %s: %s and %s",
			(int)rank_of(c, d->side, d->process[0]), (int)rank_of(c, d->side, d->process[1]),
			side_name[d->side], hb__array_words(d->shape[0], 0), hb__extents_words(d->shape[0]),
			hb__extents_words(d->shape[1]));
	return hb__format("Array %s has %s in the reference and %s in the run: were they given the same input?",
		hb__array_words(d->shape[1], 0), hb__extents_words(d->shape[0]), hb__extents_words(d->shape[1]));
}

static char *pieces(const hb_reference_difference *d)
{
	const hb_array_shape *s = d->shape[HB_OF_RUN] ? d->shape[HB_OF_RUN] : d->shape[HB_OF_REFERENCE];
	if (d->shape[0] && d->shape[1])
		return hb__format(
			"Array %s has %s in the reference and %s in the run, by what the program told MPI: it is not compared; register it (HB_ARRAY)",
			hb__array_words(s, 0), hb__extents_words(d->shape[0]), hb__extents_words(d->shape[1]));
	return hb__format(
		"Array %s: what the processes of %s told MPI of it overlaps, leaves gaps, or is not told by all of them at the point %s: "
		"each process's part is taken for an array of its own; register it (HB_ARRAY)",
		hb__array_words(s, 0), side_name[d->side], hb__point_words(&d->point));
}

static char *failed(const hb_against *c, const hb_reference_difference *d)
{
	static const char *const why[] = {
		"", "it does not exist there", "its memory cannot be read", "its description makes no sense"};
	return hb__format(
		"No checksum of array %s at the point %s, rank %d of %s: %s; it is not compared there, and this is not said again",
		hb__array_words(d->shape[d->side], d->access), hb__point_words(&d->point),
		(int)rank_of(c, d->side, d->process[d->side]), side_name[d->side], why[d->state & 3]);
}

static char *trouble(const hb_against *c, const hb_reference_difference *d)
{
	const char *text = d->trouble->text;
	int rank = (int)rank_of(c, d->side, d->trouble->process);
	if (d->trouble->kind == HB_TRACE_SAVED)
		return hb__format("Rank %d of %s saved array %s in %s", rank, side_name[d->side],
			hb__array_words(d->shape[d->side], 0), hb__tame(text));
	return hb__format("Rank %d of %s, before the point %s: %s", rank, side_name[d->side],
		hb__point_words(&d->point), hb__tame(text));
}

static char *only(const hb_against *c, const hb_reference_difference *d)
{
	const hb_access *a = d->value[d->side];
	const char *place = hb__access_place(&c->side[d->side], a);
	char *element = hb__element_words(d->shape[d->side], a->element);
	char *text = hb__format("Only %s writes %s%s = %g, at rank %d, %s, before the point %s; %llu %s like that",
		side_name[d->side], hb__tame(d->shape[d->side]->id.name), element, d->number[d->side],
		(int)rank_of(c, d->side, a->process), place ? place : "at an unknown line", hb__point_words(&d->point),
		(unsigned long long)d->differing, d->differing == 1 ? "write is" : "writes are");
	free(element);
	return text;
}

char *hb__against_sentence(const hb_against *c, const hb_reference_difference *d)
{
	switch (d->kind) {
	case HB_REFERENCE_CHECKSUM:
	case HB_REFERENCE_COPIES:
		return checksum(c, d);
	case HB_REFERENCE_RESULT:
	case HB_REFERENCE_VALUE:
		return value(c, d);
	case HB_REFERENCE_CONSTRUCT:
	case HB_REFERENCE_PROCESSES:
	case HB_REFERENCE_SHORTER:
		return parted(c, d);
	case HB_REFERENCE_BOX:
		return box(c, d);
	case HB_REFERENCE_FAILED:
		return failed(c, d);
	case HB_REFERENCE_PIECES:
		return pieces(d);
	case HB_REFERENCE_ONLY:
		return only(c, d);
	case HB_REFERENCE_UNKNOWN:
		return hb__format(
			"Array %s has no checksum at the point %s in %s: it is not registered there, or not traced",
			hb__array_words(d->shape[!d->side], d->access), hb__point_words(&d->point), side_name[d->side]);
	default:
		return trouble(c, d);
	}
}

/* ---- what stands below it ---- */

static void put_interval(const hb_reference_difference *d, FILE *to)
{
	const hb_trace_construct *end = d->construct[HB_OF_RUN];
	if (d->correct.number && d->correct_construct)
		fprintf(to, "  between  %s, %s\n  and      %s, %s\n", hb__point_words(&d->correct),
			hb__construct_words(d->correct_construct), hb__point_words(&d->point),
			hb__construct_words(end));
	else
		fprintf(to, "  before   %s, %s\n", hb__point_words(&d->point), hb__construct_words(end));
}

static void put_tile(const hb_against *c, const hb_reference_difference *d, FILE *to)
{
	int64_t first[HB_DIMENSIONS], count[HB_DIMENSIONS];
	hb_tile_box(&d->shape[1]->tiling, d->tile, first, count);
	char *words = d->placeless ? hb__copy(", somewhere") : hb__box_words(d->shape[1], first, count);
	fprintf(to, "  in       %s%s", hb__tame(d->shape[1]->id.name), words);
	free(words);
	if (d->owners && d->owner != HB_NO)
		fprintf(to, ", of rank %d", (int)rank_of(c, HB_OF_RUN, d->owner));
	if (d->owners > 1)
		fprintf(to, " and %u other%s", d->owners - 1, d->owners > 2 ? "s" : "");
	if (d->at[0].count != d->at[1].count)
		fprintf(to,
			": %" PRIu64 " elements in the reference and %" PRIu64
			" in the run: what processes own leaves gaps, or overlaps",
			d->at[0].count, d->at[1].count);
	else if (d->at[0].odd != d->at[1].odd)
		fprintf(to, ": %" PRIu64 " values are no finite numbers in the reference, %" PRIu64 " in the run",
			d->at[0].odd, d->at[1].odd);
	else {
		fprintf(to, ": the distance is about %.2g", d->distance);
		if (d->scale > 0)
			fprintf(to, ", %.1e of the norm", d->distance / d->scale);
	}
	if (d->placeless)
		fprintf(to, "; the text form has no tiles\n");
	else
		fprintf(to, "; %u of %u tiles differ\n", d->tiles, d->shape[1]->tiling.tiles);
	if (!d->edges)
		return;
	fprintf(to,
		"  at       the edge of a process, all of them: is an exchange of its halo missing or late between these lines?\n");
	char *sent = d->correct.number && d->owners && d->owner != HB_NO
			     ? hb__between_words(
				       c->side[HB_OF_RUN].path, rank_of(c, HB_OF_RUN, d->owner), &d->correct, &d->point)
			     : NULL;
	if (sent)
		fprintf(to, "           %s\n", sent);
	free(sent);
}

static void put_iteration(const hb_access *a, FILE *to)
{
	for (unsigned i = 0; i < a->n; i++)
		fprintf(to, "%s%" PRId64, i ? ", " : ", iteration (", a->iteration[i]);
	fprintf(to, "%s", a->n ? ") of " : ", in ");
}

static void put_value(const hb_against *c, const hb_reference_difference *d, FILE *to)
{
	const hb_access *y = d->value[1];
	const char *place = hb__access_place(&c->side[HB_OF_RUN], y);
	fprintf(to, "  at       %s", place ? hb__tame(place) : "an unknown line");
	put_iteration(y, to);
	fprintf(to, "%s\n", y->construct ? hb__construct_words(y->construct) : "sequential code");
	int64_t index[HB_DIMENSIONS] = {0};
	bool owned = true;
	if (d->shape[1]->tiled && !(d->shape[1]->flags & HB_TRACE_ARRAY_OWN))
		hb_array_index(&d->shape[1]->as, (int64_t)y->element, index, &owned);
	if (!owned)
		fprintf(to, "  which    is in the halo of rank %d: the element is another process's\n",
			(int)rank_of(c, HB_OF_RUN, y->process));
	fprintf(to, "  with     %" PRIu64 " different %s since the point before\n", d->differing,
		hb__plural(d->differing, "value", "values"));
}

char *hb__against_text(const hb_against *c, const hb_reference_difference *d)
{
	static const char *const words[] = {"different", "different", "different", "different", "different",
		"different", "different", "not compared", "note", "not compared", "not compared", "note"};
	char *text = NULL, *sentence = hb__against_sentence(c, d);
	size_t n = 0;
	FILE *to = open_memstream(&text, &n);
	if (!to)
		return sentence;
	fprintf(to, "%s: %s\n", d->again ? "later" : words[d->kind], sentence);
	free(sentence);
	if (!d->again && (d->kind == HB_REFERENCE_CHECKSUM || d->kind == HB_REFERENCE_COPIES)) {
		put_interval(d, to);
		put_tile(c, d, to);
	}
	if (d->kind == HB_REFERENCE_VALUE)
		put_value(c, d, to);
	fclose(to);
	return text;
}
