/* Which of the first differences of all lines are causally first: those in whose past there is no other one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls/calls.h"
#include "internal.h"

/* Reductions add in any order. What they make of it is small beside their operands, which are not recorded: half of the digits are allowed for, as
 * sums may cancel. */
#define HALF_OF_DOUBLE 1.5e-8
#define HALF_OF_FLOAT 3.5e-4

struct first {
	struct hb__comparison *c;
	uint32_t lines, n;
	uint32_t *line;   /* that have a candidate */
	uint32_t *number; /* of a line among these; HB_NO: it has none */
	uint32_t *clock;  /* n times lines: of the point where the difference stands */
};

/* ---- candidates that receivers have seen ---- */

/* A line whose first difference is in what it sent, and who saw it is who got it. */
static void take_blame(struct hb__comparison *c, uint32_t line)
{
	const struct hb__blamed *b = &c->blamed[line];
	struct hb__candidate *k = &c->candidate[line];
	bool given = k->there && k->d.kind == HB_DIFFERENCE_GIVEN;
	if (!b->event)
		return;
	if (given && k->d.a.event == b->event && b->valued) {
		k->d.valued = true;
		k->d.values = b->values;
	}
	if (b->told || (k->there && (k->d.a.event < b->event || (k->d.a.event == b->event && !k->d.at_exit))))
		return;
	k->there = true;
	k->d = (hb_difference){.kind = HB_DIFFERENCE_GIVEN,
		.a = {line, b->event},
		.b = {c->pair[line].b, b->event_b},
		.valued = b->valued,
		.values = b->values,
		.collective = HB_NO};
}

static uint8_t moves_of(const hb_model *m, uint32_t collective)
{
	uint16_t base = hb_model_collectives(m)[collective].base;
	return base < hb_meanings_known ? hb_meanings[base].moves : HB_MOVES_NOTHING;
}

/* What the root of a broadcast gave others got: their values are its. */
static void take_values(struct hb__comparison *c, uint32_t line)
{
	hb_difference *d = &c->candidate[line].d;
	const hb_model *m = c->run[0]->model;
	uint32_t lines = hb_model_get_info(m)->lines;
	if (!c->candidate[line].there || d->kind != HB_DIFFERENCE_GIVEN || d->valued || d->collective == HB_NO)
		return;
	if (moves_of(m, d->collective) != HB_MOVES_CAST)
		return;
	for (uint32_t i = 0; i < lines && !d->valued; i++) {
		const hb_difference *o = &c->candidate[i].d;
		if (!c->candidate[i].there || o->kind != HB_DIFFERENCE_GOT || o->collective != d->collective ||
			!o->valued)
			continue;
		d->valued = true;
		d->values = o->values;
	}
}

/* ---- their order ---- */

static uint32_t event_of(const hb_difference *d, const hb_model *m)
{
	return d->a.event ? d->a.event : hb_model_lines(m)[d->a.line].events + 1;
}

/* The clock of an enter is that of the exit before it. */
static bool visit(void *user, const hb_stamp *s)
{
	struct first *f = user;
	uint32_t k = f->number[s->at.line];
	if (k == HB_NO)
		return true;
	const hb_difference *d = &f->c->candidate[s->at.line].d;
	uint32_t event = event_of(d, f->c->run[0]->model);
	if (s->at.event + (d->at_exit ? 0u : 1u) == event)
		memcpy(f->clock + (size_t)k * f->lines, s->clock, f->lines * sizeof *f->clock);
	return true;
}

/* Candidate k is in the past of candidate i. */
static bool is_before(const struct first *f, uint32_t k, uint32_t i)
{
	const hb_difference *d = &f->c->candidate[f->line[k]].d;
	uint32_t event = event_of(d, f->c->run[0]->model);
	event = d->at_exit ? event : hb_entered(f->c->run[0]->model, (hb_at){f->line[k], event}).event;
	return f->clock[(size_t)i * f->lines + f->line[k]] >= event + d->at_exit;
}

