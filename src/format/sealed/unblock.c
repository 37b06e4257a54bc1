/* A block into rows: all its columns are read at once, rows are then put
 * together one by one (open.c). Nothing here trusts a number it has read. */
#include <stdlib.h>
#include <string.h>

#include "format/sealed/sealed.h"

static bool read_slot_columns(struct hb__rows *rows, struct hb__in *in)
{
	struct hb__column group, function, site, flags, nargs;
	size_t n = rows->slots;
	hb__column_read(in, &rows->arena, n, &group);
	hb__column_read(in, &rows->arena, n, &function);
	hb__column_read(in, &rows->arena, n, &site);
	hb__column_read(in, &rows->arena, n, &flags);
	hb__column_read(in, &rows->arena, n, &nargs);
	uint64_t args = 0;
	for (size_t i = 0; i < n && !in->bad; i++) {
		struct hb__slotdef *s = &rows->slot[i];
		uint64_t g = hb__column_at(&group, i), count = hb__column_at(&nargs, i);
		uint64_t f = hb__column_at(&function, i), p = hb__column_at(&site, i), a = hb__column_at(&flags, i);
		args += count;
		if (g >= rows->groups || count > HB__BLOCK_VALUES_MAX || args > HB__BLOCK_VALUES_MAX || f >= HB_NO ||
			p >= HB_NO || a > UINT32_MAX)
			return false;
		*s = (struct hb__slotdef){.function = (uint32_t)f,
			.site = (uint32_t)p,
			.flags = (uint32_t)a,
			.nargs = (uint32_t)count,
			.defined = true};
		s->arg = hb__arena_get(&rows->arena, count * sizeof *s->arg);
		if (!s->arg)
			return false;
		rows->group_of[i] = (uint8_t)g;
		rows->group[g].slots++;
	}
	return !in->bad;
}

/* The arguments of the slots of one group. */
static bool read_args(struct hb__rows *rows, struct hb__in *in, const uint32_t *slot, size_t n)
{
	for (uint32_t p = 0; p < HB__POSITIONS; p++) {
		size_t values = 0;
		for (size_t i = 0; i < n; i++) {
			uint32_t count = rows->slot[slot[i]].nargs;
			if (count > p)
				values += p + 1 < HB__POSITIONS ? 1 : count - p;
		}
		struct hb__column c;
		hb__column_read(in, &rows->arena, values, &c);
		for (size_t i = 0; i < n && !in->bad; i++) {
			struct hb__slotdef *s = &rows->slot[slot[i]];
			uint32_t end = p + 1 < HB__POSITIONS ? p + 1 : s->nargs;
			for (uint32_t a = p; a < end && a < s->nargs; a++)
				s->arg[a] = hb_unzigzag(hb__column_next(&c));
		}
	}
	return !in->bad;
}

static bool read_slots(struct hb__rows *rows, struct hb__in *in)
{
	uint64_t slots = hb__in_uv(in), groups = hb__in_uv(in);
	if (in->bad || slots > rows->events || groups > HB__BLOCK_GROUPS_MAX || groups > slots)
		return false;
	rows->slots = (uint32_t)slots;
	rows->groups = (uint32_t)groups;
	rows->slot = hb__arena_get(&rows->arena, slots * sizeof *rows->slot);
	rows->group_of = hb__arena_get(&rows->arena, slots);
	rows->group = hb__arena_get(&rows->arena, groups * sizeof *rows->group);
	uint32_t *by_group = hb__arena_get(&rows->arena, slots * sizeof *by_group);
	if (!rows->slot || !rows->group_of || !rows->group || !by_group)
		return false;
	memset(rows->group, 0, groups * sizeof *rows->group);
	if (!read_slot_columns(rows, in))
		return false;
	size_t at[HB__BLOCK_GROUPS_MAX + 1] = {0};
	for (uint32_t g = 0; g < groups; g++)
		at[g + 1] = at[g] + rows->group[g].slots;
	for (uint32_t i = 0; i < slots; i++)
		by_group[at[rows->group_of[i]]++] = i;
	for (uint32_t g = 0, first = 0; g < groups; first += rows->group[g++].slots)
		if (!read_args(rows, in, by_group + first, rows->group[g].slots))
			return false;
	return true;
}

static bool read_sequence(struct hb__rows *rows, struct hb__in *in)
{
	struct hb__column c;
	hb__column_read(in, &rows->arena, rows->events, &c);
	rows->sequence = hb__arena_get(&rows->arena, rows->events * sizeof *rows->sequence);
	if (in->bad || !rows->sequence)
		return false;
	uint32_t known = 0;
	for (uint32_t i = 0; i < rows->events; i++) {
		uint64_t v = hb__column_next(&c);
		if (v == 0 ? known == rows->slots : v > known)
			return false;
		uint32_t slot = v ? (uint32_t)v - 1 : known++;
		struct hb__group *g = &rows->group[rows->group_of[slot]];
		rows->sequence[i] = slot;
		g->events++;
		g->checks += rows->slot[slot].flags & HB_SLOT_CHECK;
	}
	return true;
}

static bool is_fixed(const struct hb__column *c) { return c->mask == 0; }
static bool is_zero(const struct hb__column *c) { return is_fixed(c) && c->fixed == 0; }

