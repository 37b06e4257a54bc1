/* Arenas, and what the comparisons ask of a collective. */
#include "rules/collectives/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- scopes ---- */

static size_t hash_of(enum hb__scope_kind kind, uint32_t group, uint32_t object)
{
	/* there is a group of its own for each process (MPI_COMM_SELF): they have to differ in the bits that are used */
	uint64_t h = ((uint64_t)group * 0xbf58476d1ce4e5b9u ^ (uint64_t)object << 2 ^ kind) * 0x9e3779b97f4a7c15u;
	return (size_t)(h >> 32);
}

static size_t cell_for(const struct hb__collective_calls *p, enum hb__scope_kind kind, uint32_t group, uint32_t object)
{
	size_t i = hash_of(kind, group, object) & (p->cells - 1);
	while (p->cell[i]) {
		const struct hb__scope *a = &p->scope[p->cell[i] - 1];
		if (a->kind == kind && a->group == group && a->object == object)
			break;
		i = (i + 1) & (p->cells - 1);
	}
	return i;
}

static bool grow(struct hb__collective_calls *p)
{
	size_t room = p->scopes_room ? 2 * p->scopes_room : 64;
	struct hb__scope *scope = realloc(p->scope, room * sizeof *scope);
	if (!scope)
		return false;
	p->scope = scope;
	uint32_t *cell = calloc(2 * room, sizeof *cell);
	if (!cell)
		return false;
	free(p->cell);
	p->cell = cell;
	p->cells = 2 * room;
	p->scopes_room = room;
	for (size_t i = 0; i < p->scopes; i++)
		p->cell[cell_for(p, scope[i].kind, scope[i].group, scope[i].object)] = (uint32_t)i + 1;
	return true;
}

uint32_t hb__scope_for(struct hb__collective_calls *p, enum hb__scope_kind kind, uint32_t group, uint32_t object)
{
	if (p->scopes == p->scopes_room && !grow(p))
		return HB_NO;
	size_t i = cell_for(p, kind, group, object);
	if (!p->cell[i]) {
		p->scope[p->scopes++] = (struct hb__scope){.kind = kind, .group = group, .object = object};
		p->cell[i] = (uint32_t)p->scopes;
	}
	return p->cell[i] - 1;
}

void hb__parts_free(struct hb__collective_calls *p)
{
	free(p->scope);
	free(p->cell);
	free(p->part);
	free(p->first);
	free(p->shape);
	free(p->given);
	free(p->named);
	free(p->topology);
	free(p->maker);
	*p = (struct hb__collective_calls){0};
}

/* ---- one collective ---- */

int64_t hb__shape_argument(const struct hb__call_shape *s, const char *name)
{
	for (uint32_t i = 0; i < s->function->nargs && i < HB__COLLECTIVE_ARGS; i++)
		if (!strcmp(s->function->arg_name[i], name))
			return s->arg[i] == HB_UNDEFINED ? HB_ABSENT : s->arg[i];
	return HB_ABSENT;
}

const struct hb__call_shape *hb__call_shape_of(const struct hb__assembly *a, uint32_t part)
{
	return &a->parts->shape[a->part[part].shape];
}

const char *hb__part_name(const struct hb__assembly *a, uint32_t part)
{
	return hb_model_processes(a->c->model)[a->part[part].process].name;
}

int32_t hb__rank_of(const struct hb__assembly *a, uint32_t part)
{
	return hb_model_processes(a->c->model)[a->part[part].process].rank;
}

hb_log *hb__log_of(const struct hb__assembly *a, uint32_t part)
{
	return hb_model_processes(a->c->model)[a->part[part].process].log;
}

uint32_t hb__place_of(const struct hb__assembly *a, uint32_t part) { return a->place[a->part[part].process]; }

uint32_t hb__part_by(const struct hb__assembly *a, uint32_t process)
{
	uint32_t low = 0, high = a->n;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (a->part[middle].process < process)
			low = middle + 1;
		else
			high = middle;
	}
	return low < a->n && a->part[low].process == process ? low : HB_NO;
}

uint32_t hb__part_of_rank(const struct hb__assembly *a, uint32_t part, int64_t rank)
{
	const hb_group *g = a->group;
	bool remote = g->remote_size && !hb__call_shape_of(a, part)->remote;
	uint32_t n = remote ? g->remote_size : g->size;
	uint32_t process = rank < 0 || rank >= n ? HB_NO : (remote ? g->remote : g->member)[rank];
	return process == HB_NO ? HB_NO : hb__part_by(a, process);
}

bool hb__same_side(const struct hb__assembly *a, uint32_t x, uint32_t y)
{
	return !a->group->remote_size || hb__call_shape_of(a, x)->remote == hb__call_shape_of(a, y)->remote;
}

/* ---- words ---- */

static const char *ending(uint32_t n)
{
	uint32_t tens = n % 100;
	return tens >= 11 && tens <= 13 ? "th" : n % 10 == 1 ? "st" : n % 10 == 2 ? "nd" : n % 10 == 3 ? "rd" : "th";
}

const char *hb__which_collective(const struct hb__assembly *a, char ret[160])
{
	uint32_t n = a->number + 1, object = a->scope->object + 1;
	const char *name = a->group->name;
	switch (a->scope->kind) {
	case HB__ON_WIN:
	case HB__ON_FILE:
		snprintf(ret, 160, "the %u%s collective call on the %u%s %s made on %s", n, ending(n), object,
			ending(object), a->scope->kind == HB__ON_WIN ? "window" : "file", name);
		break;
	case HB__ON_START:
		snprintf(ret, 160, "the %u%s start of what was made by the %u%s collective on %s", n, ending(n), object,
			ending(object), name);
		break;
	default:
		snprintf(ret, 160, "the %u%s collective on %s", n, ending(n), name);
	}
	return ret;
}

void hb__part_point(const struct hb__assembly *a, uint32_t part, hb_point *ret)
{
	const struct hb__call_shape *s = hb__call_shape_of(a, part);
	*ret = (hb_point){.process = a->part[part].process, .at = a->part[part].at, .site = s->site};
	snprintf(ret->function, sizeof ret->function, "%s", s->function->name);
}