/* The launcher ends the others when a process has died. */
static void ended_by_another(const struct first *f, hb_difference *d)
{
	for (int side = 0; side < 2 && d->first && d->kind == HB_DIFFERENCE_END; side++) {
		const hb_compare_run *run = f->c->run[side];
		hb_at at = side ? d->b : d->a;
		bool over = !at.event || d->never[side];
		if (!over || at.line == HB_NO || run->died_first == HB_NO)
			continue;
		const hb_line *l = &hb_model_lines(run->model)[at.line];
		const hb_process *p = &hb_model_processes(run->model)[l->process];
		for (uint32_t k = 0; k < f->n && p->ending == HB_ENDING_NONE && l->process != run->died_first; k++) {
			const hb_difference *o = &f->c->candidate[f->line[k]].d;
			hb_at there = side ? o->b : o->a;
			if (there.line == HB_NO || hb_model_lines(run->model)[there.line].process != run->died_first)
				continue;
			d->first = false;
			d->cause = f->line[k];
		}
	}
}

static void mark(struct first *f)
{
	for (uint32_t i = 0; i < f->n; i++) {
		hb_difference *d = &f->c->candidate[f->line[i]].d;
		d->first = true;
		for (uint32_t k = 0; k < f->n && d->first; k++)
			if (k != i && is_before(f, k, i)) {
				d->first = false;
				d->cause = f->line[k];
			}
	}
	for (uint32_t i = 0; i < f->n; i++)
		ended_by_another(f, &f->c->candidate[f->line[i]].d);
	/* up to one that is first itself: the past of a past is in the past */
	for (uint32_t i = 0; i < f->n; i++) {
		hb_difference *d = &f->c->candidate[f->line[i]].d;
		for (uint32_t k = 0; k < f->n && !d->first && !f->c->candidate[d->cause].d.first; k++)
			d->cause = f->c->candidate[d->cause].d.cause;
	}
}

/* ---- collectives ---- */

static bool reduces(const hb_model *m, uint32_t collective)
{
	uint8_t moves = moves_of(m, collective);
	return moves == HB_MOVES_REDUCE || moves == HB_MOVES_REDUCE_SCATTER;
}

/* The operation and the datatype of the call: a sum or a product of real numbers, which rounds. */
static bool rounds(const hb_model *m, hb_at at, hb_difference *d)
{
	const hb_line *l = &hb_model_lines(m)[at.line];
	hb_log *log = hb_model_processes(m)[l->process].log;
	hb_cursor *cursor;
	hb_row row;
	bool sum = false, real = false;
	if (hb_cursor_open(log, l->lane, at.event, &cursor, NULL))
		return false;
	if (hb_cursor_next(cursor, &row, NULL) == 1) {
		const hb_function *fn = hb_log_function(log, row.function);
		for (uint32_t i = 0; fn && i < row.nargs && i < fn->nargs; i++) {
			int64_t v = row.arg[i];
			if (fn->arg_kind[i] == HB_RECORDED_OP) {
				sum = v == HB_OPERATION_SUM || v == HB_OPERATION_PROD;
				d->name = fn->arg_name[i];
				d->value_kind = HB_RECORDED_OP;
				d->value[0] = d->value[1] = v;
			}
			real = real || (fn->arg_kind[i] == HB_RECORDED_DATATYPE && hb_contents_has_reals(log, v));
		}
	}
	hb_cursor_close(cursor);
	return sum && real;
}

static bool is_small(const hb_values_differ *v)
{
	const hb_datatype *type = v->a.datatype == HB_NO ? NULL : hb_log_datatype(v->log, v->a.datatype);
	bool single = type && type->size / (v->a.kind == HB_VALUE_PAIR ? 2 : 1) == 4;
	return v->real && v->relative <= (single ? HALF_OF_FLOAT : HALF_OF_DOUBLE);
}

static bool is_of_collective(const hb_difference *d)
{
	return (d->kind == HB_DIFFERENCE_GOT || d->kind == HB_DIFFERENCE_GIVEN) && d->collective != HB_NO;
}

