/* What a process told up to its next point outside of tasks. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "model/points/inside.h"

static const hb_array_shape *shape(hb_points *points, struct hb__process *p, uint64_t number)
{
	size_t had = p->shapes;
	if (!HB_GROW(p->shape, p->shapes, number + 1))
		return NULL;
	memset(p->shape + had, 0, (p->shapes - had) * sizeof *p->shape);
	if (!p->shape[number])
		p->shape[number] = hb__shape_of(points, hb_trace_array_of(p->trace, number));
	return p->shape[number];
}

/* ---- where threads are ---- */

static struct hb__thread *thread_of(struct hb__process *p, uint32_t number)
{
	for (size_t i = 0; i < p->threads; i++)
		if (p->thread[i].thread == number)
			return &p->thread[i];
	if (!HB_GROW(p->thread, p->threads_room, p->threads + 1))
		return NULL;
	p->thread[p->threads] = (struct hb__thread){.thread = number};
	return &p->thread[p->threads++];
}

static bool begin(struct hb__process *p, const hb_trace_record *r)
{
	if (!HB_GROW(p->open, p->opens_room, p->opens + 1))
		return false;
	p->open[p->opens++] = (struct hb__at){.construct = hb_trace_construct_of(p->trace, r->number)};
	p->begun++;
	p->state++;
	return true;
}

static void end(struct hb__process *p)
{
	p->opens -= p->opens > 0;
	p->begun++;
	p->state++;
}

static bool iteration(struct hb__process *p, const hb_trace_record *r, const int64_t *index, unsigned n)
{
	struct hb__at at = {.n = n};
	memcpy(at.index, index, n * sizeof *index);
	if (!r->thread) {
		p->state++;
		if (p->opens) {
			at.construct = p->open[p->opens - 1].construct;
			p->open[p->opens - 1] = at;
		}
		return true;
	}
	struct hb__thread *t = thread_of(p, r->thread);
	if (!t)
		return false;
	t->at = at;
	t->began = p->begun;
	t->written = 0;
	return true;
}

/* The indices of all loops that the thread is in, the outermost first; the last HB__NEST of them. */
static bool write_iteration(struct hb__process *p, struct hb__thread *t)
{
	unsigned all = 0, n = 0;
	bool own = t->thread && p->opens && t->began == p->begun;
	for (size_t i = 0; i < p->opens; i++)
		all += i + 1 == p->opens && own ? t->at.n : p->open[i].n;
	unsigned left_out = all > HB__NEST ? all - HB__NEST : 0;
	if (!HB_GROW(p->index, p->indices_room, p->indices + HB__NEST))
		return false;
	t->iteration = p->indices;
	for (size_t i = 0, k = 0; i < p->opens; i++) {
		const struct hb__at *at = i + 1 == p->opens && own ? &t->at : &p->open[i];
		for (unsigned d = 0; d < at->n; d++, k++)
			if (k >= left_out) {
				p->index[p->indices++] = at->index[d];
				n++;
			}
	}
	t->n = n;
	t->written = p->state;
	return true;
}

static bool access(hb_points *points, struct hb__process *p, const hb_trace_record *r)
{
	struct hb__thread *t = thread_of(p, r->thread);
	if (!t || (t->written != p->state && !write_iteration(p, t)) ||
		!HB_GROW(p->access, p->accesses_room, p->accesses + 1))
		return false;
	bool element = r->kind == HB_TRACE_READ || r->kind == HB_TRACE_BEFORE || r->kind == HB_TRACE_AFTER;
	hb_access *a = &p->access[p->accesses];
	*a = (hb_access){.kind = r->kind,
		.thread = r->thread,
		.element = r->element,
		.place = r->place,
		.construct = p->opens ? p->open[p->opens - 1].construct : NULL,
		.at = t->iteration,
		.n = t->n,
		.bytes = r->bytes};
	memcpy(a->value, r->value, r->bytes < sizeof a->value ? r->bytes : sizeof a->value);
	if (element)
		a->shape = shape(points, p, r->number);
	else
		a->variable = hb_trace_variable_of(p->trace, r->number);
	p->accesses += a->shape || a->variable;
	return a->shape || a->variable;
}

/* ---- checksums, troubles, points ---- */

static bool checked(hb_points *points, struct hb__process *p, const hb_trace_record *r)
{
	const hb_array_shape *s = shape(points, p, r->number);
	if (!s || !HB_GROW(p->told, p->tolds_room, p->tolds + 1) ||
		!HB_GROW(p->tile, p->tiles_room, p->tiles + r->tiles + 1) ||
		!HB_GROW(p->tile_number, p->numbers_room, p->tiles + r->tiles + 1))
		return false;
	p->told[p->tolds++] = (struct hb__told){s, r->access, r->state, p->tiles, r->tiles};
	if (!r->tiles)
		return true;
	memcpy(p->tile + p->tiles, r->tile, r->tiles * sizeof *r->tile);
	memcpy(p->tile_number + p->tiles, r->tile_number, r->tiles * sizeof *r->tile_number);
	p->tiles += r->tiles;
	return true;
}

