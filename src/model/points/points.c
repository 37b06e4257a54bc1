/* A run as steps from point to point. */
#include "model/points/points.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "model/points/inside.h"

static hb_status fail(hb_error *err, hb_status status, const char *file, const char *message)
{
	if (err) {
		*err = (hb_error){.status = status};
		snprintf(err->file, sizeof err->file, "%s", file ? file : "");
		snprintf(err->message, sizeof err->message, "%s", message);
	}
	return status;
}

static hb_status no_memory(hb_error *err) { return fail(err, HB_E_MEMORY, NULL, "out of memory"); }

hb_status hb_points_open(hb_points **ret, hb_error *err)
{
	*ret = calloc(1, sizeof **ret);
	return *ret ? HB_OK : no_memory(err);
}

void hb_points_close(hb_points *p)
{
	if (!p)
		return;
	for (uint32_t i = 0; i < p->processes; i++)
		hb__gather_free(&p->process[i]);
	hb__shapes_free(p);
	free(p->process);
	free(p->merged);
	free(p->joined);
	free(p->check);
	free(p->part);
	free(p->tile);
	free(p->access);
	free(p->trouble);
	free(p);
}

/* The trace becomes theirs. */
static hb_status add(hb_points *p, const char *path, hb_trace *trace, hb_error *err)
{
	hb_status status = HB_OK;
	int32_t rank = hb_trace_get_header(trace)->rank;
	uint32_t place = 0;
	while (place < p->processes && p->process[place].rank < rank)
		place++;
	if (place < p->processes && p->process[place].rank == rank)
		status = fail(err, HB_E_ARGUMENT, path, "another trace of this recording is of the same process");
	char *copy = status ? NULL : strdup(path);
	if (!status && (!copy || !HB_GROW(p->process, p->room, (size_t)p->processes + 1)))
		status = no_memory(err);
	if (status) {
		free(copy);
		hb_trace_close(trace);
		return status;
	}
	memmove(&p->process[place + 1], &p->process[place], (p->processes - place) * sizeof *p->process);
	p->process[place] = (struct hb__process){.rank = rank, .path = copy, .trace = trace, .state = 1};
	p->processes++;
	return HB_OK;
}

hb_status hb_points_add(hb_points *p, const char *path, hb_error *err)
{
	hb_trace *trace;
	hb_status status = hb_trace_open(path, &trace, err);
	return status ? status : add(p, path, trace, err);
}

hb_status hb_points_add_text(hb_points *p, const char *path, uint32_t process, hb_error *err)
{
	hb_trace *trace;
	hb_status status = hb_trace_open_text(path, process, &trace, err);
	return status ? status : add(p, path, trace, err);
}

void hb_points_end(hb_points *p) { p->ended = true; }

uint32_t hb_points_world(const hb_points *p)
{
	int32_t most = 0;
	for (uint32_t i = 0; i < p->processes; i++) {
		int32_t size = hb_trace_get_header(p->process[i].trace)->size;
		most = size > most ? size : most;
	}
	return (uint32_t)most;
}

uint32_t hb_points_processes(const hb_points *p) { return p->processes; }

void hb_points_process(const hb_points *p, uint32_t process, hb_traced_process *ret)
{
	const struct hb__process *of = &p->process[process];
	*ret = (hb_traced_process){of->rank, of->path, hb_trace_over(of->trace), of->damage};
}

const hb_trace *hb_points_trace(const hb_points *p, uint32_t process) { return p->process[process].trace; }

bool hb_points_done(const hb_points *p) { return p->done; }

