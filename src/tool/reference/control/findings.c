/* From the traces of a run to what dynamic control found in it. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../show/source.h"
#include "../../store/find.h"
#include "base/grow.h"
#include "control.h"

/* The constructs that the first thread of a process is in. */
struct nest {
	const hb_trace_construct *at[HB_CONTROL_NEST];
	unsigned depth;
};

static char *text(const char *s) { return s && *s ? hb__copy(s) : NULL; }

static char *place(const hb_trace *trace, uint64_t number)
{
	const hb_trace_place *p = number ? hb_trace_place_of(trace, number) : NULL;
	const char *module = p ? hb_trace_module_of(trace, p->module) : NULL;
	return module ? hb__copy(hb__source_place(module, NULL, p->offset - p->back + 1)->text) : NULL;
}

static bool same_text(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

static bool same(const hb_controlled *a, const hb_controlled *b)
{
	return a->finding == b->finding && a->array_line == b->array_line && a->ordinal == b->ordinal &&
	       same_text(a->array, b->array) && same_text(a->array_file, b->array_file) &&
	       same_text(a->place, b->place) && same_text(a->other, b->other);
}

static void free_one(hb_controlled *c)
{
	free(c->array);
	free(c->array_file);
	free(c->place);
	free(c->other);
	for (unsigned i = 0; i < c->loops; i++) {
		free(c->loop[i].name);
		free(c->loop[i].file);
	}
}

static void of_array(const hb_trace_array *a, uint64_t element, hb_controlled *c)
{
	bool owned;
	c->array = hb__copy(a->id.name ? a->id.name : "");
	c->array_file = text(a->id.file);
	c->array_line = a->id.line;
	c->ordinal = a->id.ordinal;
	if (!a->tiled || a->flags & HB_TRACE_ARRAY_OWN)
		return;
	c->elements = 1;
	for (unsigned d = 0; d < a->as.rank; d++)
		c->elements *= (uint64_t)(a->as.below[d] + a->as.count[d] + a->as.above[d]);
	/* beside the storage there are no indices */
	if (element >= c->elements)
		return;
	c->indexed = true;
	c->indices = a->as.rank;
	hb_array_index(&a->as, (int64_t)element, c->index, &owned);
	for (unsigned d = 0; d < a->as.rank; d++)
		c->index[d] += a->as.base[d];
}

static int found(
	hb_controlled_run *run, const hb_trace *trace, int32_t rank, const hb_trace_record *r, const struct nest *nest)
{
	hb_controlled c = {.finding = (hb_control_finding)r->state,
		.place = place(trace, r->place),
		.other = place(trace, r->other),
		.rank = rank,
		.element = r->element,
		.n = r->n,
		.others = r->others,
		.times = 1,
		.processes = 1,
		.last = rank};
	const hb_trace_array *a = r->number ? hb_trace_array_of(trace, r->number) : NULL;
	if (a)
		of_array(a, r->element, &c);
	memcpy(c.iteration, r->index, sizeof c.iteration);
	for (unsigned i = 0; i < nest->depth && i < HB_CONTROL_NEST; i++)
		c.loop[c.loops++] = (hb_controlled_loop){
			nest->at[i]->type, text(nest->at[i]->name), text(nest->at[i]->file), nest->at[i]->line};
	for (size_t i = 0; i < run->n; i++)
		if (same(&run->at[i], &c)) {
			run->at[i].times++;
			run->at[i].processes += run->at[i].last != rank;
			run->at[i].last = rank;
			free_one(&c);
			return 0;
		}
	if (!HB_GROW(run->at, run->room, run->n + 1)) {
		free_one(&c);
		return hb__fail_with(HB_EXIT_USAGE, "out of memory");
	}
	run->at[run->n++] = c;
	return 0;
}

static void move(struct nest *nest, const hb_trace *trace, const hb_trace_record *r)
{
	const hb_trace_construct *c = hb_trace_construct_of(trace, r->number);
	if (r->kind == HB_TRACE_BEGIN && c && c->type != HB_CONSTRUCT_POINT) {
		if (nest->depth < HB_CONTROL_NEST)
			nest->at[nest->depth] = c;
		nest->depth++;
	} else if (r->kind == HB_TRACE_END && c && c->type != HB_CONSTRUCT_POINT && nest->depth) {
		nest->depth--;
	}
}

static int read_trace(hb_controlled_run *run, const char *path, hb_trace *trace)
{
	struct nest nest = {.depth = 0};
	hb_trace_record r;
	hb_error err = {0};
	int code = 0, got = 1;
	int32_t rank = hb_trace_get_header(trace)->rank;
	while (!code && (got = hb_trace_next(trace, &r, &err)) > 0) {
		if (r.kind == HB_TRACE_BEGIN || r.kind == HB_TRACE_END) {
			run->loops += r.kind == HB_TRACE_BEGIN;
			move(&nest, trace, &r);
		} else if (r.kind == HB_TRACE_CONTROL) {
			code = found(run, trace, rank, &r, &nest);
		} else if (r.kind == HB_TRACE_COST) {
			run->reads += r.cost[2];
			run->writes += r.cost[3];
		} else if (r.kind == HB_TRACE_TROUBLE) {
			hb__push(&run->troubles, r.text);
		}
	}
	if (got < 0)
		hb__say("%s: %s", hb__short(path), err.message);
	run->cut += got < 0 || !hb_trace_over(trace);
	run->processes++;
	return code;
}

int hb__read_controlled(const char *recording, hb_controlled_run *ret)
{
	int code = 0;
	*ret = (hb_controlled_run){0};
	for (unsigned rank = 0;; rank++) {
		char *path = hb__format("%s/rank.%u.trace", recording, rank);
		hb_trace *trace = NULL;
		hb_error err = {0};
		bool there = !access(path, F_OK);
		if (there && !hb_trace_open(path, &trace, &err))
			code = read_trace(ret, path, trace);
		else if (there)
			code = hb__fail_log(path, &err);
		hb_trace_close(trace);
		free(path);
		if (!there || code)
			return code;
	}
}

void hb__controlled_free(hb_controlled_run *run)
{
	for (size_t i = 0; i < run->n; i++)
		free_one(&run->at[i]);
	free(run->at);
	hb__strings_free(&run->troubles);
	*run = (hb_controlled_run){0};
}