static bool is_one(const hb_difference *d, const hb_difference *o)
{
	return is_of_collective(d) && d->kind == o->kind && d->collective == o->collective && d->first == o->first;
}

/* What differs in one collective, at all of its members: one difference. */
static void gather(struct first *f, hb_difference *d)
{
	struct hb__comparison *c = f->c;
	const hb_model *m = c->run[0]->model;
	d->members = 0;
	for (uint32_t i = 0; i < f->n; i++) {
		const hb_difference *o = &c->candidate[f->line[i]].d;
		if (!is_one(d, o))
			continue;
		d->members++;
		d->given_differs = d->given_differs || o->given_differs;
		/* a sum that was over at once has its values with the call that began it: those of another process are the same */
		if (!d->valued && o->valued && d->kind == HB_DIFFERENCE_GOT &&
			moves_of(m, d->collective) == HB_MOVES_REDUCE) {
			d->valued = true;
			d->values = o->values;
		}
	}
	if (d->kind != HB_DIFFERENCE_GOT)
		return;
	for (uint32_t i = 0; i < f->lines; i++)
		d->unsure = d->unsure || c->pair[i].b == HB_NO || c->pair[i].doubtful;
	if (!reduces(m, d->collective) || !rounds(m, d->begun, d))
		return;
	d->untold = c->sum->untold;
	d->innocent = d->given_differs || d->untold ? HB_INNOCENT_NOT
		      : !d->valued                  ? HB_INNOCENT_MAYBE
		      : is_small(&d->values)        ? HB_INNOCENT_ROUNDING
						    : HB_INNOCENT_NOT;
}

static bool told_before(const struct first *f, uint32_t i)
{
	const hb_difference *d = &f->c->candidate[f->line[i]].d;
	for (uint32_t k = 0; k < i; k++)
		if (is_one(d, &f->c->candidate[f->line[k]].d))
			return true;
	return false;
}

static void tell(struct first *f, hb_difference_visit *visit_one, void *user)
{
	struct hb__comparison *c = f->c;
	bool more = true;
	for (uint32_t i = 0; i < f->n; i++) {
		hb_difference *d = &c->candidate[f->line[i]].d;
		if (!d->first || told_before(f, i))
			continue;
		if (is_of_collective(d))
			gather(f, d);
		c->sum->first++;
		more = more && visit_one(user, d);
	}
	for (uint32_t i = 0; i < f->n; i++) {
		const hb_difference *d = &c->candidate[f->line[i]].d;
		if (d->first)
			continue;
		c->sum->others++;
		more = more && visit_one(user, d);
	}
}

hb_status hb__find_first(struct hb__comparison *c, hb_difference_visit *visit_one, void *user)
{
	hb_model *m = c->run[0]->model;
	struct first f = {.c = c, .lines = hb_model_get_info(m)->lines};
	hb_status status = HB_OK;
	f.line = calloc((size_t)f.lines + 1, sizeof *f.line);
	f.number = malloc(((size_t)f.lines + 1) * sizeof *f.number);
	for (uint32_t i = 0; f.line && f.number && i < f.lines; i++) {
		take_blame(c, i);
		f.number[i] = c->candidate[i].there ? f.n : HB_NO;
		if (c->candidate[i].there)
			f.line[f.n++] = i;
	}
	for (uint32_t i = 0; i < f.lines; i++)
		take_values(c, i);
	f.clock = calloc((size_t)f.n * f.lines + 1, sizeof *f.clock);
	if (!f.line || !f.number || !f.clock) {
		*c->err = (hb_error){.status = HB_E_MEMORY, .message = "out of memory"};
		status = HB_E_MEMORY;
	}
	if (!status && f.n > 1)
		status = hb_clocks_run(m, visit, &f, c->progress, c->progress_user, c->err);
	if (!status) {
		mark(&f);
		tell(&f, visit_one, user);
	}
	free(f.line);
	free(f.number);
	free(f.clock);
	return status;
}
