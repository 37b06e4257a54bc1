/* A tracer that writes down what a program tells it: hb_tracer_1, and OpenMP's parallel regions of libgomp. Preloaded.
 *
 * TOLD=PREFIX      lines go to PREFIX.RANK, RANK that of MPI's launcher, or 0; not given: to standard output
 * TOLD_VALUES=1    and what the process owns of each array, after each end of a parallel construct, to PREFIX.RANK.values: elements packed,
 *                  the last index next to each other whatever the storage; a line `values NAME OFFSET` says where
 * TOLD_UNTIL=N     ... up to the one with number N
 * TOLD_ITERATIONS=1   and iterations */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hbdb/compare.h>

enum { ARRAYS = 64, VARIABLES = 64 };
static struct {
	hb_array is;
	char name[256];
} known[ARRAYS];
static struct {
	const void *at;
	char name[256];
	hb_element type;
} variable[VARIABLES];
static unsigned arrays, variables, point;
static FILE *lines, *values;
static int wants_iterations;

static const char *const marks[] = {"loop", "steps", "region", "point"};
static const unsigned char bytes[] = {8, 4, 4, 8, 1, 16, 8};

static FILE *opened(const char *end)
{
	char path[4096];
	const char *rank = getenv("OMPI_COMM_WORLD_RANK");
	if (!rank)
		rank = getenv("PMI_RANK");
	snprintf(path, sizeof path, "%s.%s%s", getenv("TOLD"), rank ? rank : "0", end);
	return fopen(path, "w");
}

/* Not in a constructor: a launcher or a shell that this is loaded into tells nothing. */
static FILE *out(void)
{
	if (!lines) {
		lines = getenv("TOLD") ? opened("") : stdout;
		wants_iterations = getenv("TOLD_ITERATIONS") != NULL;
		if (getenv("TOLD_VALUES"))
			values = opened(".values");
	}
	return lines;
}

__attribute__((destructor)) static void flushed(void)
{
	if (lines)
		fflush(lines);
	if (values)
		fflush(values);
}

static void write_values(const hb_array *a)
{
	int64_t extent[HB_DIMENSIONS], step[HB_DIMENSIONS], at = 0, n = 1, index[HB_DIMENSIONS] = {0};
	for (unsigned d = 0; d < a->rank; d++) {
		extent[d] = a->below[d] + a->count[d] + a->above[d];
		n *= a->count[d];
	}
	for (unsigned d = 0; d < a->rank; d++) {
		step[d] = 1;
		for (unsigned e = a->columns ? 0 : d + 1; e < (a->columns ? d : a->rank); e++)
			step[d] *= extent[e];
		at += step[d] * a->below[d];
	}
	for (int64_t i = 0; i < n; i++) {
		fwrite((const char *)a->at + at * bytes[a->type], bytes[a->type], 1, values);
		for (unsigned d = a->rank; d-- > 0;) {
			at += step[d];
			if (++index[d] < a->count[d])
				break;
			at -= step[d] * a->count[d];
			index[d] = 0;
		}
	}
}

/* Behind a point at which a parallel construct has ended. */
static void ended(void)
{
	const char *until = getenv("TOLD_UNTIL");
	if (!values || (until && point > strtoul(until, NULL, 10)))
		return;
	for (unsigned i = 0; i < arrays; i++) {
		fprintf(out(), "values %s %ld\n", known[i].name, ftell(values));
		write_values(&known[i].is);
	}
}

static void begin(int mark, const char *name, const char *file, int line)
{
	const char *last = strrchr(file, '/');
	fprintf(out(), "begin %s %s @%s:%d", marks[mark], name, last ? last + 1 : file, line);
	if (mark != HB_MARK_STEPS)
		fprintf(out(), " %u", ++point);
	fputc('\n', out());
	if (mark == HB_MARK_POINT)
		ended();
}

static void end(int mark, const char *name)
{
	fprintf(out(), "end %s %s\n", marks[mark], name);
	if (mark != HB_MARK_STEPS)
		ended();
}

