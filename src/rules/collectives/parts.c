/* One pass over all lines: which call is part of which collective, with which arguments. */
#include "rules/collectives/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/event.h"

static hb_status no_memory(hb_error *err)
{
	if (err)
		*err = (hb_error){.status = HB_E_MEMORY, .message = "out of memory"};
	return HB_E_MEMORY;
}

static size_t hash_of(uint32_t line, uint32_t slot, uint32_t era)
{
	uint64_t h = ((uint64_t)line << 40 ^ (uint64_t)era << 16 ^ slot) * 0x9e3779b97f4a7c15u;
	return (size_t)(h >> 20);
}

static size_t cell_for(const struct hb__parts *p, uint32_t line, uint32_t slot, uint32_t era)
{
	size_t i = hash_of(line, slot, era) & (p->cells - 1);
	while (p->cell[i]) {
		const struct hb__shape *s = &p->shape[p->cell[i] - 1];
		if (s->line == line && s->slot == slot && s->era == era)
			break;
		i = (i + 1) & (p->cells - 1);
	}
	return i;
}

static bool grow(struct hb__parts *p)
{
	size_t room = p->shapes_room ? 2 * p->shapes_room : 64;
	struct hb__shape *shape = realloc(p->shape, room * sizeof *shape);
	if (!shape)
		return false;
	p->shape = shape;
	uint32_t *cell = calloc(2 * room, sizeof *cell);
	if (!cell)
		return false;
	free(p->cell);
	p->cell = cell;
	p->cells = 2 * room;
	p->shapes_room = room;
	for (size_t i = 0; i < p->shapes; i++)
		p->cell[cell_for(p, shape[i].line, shape[i].slot, shape[i].era)] = (uint32_t)i + 1;
	return true;
}

/* The shape of an event; HB_NO without memory. */
static uint32_t shape_for(struct hb__parts *p, uint32_t process, uint32_t line, const hb_event *e)
{
	if (p->shapes == p->shapes_room && !grow(p))
		return HB_NO;
	size_t i = cell_for(p, line, e->row->slot, e->row->era);
	if (p->cell[i])
		return p->cell[i] - 1;
	struct hb__shape *s = &p->shape[p->shapes++];
	*s = (struct hb__shape){.process = process,
		.line = line,
		.slot = e->row->slot,
		.era = e->row->era,
		.site = e->row->site,
		.function = e->function};
	for (uint32_t k = 0; k < HB__COLLECTIVE_ARGS; k++)
		s->arg[k] = k < e->row->nargs ? e->row->arg[k] : HB_ABSENT;
	p->cell[i] = (uint32_t)p->shapes;
	return (uint32_t)p->shapes - 1;
}

struct reading {
	hb_model *m;
	struct hb__parts *p;
	uint64_t *next; /* by collective: where its next part goes */
	uint32_t line;
	const hb_op *op;
	uint64_t nops;
};

static bool take(struct reading *r, const hb_event *e, uint32_t number)
{
	while (r->nops && r->op->event < number)
		r->op++, r->nops--;
	for (; r->nops && r->op->event == number; r->op++, r->nops--) {
		if (r->op->kind != HB_OP_ENTER || !e->function)
			continue;
		uint32_t id = r->op->id, process = hb_model_lines(r->m)[r->line].process;
		uint32_t shape = shape_for(r->p, process, r->line, e);
		if (shape == HB_NO)
			return false;
		if (r->next[id] < r->p->first[id + 1])
			r->p->part[r->next[id]++] = (struct hb__part){process, shape, {r->line, number}};
	}
	return true;
}

static hb_status read_line(struct reading *r, hb_error *err)
{
	const hb_line *line = &hb_model_lines(r->m)[r->line];
	hb_events *events;
	hb_event e;
	int more;
	r->op = hb_model_ops(r->m, r->line, &r->nops);
	uint64_t entering = 0;
	for (uint64_t i = 0; i < r->nops; i++)
		entering += r->op[i].kind == HB_OP_ENTER;
	if (!entering)
		return HB_OK;
	hb_status status = hb_events_open(hb_model_processes(r->m)[line->process].log, line->lane, &events, err);
	if (status)
		return status;
	hb_events_skip_times(events);
	uint32_t number = 0;
	bool memory = true;
	while (memory && r->nops && (more = hb_events_next(events, &e, err)) == 1)
		memory = take(r, &e, ++number);
	if (memory && r->nops && line->inside && hb_events_inside(events, &e) == 1)
		memory = take(r, &e, line->events);
	hb_events_close(events);
	return memory ? HB_OK : no_memory(err);
}

