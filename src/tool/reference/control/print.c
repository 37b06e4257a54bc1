/* What dynamic control found, in words and as JSON. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../show/inert.h"
#include "../../show/out.h"
#include "control.h"

static const struct {
	const char *word, *sentence, *here, *there;
} kinds[HB_CONTROLS] = {
	[HB_CONTROL_UNWRITTEN] = {"unwritten", "an element is read that nobody has written", "read", NULL},
	[HB_CONTROL_NOT_LOCAL] = {"not-local", "an element is accessed that the process has not", "accessed", NULL},
	[HB_CONTROL_SHADOW_WRITE] = {"shadow-write", "an element of the halo is written: its owner does not see that",
		"written", NULL},
	[HB_CONTROL_SHADOW_STALE] = {"shadow-stale",
		"an element of the halo is read after its owner may have changed it, and before the halo was exchanged",
		"read", NULL},
	[HB_CONTROL_READ_ONLY] = {"read-only", "an array is written that is read-only", "written", NULL},
	[HB_CONTROL_DEPENDENCE] = {"dependence",
		"two iterations of a parallel loop depend on each other: one of them writes what the other one accesses",
		"accessed", "accessed before"},
	[HB_CONTROL_REMOTE] = {"remote", "sequential code reads an element of another process", "read", NULL},
	[HB_CONTROL_REDUCTION] = {"reduction", "the variable of a reduction is used before it is complete", "used",
		NULL},
	[HB_CONTROL_UNWRITTEN_LOCAL] = {"unwritten-local", "memory of no array is read that nobody has written", "read",
		NULL},
};

/* Threads have no iterations where the program does not say them, as in a parallel region without a loop. */
static const char *sentence(const hb_controlled *c)
{
	if (c->finding == HB_CONTROL_DEPENDENCE && (!c->n || !c->others))
		return "two threads of a parallel region access one element, one of them writes, and nothing orders them";
	return kinds[c->finding].sentence;
}

/* "(3, 17)" */
static void put_indices(FILE *to, const int64_t *index, unsigned n)
{
	fputc('(', to);
	for (unsigned i = 0; i < n; i++)
		fprintf(to, "%s%" PRId64, i ? ", " : "", index[i]);
	fputc(')', to);
}

static void put_element(const hb_controlled *c)
{
	printf("%s", hb__tame(c->array));
	if (c->indexed) {
		putchar('[');
		for (unsigned d = 0; d < c->indices; d++)
			printf("%s%" PRId64, d ? ", " : "", c->index[d]);
		putchar(']');
	} else {
		printf(", element %" PRId64, (int64_t)c->element); /* before the storage: negative */
		if (c->elements)
			printf(" of 0 to %" PRIu64, c->elements - 1);
	}
	if (c->array_file)
		printf(" (%s:%u)", hb__tame(c->array_file), c->array_line);
}

static void put_loops(const hb_controlled *c)
{
	static const char *const types[HB_CONSTRUCT_TYPES] = {"parallel loop", "sequential loop", "region", "point"};
	for (unsigned i = c->loops; i-- > 0;) {
		const hb_controlled_loop *l = &c->loop[i];
		printf("  in       %s", types[l->type]);
		if (l->name)
			printf(" \"%s\"", hb__tame(l->name));
		if (l->file)
			printf(" (%s:%u)", hb__tame(l->file), l->line);
		putchar('\n');
	}
}

static void put_text(const hb_controlled *c)
{
	printf("%s: %s\n", kinds[c->finding].word, sentence(c));
	if (c->array) {
		printf("  element  ");
		put_element(c);
		putchar('\n');
	}
	printf("  %-8s rank %d, %s", kinds[c->finding].here, c->rank,
		c->place ? hb__tame(c->place) : "at a place that is not known");
	if (c->n) {
		printf(", iteration ");
		put_indices(stdout, c->iteration, c->n);
	}
	putchar('\n');
	if (c->other || c->others) {
		printf("  before   %s", c->other ? hb__tame(c->other) : "at a place that is not known");
		if (c->others) {
			printf(", iteration ");
			put_indices(stdout, c->iteration + c->n, c->others);
		}
		putchar('\n');
	}
	put_loops(c);
	if (c->processes > 1)
		printf("  also     in %u other %s\n", c->processes - 1,
			hb__plural(c->processes - 1, "process", "processes"));
}

