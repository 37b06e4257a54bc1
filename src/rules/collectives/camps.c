/* Who says what, when not all say the same: with many processes those that agree are named together, and those that are
 * fewest come first. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/collectives/parts.h"

#define CAMPS 6

struct camp {
	char value[160];
	uint32_t first, n; /* part; how many */
	char ranks[100];   /* "rank 3", "ranks 0-2, 4" */
};

static uint32_t collect(const struct hb__assembly *a, const struct hb__camps *say, struct camp *camp)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < a->n; i++) {
		char value[sizeof camp->value];
		if (!say->saying(a, i, say->user, value, sizeof value))
			continue;
		uint32_t k = 0;
		while (k < n && strcmp(camp[k].value, value) != 0)
			k++;
		if (k == CAMPS)
			continue;
		if (k == n) {
			camp[n] = (struct camp){.first = i};
			memcpy(camp[n++].value, value, sizeof value);
		}
		camp[k].n++;
	}
	return n;
}

static void add_range(char *text, size_t size, uint32_t world, int32_t from, int32_t to)
{
	hb_process_name range;
	size_t n = strlen(text);
	hb_process_range(world, from, to, range);
	if (n + 24 > size || n + strlen(range) + 8 > size) {
		if (n && text[n - 1] != '.')
			snprintf(text + n, size - n, ", ...");
		return;
	}
	const char *comma = n ? ", " : "";
	snprintf(text + n, size - n, "%s%s", comma, range);
}

/* The ranks of a camp, those that follow each other as a range. */
static void name_ranks(const struct hb__assembly *a, const struct hb__camps *say, struct camp *camp)
{
	char list[80] = "";
	int32_t from = 0, to = -2;
	uint32_t world = 0;
	for (uint32_t i = camp->first; i < a->n; i++) {
		char value[sizeof camp->value];
		if (!say->saying(a, i, say->user, value, sizeof value) || strcmp(value, camp->value) != 0)
			continue;
		const hb_process *p = &hb_model_processes(a->c->model)[a->part[i].process];
		if (p->rank == to + 1 && to >= 0 && p->world == world) {
			to = p->rank;
			continue;
		}
		if (to >= 0)
			add_range(list, sizeof list, world, from, to);
		from = to = p->rank;
		world = p->world;
	}
	add_range(list, sizeof list, world, from, to);
	snprintf(camp->ranks, sizeof camp->ranks, "%s %s", camp->n == 1 ? "rank" : "ranks", list);
}

static int fewest_first(const void *x, const void *y)
{
	const struct camp *a = x, *b = y;
	if (a->n != b->n)
		return a->n < b->n ? -1 : 1;
	return a->first < b->first ? -1 : a->first > b->first;
}

hb_status hb__tell_camps(const struct hb__assembly *a, const struct hb__camps *say)
{
	struct camp camp[CAMPS];
	hb_point point[CAMPS];
	char sentence[1400] = "", which[160];
	uint32_t n = collect(a, say, camp);
	if (n < 2)
		return HB_OK;
	qsort(camp, n, sizeof *camp, fewest_first);
	for (uint32_t i = 0; i < n; i++) {
		size_t used = strlen(sentence);
		const char *verb = camp[i].n == 1 ? say->has : say->have;
		name_ranks(a, say, &camp[i]);
		hb__part_point(a, camp[i].first, &point[i]);
		snprintf(point[i].role, sizeof point[i].role, "%.50s %s%s%.80s", camp[i].ranks, verb, *verb ? " " : "",
			camp[i].value);
		if (used < sizeof sentence)
			snprintf(sentence + used, sizeof sentence - used, "%s%.90s %.20s%s%.120s", i ? ", " : "",
				camp[i].ranks, verb, *verb ? " " : "", camp[i].value);
	}
	return hb__finding(a->c, say->id, false, say->advice, point, n, a->err, "%s%.760s: %s", say->before, sentence,
		hb__which_collective(a, which));
}