/* A program is built in other places. */
static const char *last_component(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

bool hb_same_construct(const hb_trace_construct *a, const hb_trace_construct *b)
{
	return a == b || (a && b && a->type == b->type && !strcmp(a->name, b->name) &&
				 !strcmp(last_component(a->file), last_component(b->file)));
}

/* ---- which step comes next ---- */

static const struct hb__stop *last_stop(const struct hb__process *p) { return &p->stop[p->stops - 1]; }

/* Every process stands at a point outside of tasks, or has ended. 1, 0, or a negative status. */
static int all_ready(hb_points *p, hb_error *err)
{
	bool ready = p->processes > 0 && (p->ended || p->processes >= hb_points_world(p));
	for (uint32_t i = 0; i < p->processes; i++) {
		struct hb__process *of = &p->process[i];
		if (!of->ready && !hb__gather(p, of, err))
			return err && err->status ? (int)err->status : (int)no_memory(err);
		ready = ready && of->ready;
	}
	return ready;
}

/* The next point within tasks that has not been told: its process, HB_NO: there is none. */
static uint32_t next_nested(const hb_points *p)
{
	uint32_t best = HB_NO;
	for (uint32_t i = 0; i < p->processes; i++) {
		const struct hb__process *of = &p->process[i];
		if (of->nested + 1 >= of->stops)
			continue;
		const hb_point *at = &of->stop[of->nested].point;
		if (best == HB_NO || hb__comes_before(at, &p->process[best].stop[p->process[best].nested].point))
			best = i;
	}
	return best;
}

static int tell_nested(hb_points *p, uint32_t process, hb_step *step, hb_error *err)
{
	struct hb__process *of = &p->process[process];
	size_t stop = of->nested++;
	hb__merge_begin(p);
	if (!hb__merge(p, process, stop) || !hb__merge_end(p, true, step))
		return no_memory(err);
	step->point = of->stop[stop].point;
	step->construct = of->stop[stop].construct;
	step->process = process;
	step->came = 1;
	return 1;
}

/* The least point that any process stands at, the end of the run when all are there. */
static uint32_t next_process(const hb_points *p)
{
	uint32_t best = HB_NO;
	for (uint32_t i = 0; i < p->processes; i++) {
		const hb_point *at = &last_stop(&p->process[i])->point;
		if (at->number &&
			(best == HB_NO || hb_point_compare(at, &last_stop(&p->process[best])->point) == HB_POINT_LESS))
			best = i;
	}
	return best;
}

static int tell(hb_points *p, hb_step *step, hb_error *err)
{
	uint32_t first = next_process(p);
	p->done = first == HB_NO;
	first = p->done ? 0 : first;
	step->process = first;
	step->point = last_stop(&p->process[first])->point;
	step->construct = last_stop(&p->process[first])->construct;
	hb__merge_begin(p);
	for (uint32_t i = 0; i < p->processes; i++) {
		struct hb__process *of = &p->process[i];
		const struct hb__stop *at = last_stop(of);
		bool here = p->done || hb_point_compare(&at->point, &step->point) == HB_POINT_EQUAL;
		if (!here && !at->point.number && step->absent == HB_NO)
			step->absent = i;
		if (!here)
			continue;
		if (!p->done && !hb_same_construct(at->construct, step->construct) && step->other == HB_NO) {
			step->other = i;
			step->other_construct = at->construct;
		}
		if (!hb__merge(p, i, of->stops - 1))
			return no_memory(err);
		step->came++;
		of->nested = of->stops; /* told: forgotten when the next step is asked for */
	}
	return hb__merge_end(p, false, step) ? 1 : no_memory(err);
}

int hb_points_next(hb_points *p, hb_step *step, hb_error *err)
{
	*step = (hb_step){.other = HB_NO, .absent = HB_NO};
	if (p->done)
		return 0;
	for (uint32_t i = 0; i < p->processes; i++)
		if (p->process[i].ready && p->process[i].nested == p->process[i].stops)
			hb__gather_clear(&p->process[i]);
	int ready = all_ready(p, err);
	if (ready <= 0)
		return ready;
	uint32_t nested = next_nested(p);
	return nested == HB_NO ? tell(p, step, err) : tell_nested(p, nested, step, err);
}

void hb_points_skip(hb_points *p)
{
	for (uint32_t i = 0; i < p->processes; i++) {
		struct hb__process *of = &p->process[i];
		hb_trace_record r;
		hb_error e = {0};
		int got = 1;
		while (!of->damage && (got = hb_trace_next(of->trace, &r, &e)) > 0)
			;
		if (!of->damage && got < 0)
			of->damage = strdup(e.message);
		of->ended = true;
	}
	p->done = true;
}