/* How many results the rows of a group have, at each position and in all. */
static bool count_results(const struct hb__group *g, uint64_t *left, size_t *ret_values, size_t *ret_all)
{
	uint64_t same = is_fixed(&g->nresults) ? g->events : 1;
	for (uint32_t i = 0; i < g->events; i += (uint32_t)same) {
		uint64_t n = hb__column_at(&g->nresults, i);
		if (n > *left / same)
			return false;
		*left -= n * same;
		*ret_all += n * same;
		for (uint32_t p = 0; p < n && p + 1 < HB__POSITIONS; p++)
			ret_values[p] += same;
		if (n >= HB__POSITIONS)
			ret_values[HB__POSITIONS - 1] += (n - (HB__POSITIONS - 1)) * same;
	}
	return true;
}

/* From columns by position to one row after the other. */
static void turn_results(const struct hb__group *g, struct hb__column *column, int64_t *to)
{
	if (is_fixed(&g->nresults)) {
		size_t n = g->nresults.fixed, own = n < HB__POSITIONS ? n : HB__POSITIONS - 1;
		for (size_t p = 0; p < own; p++)
			for (size_t i = 0; i < g->events; i++)
				to[i * n + p] = hb_unzigzag(hb__column_at(&column[p], i));
		for (size_t i = 0; n > own && i < g->events; i++)
			for (size_t p = own; p < n; p++)
				to[i * n + p] = hb_unzigzag(hb__column_next(&column[own]));
		return;
	}
	for (size_t i = 0; i < g->events; i++) {
		size_t n = hb__column_at(&g->nresults, i);
		for (size_t p = 0; p < n; p++)
			*to++ = hb_unzigzag(hb__column_next(&column[p < HB__POSITIONS ? p : HB__POSITIONS - 1]));
	}
}

static bool read_results(struct hb__rows *rows, struct hb__in *in, struct hb__group *g, uint64_t *left)
{
	struct hb__column column[HB__POSITIONS];
	size_t values[HB__POSITIONS] = {0}, all = 0;
	if (in->bad || !count_results(g, left, values, &all))
		return false;
	int64_t *results = hb__arena_get(&rows->arena, all * sizeof *results);
	struct hb__arena before = rows->arena;
	for (uint32_t p = 0; p < HB__POSITIONS; p++)
		hb__column_read(in, &rows->arena, values[p], &column[p]);
	if (in->bad || !results)
		return false;
	turn_results(g, column, results);
	hb__arena_back(&rows->arena, &before);
	g->results = results;
	return true;
}

/* Reads a column, or goes past it: then it is 0 all over. */
static void read_if(bool wanted, struct hb__rows *rows, struct hb__in *in, size_t n, struct hb__column *ret_column)
{
	*ret_column = (struct hb__column){.v = &ret_column->fixed};
	if (wanted)
		hb__column_read(in, &rows->arena, n, ret_column);
	else
		hb__column_skip(in, &rows->arena, n);
}

static bool read_group(
	struct hb__rows *rows, struct hb__in *in, struct hb__group *g, uint32_t level, bool times, uint64_t *left)
{
	size_t n = g->events, timed = level == HB_LEVEL_EVENTS ? n : 0;
	g->checked = times && g->checks == n;
	read_if(times, rows, in, timed, &g->gap);
	read_if(times, rows, in, timed, &g->lasted);
	read_if(true, rows, in, n, &g->polls);
	read_if(true, rows, in, level == HB_LEVEL_RACING ? n : 0, &g->skipped);
	read_if(true, rows, in, n, &g->result);
	read_if(times, rows, in, g->checked ? n : 0, &g->check);
	read_if(times, rows, in, g->checked ? 0 : g->checks, &g->some_check);
	read_if(true, rows, in, n, &g->nresults);
	g->usual = (g->checked || g->checks == 0 || !times) && is_zero(&g->polls) && is_zero(&g->skipped) &&
		   is_zero(&g->result);
	return read_results(rows, in, g, left);
}

bool hb__rows_read(struct hb__rows *rows, const uint8_t *p, size_t n, uint32_t events, uint32_t level, bool times)
{
	struct hb__in in = {p, p + n, false};
	hb__arena_reset(&rows->arena);
	*rows = (struct hb__rows){.arena = rows->arena, .events = events};
	if (events == 0 || events > HB__BLOCK_EVENTS_MAX || !read_slots(rows, &in) || !read_sequence(rows, &in))
		return false;
	if (level == HB_LEVEL_EVENTS)
		rows->tick = hb__in_uv(&in);
	uint64_t left = HB__BLOCK_VALUES_MAX;
	for (uint32_t g = 0; g < rows->groups; g++)
		if (!read_group(rows, &in, &rows->group[g], level, times, &left))
			return false;
	return !in.bad && in.p == in.end;
}

bool hb__rows_tick(const uint8_t *p, size_t n, uint32_t events, uint32_t level, uint64_t *ret_tick)
{
	struct hb__in in = {p, p + n, false};
	struct hb__rows rows = {.events = events};
	*ret_tick = 0;
	if (level != HB_LEVEL_EVENTS)
		return true;
	bool good = events > 0 && events <= HB__BLOCK_EVENTS_MAX && read_slots(&rows, &in);
	if (good)
		hb__column_skip(&in, &rows.arena, events); /* the sequence */
	*ret_tick = hb__in_uv(&in);
	good = good && !in.bad;
	hb__rows_free(&rows);
	return good;
}

void hb__rows_free(struct hb__rows *rows)
{
	hb__arena_free(&rows->arena);
	*rows = (struct hb__rows){0};
}