static bool trouble(hb_points *points, struct hb__process *p, const hb_trace_record *r)
{
	if (!HB_GROW(p->trouble, p->troubles_room, p->troubles + 1))
		return false;
	const char *text = strdup(r->kind == HB_TRACE_SAVED ? r->file : r->text);
	if (!text)
		return false;
	p->trouble[p->troubles++] = (hb_step_trouble){.kind = r->kind,
		.what = r->state,
		.shape = r->kind == HB_TRACE_SAVED ? shape(points, p, r->number) : NULL,
		.point = r->point,
		.text = text};
	return true;
}

/* By task, construct in it, begin before end. */
bool hb__comes_before(const hb_point *a, const hb_point *b)
{
	if (a->number != b->number)
		return a->number < b->number;
	if (a->task != b->task)
		return a->task < b->task;
	return a->inner != b->inner ? a->inner < b->inner : a->end < b->end;
}

static int by_task(const void *a, const void *b)
{
	const struct hb__stop *x = a, *y = b;
	return hb__comes_before(&x->point, &y->point) ? -1 : hb__comes_before(&y->point, &x->point);
}

static bool stop(struct hb__process *p, const hb_point *point, const hb_trace_construct *construct)
{
	if (!HB_GROW(p->stop, p->stops_room, p->stops + 1))
		return false;
	const struct hb__upto none = {0}, from = p->stops ? p->stop[p->stops - 1].to : none,
			      to = {p->tolds, p->accesses, p->troubles};
	p->stop[p->stops++] = (struct hb__stop){*point, construct, from, to};
	if (!point->nested) {
		/* a process does tasks in any order; the last stop is behind all of them */
		qsort(p->stop, p->stops - 1, sizeof *p->stop, by_task);
		p->ready = true;
	}
	return true;
}

/* A begin tells of what was before it, an end of what was within it. hb_point is one point, its end. */
static bool point(struct hb__process *p, const hb_trace_record *r)
{
	const hb_trace_construct *c = hb_trace_construct_of(p->trace, r->number);
	bool told = r->point.number && !(r->kind == HB_TRACE_BEGIN && c->type == HB_CONSTRUCT_POINT);
	if (told && !stop(p, &r->point, c))
		return false;
	if (r->kind == HB_TRACE_END)
		end(p);
	return r->kind == HB_TRACE_END || begin(p, r);
}

static bool take(hb_points *points, struct hb__process *p, const hb_trace_record *r)
{
	const int64_t task = (int64_t)r->number;
	switch (r->kind) {
	case HB_TRACE_ARRAY:
		if (r->number < p->shapes)
			p->shape[r->number] = NULL;
		return true;
	case HB_TRACE_BEGIN:
	case HB_TRACE_END:
		return point(p, r);
	case HB_TRACE_ITERATION:
		return iteration(p, r, r->index, r->n);
	case HB_TRACE_TASK:
		return iteration(p, r, &task, 1);
	case HB_TRACE_READ:
	case HB_TRACE_BEFORE:
	case HB_TRACE_AFTER:
	case HB_TRACE_RV_READ:
	case HB_TRACE_RV_BEFORE:
	case HB_TRACE_RV_AFTER:
	case HB_TRACE_RESULT:
		return access(points, p, r);
	case HB_TRACE_CHECKED:
		return checked(points, p, r);
	case HB_TRACE_TROUBLE:
	case HB_TRACE_SAVED:
		return trouble(points, p, r);
	default:
		return true;
	}
}

/* No more comes of it: what was told since its last point belongs to the end of the run. */
static bool finish(struct hb__process *p)
{
	const hb_point none = {0};
	p->ended = true;
	return stop(p, &none, NULL);
}

bool hb__gather(hb_points *points, struct hb__process *p, hb_error *err)
{
	hb_trace_record r;
	hb_error e = {0};
	int got = 1;
	while (!p->ready && !p->ended && (got = hb_trace_next(p->trace, &r, &e)) > 0)
		if (!take(points, p, &r)) {
			if (err)
				*err = (hb_error){.status = HB_E_MEMORY, .message = "out of memory"};
			return false;
		}
	if (got < 0 && e.status != HB_E_DAMAGED) {
		if (err)
			*err = e;
		return false;
	}
	if (got < 0 && !(p->damage = strdup(e.message)))
		return false;
	bool last = got < 0 || (!got && (points->ended || hb_trace_over(p->trace)));
	return !last || p->ended || finish(p);
}

void hb__gather_clear(struct hb__process *p)
{
	for (size_t i = 0; i < p->troubles; i++)
		free((char *)(uintptr_t)p->trouble[i].text);
	p->stops = p->tolds = p->tiles = p->accesses = p->indices = p->troubles = p->nested = 0;
	p->ready = false;
	for (size_t i = 0; i < p->threads; i++)
		p->thread[i].written = 0;
}

void hb__gather_free(struct hb__process *p)
{
	hb__gather_clear(p);
	hb_trace_close(p->trace);
	free(p->path);
	free(p->damage);
	free(p->shape);
	free(p->open);
	free(p->thread);
	free(p->stop);
	free(p->told);
	free(p->tile);
	free(p->tile_number);
	free(p->access);
	free(p->index);
	free(p->trouble);
}