static void iteration(unsigned n, const int64_t *index)
{
	FILE *to = out();
	if (!wants_iterations)
		return;
	fprintf(to, "iteration");
	for (unsigned i = 0; i < n; i++)
		fprintf(to, " %" PRId64, index[i]);
	fputc('\n', to);
}

static void task(int64_t number) { fprintf(out(), "task %" PRId64 "\n", number); }

static void write_box(const char *name, const hb_array *a, const int64_t *of)
{
	fprintf(out(), " %s=", name);
	for (unsigned d = 0; d < a->rank; d++)
		fprintf(out(), "%s%" PRId64, d ? "," : "", of[d]);
}

static void array(const hb_array *a, const char *file, int line)
{
	const char *last = strrchr(file, '/');
	unsigned i = 0;
	while (i < arrays && known[i].is.at != a->at)
		i++;
	if (i < ARRAYS) {
		arrays += i == arrays;
		known[i].is = *a;
		snprintf(known[i].name, sizeof known[i].name, "%s", a->name);
	}
	int whole = 1;
	for (unsigned d = 0; d < a->rank; d++)
		whole = whole && a->count[d] == 0;
	if (whole && i < ARRAYS)
		memcpy(known[i].is.count, a->global, sizeof a->global);
	fprintf(out(), "array %s type=%d rank=%u columns=%d replicated=%d read_only=%d", a->name, (int)a->type, a->rank,
		a->columns, a->replicated, a->read_only);
	write_box("base", a, a->base);
	write_box("global", a, a->global);
	write_box("first", a, a->first);
	write_box("count", a, whole ? a->global : a->count);
	write_box("below", a, a->below);
	write_box("above", a, a->above);
	fprintf(out(), " @%s:%d\n", last ? last + 1 : file, line);
}

static void gone(const void *at)
{
	for (unsigned i = 0; i < arrays; i++)
		if (known[i].is.at == at) {
			fprintf(out(), "gone %s\n", known[i].name);
			known[i] = known[--arrays];
			return;
		}
	fprintf(out(), "gone unknown\n");
}

static void reduction(const char *name, hb_reduction how, hb_element type, const void *at, const char *file, int line)
{
	const char *last = strrchr(file, '/');
	unsigned i = 0;
	while (i < variables && variable[i].at != at)
		i++;
	if (i < VARIABLES) {
		variables += i == variables;
		variable[i].at = at;
		variable[i].type = type;
		snprintf(variable[i].name, sizeof variable[i].name, "%s", name);
	}
	fprintf(out(), "reduction %s how=%d type=%d @%s:%d\n", name, (int)how, (int)type, last ? last + 1 : file, line);
}

static void reduced(const void *at)
{
	for (unsigned i = 0; i < variables; i++)
		if (variable[i].at == at) {
			fprintf(out(), "reduced %s", variable[i].name);
			if (variable[i].type == HB_REAL8)
				fprintf(out(), " %.17g", *(const double *)at);
			if (variable[i].type == HB_INTEGER4)
				fprintf(out(), " %d", *(const int *)at);
			fputc('\n', out());
			return;
		}
	fprintf(out(), "reduced unknown\n");
}

static void exchanged(const void *at, const unsigned char *sides)
{
	for (unsigned i = 0; i < arrays; i++)
		if (known[i].is.at == at) {
			fprintf(out(), "exchanged %s%s\n", known[i].name, sides ? " some sides" : "");
			return;
		}
	fprintf(out(), "exchanged unknown\n");
}

extern const struct hb_tracer hb_tracer_1;
const struct hb_tracer hb_tracer_1 = {begin, end, iteration, task, array, gone, reduction, reduced, exchanged};

void GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned flags);
void GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned flags)
{
	void (*next)(void (*)(void *), void *, unsigned, unsigned);
	*(void **)&next = dlsym(RTLD_NEXT, "GOMP_parallel");
	fprintf(out(), "begin omp - @-:0 %u\n", ++point);
	next(body, data, threads, flags);
	fprintf(out(), "end omp -\n");
	ended();
}