static void put_json(hb_output *out, const hb_controlled *c)
{
	hb__put_text(out, "{\"finding\":");
	hb__put_json(out, kinds[c->finding].word);
	hb__put_text_member(out, "array", c->array);
	hb__put_text_member(out, "file", c->array_file);
	hb__put_text(out, ",\"line\":");
	hb__put_uint(out, c->array_line);
	if (c->indexed) {
		hb__put_ints_member(out, "index", c->index, c->indices);
	} else {
		hb__put_text(out, ",\"element\":");
		hb__put_int(out, (int64_t)c->element);
	}
	hb__put_text(out, ",\"rank\":");
	hb__put_int(out, c->rank);
	hb__put_text_member(out, "place", c->place);
	hb__put_ints_member(out, "iteration", c->iteration, c->n);
	hb__put_text_member(out, "other_place", c->other);
	hb__put_ints_member(out, "other_iteration", c->iteration + c->n, c->others);
	hb__put_text(out, ",\"loops\":[");
	for (unsigned i = 0; i < c->loops; i++) {
		if (i)
			hb__put_char(out, ',');
		hb__put_text(out, "{\"type\":");
		hb__put_json(out, hb_construct_type_name(c->loop[i].type));
		hb__put_text_member(out, "name", c->loop[i].name);
		hb__put_text_member(out, "file", c->loop[i].file);
		hb__put_text(out, ",\"line\":");
		hb__put_uint(out, c->loop[i].line);
		hb__put_char(out, '}');
	}
	hb__put_text(out, "],\"processes\":");
	hb__put_uint(out, c->processes);
	hb__put_text(out, "}\n");
}

static int code_of(const hb_controlled_run *run)
{
	return run->n                        ? HB_EXIT_FINDING
	       : !run->reads && !run->writes ? HB_EXIT_USAGE
	       : run->cut                    ? HB_EXIT_RECORDING
					     : HB_EXIT_OK;
}

static void all_json(const hb_controlled_run *run, int code)
{
	hb_output *out = hb__alloc(sizeof *out);
	*out = (hb_output){.fd = STDOUT_FILENO};
	for (size_t i = 0; i < run->n; i++)
		put_json(out, &run->at[i]);
	hb__put_text(out, "{\"findings\":");
	hb__put_uint(out, run->n);
	hb__put_text(out, ",\"processes\":");
	hb__put_uint(out, run->processes);
	hb__put_text(out, ",\"reads\":");
	hb__put_uint(out, run->reads);
	hb__put_text(out, ",\"writes\":");
	hb__put_uint(out, run->writes);
	hb__put_text(out, ",\"constructs\":");
	hb__put_uint(out, run->loops);
	hb__put_text(out, ",\"cut\":");
	hb__put_uint(out, run->cut);
	hb__put_text(out, ",\"exit\":");
	hb__put_int(out, code);
	hb__put_text(out, "}\n");
	hb__flush(out);
	free(out);
}

int hb__print_controlled(const char *name, const hb_controlled_run *run, bool json)
{
	int code = code_of(run);
	for (size_t i = 0; i < run->troubles.n; i++)
		hb__say("%s: %s", name, run->troubles.at[i]);
	if (run->cut)
		hb__say("%s: %u of %u traces %s cut: their processes did not come to their ends", name, run->cut,
			run->processes, run->cut == 1 ? "is" : "are");
	if (json) {
		all_json(run, code);
		return code;
	}
	for (size_t i = 0; i < run->n; i++) {
		put_text(&run->at[i]);
		putchar('\n');
	}
	if (code == HB_EXIT_USAGE) {
		hb__say("no reads and writes were seen, so nothing was looked at: build the program with hbdb cc and hbdb fc, as in 'make CC=\"hbdb cc mpicc\"', and mark its loops and arrays (hbdb/compare.h)");
		return code;
	}
	printf("%zu %s in %u %s: %" PRIu64 " reads and %" PRIu64 " writes were looked at, in %" PRIu64 " %s\n", run->n,
		hb__plural(run->n, "finding", "findings"), run->processes,
		hb__plural(run->processes, "process", "processes"), run->reads, run->writes, run->loops,
		hb__plural(run->loops, "construct", "constructs"));
	return code;
}