hb_status hb__parts_gather(hb_model *m, struct hb__parts *ret, hb_error *err)
{
	const hb_model_info *info = hb_model_get_info(m);
	const hb_collective *c = hb_model_collectives(m);
	*ret = (struct hb__parts){.first = calloc((size_t)info->collectives + 1, sizeof *ret->first)};
	uint64_t *next = calloc((size_t)info->collectives + 1, sizeof *next);
	uint64_t total = 0;
	for (uint32_t i = 0; ret->first && i < info->collectives; i++) {
		ret->first[i] = total;
		total += c[i].enters;
		ret->first[i + 1] = total;
	}
	ret->part = calloc(total + 1, sizeof *ret->part);
	hb_status status = next && ret->first && ret->part ? HB_OK : no_memory(err);
	if (!status)
		memcpy(next, ret->first, info->collectives * sizeof *next);
	struct reading r = {.m = m, .p = ret, .next = next};
	for (r.line = 0; !status && r.line < info->lines; r.line++)
		if (hb_model_processes(m)[hb_model_lines(m)[r.line].process].log)
			status = read_line(&r, err);
	/* what a damaged log did not give is not there */
	for (uint32_t i = 0; !status && i < info->collectives; i++)
		for (uint64_t k = next[i]; k < ret->first[i + 1]; k++)
			ret->part[k] = (struct hb__part){HB_NO, HB_NO, {HB_NO, 0}};
	free(next);
	if (status)
		hb__parts_free(ret);
	return status;
}

void hb__parts_free(struct hb__parts *p)
{
	free(p->part);
	free(p->first);
	free(p->shape);
	free(p->cell);
	*p = (struct hb__parts){0};
}

/* ---- one collective ---- */

int64_t hb__shape_argument(const struct hb__shape *s, const char *name)
{
	for (uint32_t i = 0; i < s->function->nargs && i < HB__COLLECTIVE_ARGS; i++)
		if (!strcmp(s->function->arg_name[i], name))
			return s->arg[i] == -32766 /* undefined: it does not count here */ ? HB_ABSENT : s->arg[i];
	return HB_ABSENT;
}

const struct hb__shape *hb__shape_of(const struct hb__assembly *a, uint32_t part)
{
	return &a->parts->shape[a->part[part].shape];
}

int32_t hb__rank_of(const struct hb__assembly *a, uint32_t part)
{
	return hb_model_processes(a->c->model)[a->part[part].process].rank;
}

hb_log *hb__log_of(const struct hb__assembly *a, uint32_t part)
{
	return hb_model_processes(a->c->model)[a->part[part].process].log;
}

uint32_t hb__place_of(const struct hb__assembly *a, uint32_t process)
{
	for (uint32_t i = 0; i < a->group->size; i++)
		if (a->group->member[i] == process)
			return i;
	return HB_NO;
}

const char *hb__which_collective(const struct hb__assembly *a, char ret[80])
{
	uint32_t n = a->collective->number + 1, tens = n % 100;
	const char *end = tens >= 11 && tens <= 13 ? "th"
			  : n % 10 == 1            ? "st"
			  : n % 10 == 2            ? "nd"
			  : n % 10 == 3            ? "rd"
						   : "th";
	snprintf(ret, 80, "the %u%s collective on %s", n, end, a->group->name);
	return ret;
}

void hb__part_point(const struct hb__assembly *a, uint32_t part, hb_point *ret)
{
	const struct hb__shape *s = hb__shape_of(a, part);
	*ret = (hb_point){.process = a->part[part].process, .at = a->part[part].at, .site = s->site};
	snprintf(ret->function, sizeof ret->function, "%s", s->function->name);
}
