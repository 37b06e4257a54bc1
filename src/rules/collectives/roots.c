/* Root and operation of a collective. On an intercommunicator exactly one process of one group says MPI_ROOT, the others
 * of that group MPI_PROC_NULL, and all of the other group the rank of the root. */
#include <stdio.h>
#include <string.h>

#include "rules/collectives/parts.h"

static bool say_root(const struct hb__assembly *a, uint32_t part, const void *user, char *ret, size_t size)
{
	(void)user;
	int64_t root = hb__shape_argument(hb__call_shape_of(a, part), "root");
	if (root == HB_ABSENT)
		return false;
	if (root == HB_ROOT || root == HB_PROC_NULL)
		snprintf(ret, size, "root = %s", root == HB_ROOT ? "MPI_ROOT" : "MPI_PROC_NULL");
	else
		snprintf(ret, size, "root = %lld", (long long)root);
	return true;
}

static hb_status tell(const struct hb__assembly *a, const char *advice)
{
	char before[80];
	snprintf(before, sizeof before, "%.60s: ", hb__call_shape_of(a, 0)->function->name);
	return hb__tell_camps(
		a, &(struct hb__camps){HB_COLLECTIVE_ROOT, before, "has", "have", advice, say_root, NULL});
}

/* Two processes of one group say that they are the root: all else may agree. */
static hb_status tell_two(const struct hb__assembly *a, uint32_t x, uint32_t y)
{
	char which[160];
	hb_point point[2];
	hb__part_point(a, x, &point[0]);
	hb__part_point(a, y, &point[1]);
	for (int i = 0; i < 2; i++)
		snprintf(point[i].role, sizeof point[i].role, "root = MPI_ROOT");
	return hb__finding(a->c, HB_COLLECTIVE_ROOT, false,
		"Give MPI_ROOT on one process of one group, and MPI_PROC_NULL on the others of that group.", point, 2,
		a->err, "%s: ranks %s and %s both have root = MPI_ROOT: %s", point[0].function, hb__part_name(a, x),
		hb__part_name(a, y), hb__which_collective(a, which));
}

/* What the groups of an intercommunicator say, by group: the part that says it first, HB_NO: none. */
struct sides {
	uint32_t root[2], null[2], rank[2], n[2];
};

static hb_status compare_sides(const struct hb__assembly *a, bool *ret_same)
{
	const char *advice =
		"Give MPI_ROOT on one process of one group, MPI_PROC_NULL on the others of that group, and the root's rank on all processes of the other group.";
	struct sides s = {{HB_NO, HB_NO}, {HB_NO, HB_NO}, {HB_NO, HB_NO}, {0, 0}};
	bool fits = true;
	for (uint32_t i = 0; i < a->n; i++) {
		const struct hb__call_shape *shape = hb__call_shape_of(a, i);
		int64_t root = hb__shape_argument(shape, "root");
		uint32_t *first = root == HB_ROOT ? s.root : root == HB_PROC_NULL ? s.null : s.rank;
		s.n[shape->remote]++;
		if (root == HB_ROOT && first[shape->remote] != HB_NO) {
			*ret_same = false;
			return tell_two(a, first[shape->remote], i);
		}
		if (root >= 0 && first[shape->remote] != HB_NO)
			fits &= root == hb__shape_argument(hb__call_shape_of(a, first[shape->remote]), "root");
		if (first[shape->remote] == HB_NO)
			first[shape->remote] = i;
	}
	for (int k = 0; k < 2; k++) {
		bool is_root = s.root[k] != HB_NO || s.null[k] != HB_NO;
		uint32_t size = k ? a->group->remote_size : a->group->size;
		fits &= !is_root || s.rank[k] == HB_NO;                                /* one group says both */
		fits &= !is_root || (s.root[!k] == HB_NO && s.null[!k] == HB_NO);      /* both say that they are it */
		fits &= s.rank[k] == HB_NO || s.rank[!k] == HB_NO;                     /* neither does */
		fits &= !(is_root && s.root[k] == HB_NO && s.n[k] == size && s.n[!k]); /* nobody is it */
		if (s.rank[k] == HB_NO || s.root[!k] == HB_NO)
			continue;
		uint32_t meant =
			hb__part_of_rank(a, s.rank[k], hb__shape_argument(hb__call_shape_of(a, s.rank[k]), "root"));
		fits &= meant == HB_NO || meant == s.root[!k];
	}
	*ret_same = fits;
	return fits ? HB_OK : tell(a, advice);
}

hb_status hb__compare_roots(const struct hb__assembly *a, bool *ret_same)
{
	int64_t first = hb__shape_argument(hb__call_shape_of(a, 0), "root");
	*ret_same = true;
	if (first == HB_ABSENT)
		return HB_OK;
	if (a->group->remote_size)
		return compare_sides(a, ret_same);
	for (uint32_t i = 1; i < a->n; i++) {
		int64_t root = hb__shape_argument(hb__call_shape_of(a, i), "root");
		if (root == HB_ABSENT || root == first)
			continue;
		*ret_same = false;
		return tell(a, "Give the same root on all processes.");
	}
	return HB_OK;
}

/* ---- operations ---- */

/* Numbers of the program's operations say nothing to other processes: two of them can not be compared. */
static bool say_operation(const struct hb__assembly *a, uint32_t part, const void *user, char *ret, size_t size)
{
	(void)user;
	int64_t op = hb__shape_argument(hb__call_shape_of(a, part), "op");
	if (op == HB_ABSENT)
		return false;
	const char *name = op < 0 || op >= HB_NO ? NULL : hb_log_op(hb__log_of(a, part), (uint32_t)op);
	if (!name)
		return false;
	snprintf(ret, size, "op = %s", strchr(name, '#') ? "an operation of the program" : name);
	return true;
}

hb_status hb__compare_operations(const struct hb__assembly *a, bool *ret_same)
{
	char first[160] = "", other[160], before[80];
	*ret_same = true;
	for (uint32_t i = 0; i < a->n; i++) {
		if (!say_operation(a, i, NULL, other, sizeof other))
			continue;
		if (!*first)
			memcpy(first, other, sizeof first);
		*ret_same &= !strcmp(first, other);
	}
	if (*ret_same)
		return HB_OK;
	snprintf(before, sizeof before, "%.60s: ", hb__call_shape_of(a, 0)->function->name);
	return hb__tell_camps(a, &(struct hb__camps){HB_COLLECTIVE_OP, before, "has", "have",
					 "Give the same operation on all processes.", say_operation, NULL});
}
