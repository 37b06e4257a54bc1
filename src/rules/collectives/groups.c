/* Groups that make communicators (MPI 4.0, 7.4.2): all processes of a group have to give the same one, with the same
 * order, and MPI_Comm_create_group also the same tag. That one is called by the processes of the group alone: it is
 * no collective of the communicator. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/collectives/parts.h"

static bool say_group(const struct hb__assembly *a, uint32_t part, const void *user, char *ret, size_t size)
{
	(void)user;
	struct hb__list list;
	char ranks[120];
	if (!hb__given_list(a, part, "group", &list))
		return false;
	hb__list_text(&list, ranks, sizeof ranks);
	snprintf(ret, size, "the group {%s}", ranks);
	return true;
}

static bool has_rank(const struct hb__list *list, int64_t rank)
{
	for (uint32_t i = 0; i < list->n; i++)
		if (list->rank[i] == rank)
			return true;
	return false;
}

static bool same_list(const struct hb__list *x, const struct hb__list *y)
{
	return x->n == y->n && (!x->n || !memcmp(x->rank, y->rank, x->n * sizeof *x->rank));
}

/* ---- MPI_Comm_create ---- */

static hb_status tell_groups(const struct hb__assembly *a, uint32_t x, uint32_t y)
{
	char one[160], other[160], which[160];
	hb_point point[2];
	hb__part_point(a, x, &point[0]);
	hb__part_point(a, y, &point[1]);
	if (!say_group(a, x, NULL, one, sizeof one) || !say_group(a, y, NULL, other, sizeof other))
		return HB_OK;
	snprintf(point[0].role, sizeof point[0].role, "gives %.140s", one);
	snprintf(point[1].role, sizeof point[1].role, "gives %.140s", other);
	return hb__finding(a->c, HB_COLLECTIVE_VALUE, false,
		"Give the same group, in the same order, on all its processes.", point, 2, a->err,
		"%s: rank %s gives %s of MPI_COMM_WORLD, and rank %s, which belongs to it, %s: %s", point[0].function,
		hb__part_name(a, x), one, hb__part_name(a, y), other, hb__which_collective(a, which));
}

/* Processes that are in no group may give any. */
/* Groups are recorded as ranks of the world of who gives them: those of another world have none. */
static bool of_one_world(const struct hb__assembly *a)
{
	const hb_process *p = hb_model_processes(a->c->model);
	for (uint32_t i = 0; i < a->group->size; i++)
		if (a->group->member[i] == HB_NO || p[a->group->member[i]].world != p[a->group->member[0]].world)
			return false;
	return true;
}

hb_status hb__compare_groups(const struct hb__assembly *a, bool *ret_same)
{
	*ret_same = true;
	if (hb__call_shape_of(a, 0)->means->tells != HB_TELLS_GROUP || a->group->remote_size || !of_one_world(a))
		return HB_OK;
	for (uint32_t i = 0; i < a->n; i++) {
		struct hb__list mine, theirs;
		if (!hb__given_list(a, i, "group", &mine))
			continue;
		for (uint32_t k = 0; mine.n && k < a->n; k++) {
			if (k == i || !hb__given_list(a, k, "group", &theirs) || same_list(&mine, &theirs) ||
				!has_rank(&mine, hb__rank_of(a, k)))
				continue;
			*ret_same = false;
			return tell_groups(a, i, k);
		}
	}
	return HB_OK;
}

/* ---- MPI_Comm_create_group: calls that never returned ---- */

static hb_status tell_pair(const struct hb__assembly *a)
{
	char said[2][200];
	hb_point point[2];
	for (uint32_t i = 0; i < 2; i++) {
		char group[160];
		hb__part_point(a, i, &point[i]);
		if (!say_group(a, i, NULL, group, sizeof group))
			return HB_OK;
		snprintf(said[i], sizeof said[i], "%s and tag %lld", group,
			(long long)hb__shape_argument(hb__call_shape_of(a, i), "tag"));
		snprintf(point[i].role, sizeof point[i].role, "gives %.140s", said[i]);
	}
	return hb__finding(a->c, HB_COLLECTIVE_VALUE, false,
		"Give the same group, in the same order, and the same tag on all its processes.", point, 2, a->err,
		"%s on %s: rank %s gives %s, rank %s %s: neither returns", point[0].function, a->group->name,
		hb__part_name(a, 0), said[0], hb__part_name(a, 1), said[1]);
}

/* Each waits for the other, with something else. */
static bool crossed(const struct hb__assembly *a)
{
	struct hb__list x, y;
	int64_t m = hb__shape_argument(hb__call_shape_of(a, 0), "tag"),
		n = hb__shape_argument(hb__call_shape_of(a, 1), "tag");
	return hb__given_list(a, 0, "group", &x) && hb__given_list(a, 1, "group", &y) &&
	       has_rank(&x, hb__rank_of(a, 1)) && has_rank(&y, hb__rank_of(a, 0)) && (m != n || !same_list(&x, &y));
}

static hb_status tell_absent(const struct hb__assembly *a, const char *absent)
{
	hb_point point;
	char group[160] = "";
	hb__part_point(a, 0, &point);
	say_group(a, 0, NULL, group, sizeof group);
	snprintf(point.role, sizeof point.role, "waits for rank %s", absent);
	return hb__finding(a->c, HB_COLLECTIVE_MISSING, false, "Call it on every process of the group.", &point, 1,
		a->err, "rank %s never takes part in %s on %s, where rank %s calls it with %s", absent, point.function,
		a->group->name, hb__part_name(a, 0), group);
}

static hb_status compare_absent(const struct hb__assembly *a, bool *ret_told)
{
	const hb_model_info *info = hb_model_get_info(a->c->model);
	const hb_process *p = hb_model_processes(a->c->model);
	struct hb__list list;
	if (!hb__given_list(a, 0, "group", &list))
		return HB_OK;
	uint32_t world = p[a->part[0].process].world; /* the group's ranks are of this one */
	for (uint32_t i = 0; i < info->processes; i++)
		if (p[i].world == world && has_rank(&list, p[i].rank) && hb__never_comes(a->c, i)) {
			*ret_told = true;
			return tell_absent(a, p[i].name);
		}
	return HB_OK;
}

hb_status hb__compare_makers(hb_case *c, const struct hb__collective_calls *parts, hb_error *err)
{
	hb_status status = HB_OK;
	for (size_t i = 0; !status && i < parts->makers; i++) {
		const struct hb__maker *x = &parts->maker[i];
		struct hb__collective_call pair[2] = {x->part, x->part};
		struct hb__assembly a = {.c = c,
			.parts = parts,
			.group = &hb_model_groups(c->model)[x->group],
			.part = pair,
			.n = 2,
			.err = err};
		bool told = false;
		for (size_t k = i + 1; !status && !told && k < parts->makers; k++) {
			const struct hb__maker *y = &parts->maker[k];
			pair[1] = y->part;
			told = y->group == x->group && y->part.process != x->part.process && crossed(&a);
			status = told ? tell_pair(&a) : HB_OK;
		}
		if (!status && !told)
			status = compare_absent(&a, &told);
	}
	return status;
}
