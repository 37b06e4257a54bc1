/* Collectives that do not fit together: another function, root or operation, other counts or types, a process
 * that never comes. MPI 4.0, 6.1: all processes of a communicator call its collectives in the same order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/collectives/parts.h"

/* ---- which function ---- */

/* Blocking, nonblocking and persistent forms do not match each other: names are compared whole, but for large counts. */
static bool same_function(const char *a, const char *b)
{
	size_t m = strlen(a), n = strlen(b);
	m -= m > 2 && !strcmp(a + m - 2, "_c") ? 2 : 0;
	n -= n > 2 && !strcmp(b + n - 2, "_c") ? 2 : 0;
	return m == n && !strncmp(a, b, m);
}

/* The first part that differs from part 0; n: none does. */
static uint32_t other_function(const struct hb__assembly *a)
{
	uint32_t i = 1;
	while (i < a->n && (a->part[i].shape == a->part[0].shape || same_function(hb__shape_of(a, i)->function->name,
									    hb__shape_of(a, 0)->function->name)))
		i++;
	return i;
}

/* How many of the processes call what part 0 calls: the odd one out is named first. */
static uint32_t like_first(const struct hb__assembly *a)
{
	uint32_t same = 0;
	for (uint32_t i = 0; i < a->n; i++)
		same += same_function(hb__shape_of(a, i)->function->name, hb__shape_of(a, 0)->function->name);
	return same;
}

static hb_status tell_function(const struct hb__assembly *a, uint32_t other)
{
	char which[80];
	hb_point point[2];
	bool first_is_odd = 2 * like_first(a) < a->n;
	uint32_t odd = first_is_odd ? 0 : other, usual = first_is_odd ? other : 0;
	hb__part_point(a, odd, &point[0]);
	hb__part_point(a, usual, &point[1]);
	return hb__finding(a->c, HB_COLLECTIVE_CALL, false,
		"all processes of a communicator have to call the same collectives in the same order", point, 2, a->err,
		"rank %d calls %s where rank %d calls %s: %s", hb__rank_of(a, odd), point[0].function,
		hb__rank_of(a, usual), point[1].function, hb__which_collective(a, which));
}

/* ---- root and operation ---- */

static hb_status tell_root(const struct hb__assembly *a, uint32_t i, int64_t root, int64_t first)
{
	char which[80];
	hb_point point[2];
	hb__part_point(a, i, &point[0]);
	hb__part_point(a, 0, &point[1]);
	snprintf(point[0].role, sizeof point[0].role, "root = %lld", (long long)root);
	snprintf(point[1].role, sizeof point[1].role, "root = %lld", (long long)first);
	return hb__finding(a->c, HB_COLLECTIVE_ROOT, false, "all processes have to name the same root", point, 2,
		a->err, "rank %d calls %s with root = %lld, rank %d with root = %lld: %s", hb__rank_of(a, i),
		point[0].function, (long long)root, hb__rank_of(a, 0), (long long)first,
		hb__which_collective(a, which));
}

/* The first part whose root differs from that of part 0 is told. On intercommunicators roots mean something else. */
static hb_status compare_roots(const struct hb__assembly *a, bool *ret_same)
{
	int64_t first = hb__shape_argument(hb__shape_of(a, 0), "root");
	*ret_same = true;
	if (first == HB_ABSENT || a->group->remote_size)
		return HB_OK;
	for (uint32_t i = 1; i < a->n; i++) {
		int64_t root = hb__shape_argument(hb__shape_of(a, i), "root");
		if (root == HB_ABSENT || root == first)
			continue;
		*ret_same = false;
		return tell_root(a, i, root, first);
	}
	return HB_OK;
}

/* NULL: an operation of the program, whose numbers say nothing to other processes. */
static const char *operation(const struct hb__assembly *a, uint32_t part)
{
	int64_t op = hb__shape_argument(hb__shape_of(a, part), "op");
	const char *name = op < 0 || op >= HB_NO ? NULL : hb_log_op(hb__log_of(a, part), (uint32_t)op);
	return name && !strchr(name, '#') ? name : NULL;
}

static hb_status compare_operations(const struct hb__assembly *a)
{
	if (hb__shape_argument(hb__shape_of(a, 0), "op") == HB_ABSENT)
		return HB_OK;
	const char *first = operation(a, 0);
	for (uint32_t i = 1; i < a->n; i++) {
		const char *op = operation(a, i);
		if (a->part[i].shape == a->part[0].shape || (op && first && !strcmp(op, first)) || (!op && !first))
			continue;
		char which[80];
		hb_point point[2];
		hb__part_point(a, i, &point[0]);
		hb__part_point(a, 0, &point[1]);
		return hb__finding(a->c, HB_COLLECTIVE_OP, false, "all processes have to name the same operation",
			point, 2, a->err, "rank %d calls %s with %s, rank %d with %s: %s", hb__rank_of(a, i),
			point[0].function, op ? op : "an operation of its own", hb__rank_of(a, 0),
			first ? first : "an operation of its own", hb__which_collective(a, which));
	}
	return HB_OK;
}

/* ---- who is missing ---- */

/* The process cannot come any more: it has ended, and all that it did is recorded. */
static bool never_comes(const hb_case *c, uint32_t process)
{
	const hb_process *p = process == HB_NO ? NULL : &hb_model_processes(c->model)[process];
	return p && p->log && !p->cut && (p->ending == HB_ENDING_FINALIZED || p->ending == HB_ENDING_LEFT);
}

static hb_status compare_members(const struct hb__assembly *a)
{
	if (a->group->remote_size || a->n >= a->group->size)
		return HB_OK;
	for (uint32_t i = 0; i < a->group->size; i++) {
		uint32_t process = a->group->member[i], k = 0;
		while (k < a->n && a->part[k].process != process)
			k++;
		if (k < a->n || !never_comes(a->c, process))
			continue;
		char which[80];
		hb_point point[2];
		hb__part_point(a, 0, &point[0]);
		snprintf(point[0].role, sizeof point[0].role, "%u of %u processes take part", a->n, a->group->size);
		return hb__finding(a->c, HB_COLLECTIVE_MISSING, false,
			"every process of the communicator has to call it", point, 1, a->err,
			"rank %d never takes part in %s, where rank %d calls %s",
			hb_model_processes(a->c->model)[process].rank, hb__which_collective(a, which),
			hb__rank_of(a, 0), point[0].function);
	}
	return HB_OK;
}

/* ---- all of them ---- */

/* By group: the number of the first collective whose calls differ; what comes after it is out of step. */
static bool out_of_step(const uint32_t *broken, const hb_collective *c) { return c->number > broken[c->group]; }

/* Threads of one process that call collectives on one communicator: which of them came first is not known. */
static bool by_threads(const struct hb__assembly *a, uint32_t *line_of)
{
	bool threads = false;
	for (uint32_t i = 0; i < a->n; i++) {
		uint32_t *line = &line_of[a->part[i].process];
		if (hb_model_processes(a->c->model)[a->part[i].process].nlines < 2)
			continue;
		threads |= *line != HB_NO && *line != a->part[i].at.line;
		*line = a->part[i].at.line;
	}
	return threads;
}

/* Numbered otherwise than by the calls on the communicator: starts, fences, constructors that not all call. */
static bool numbered_otherwise(const char *function)
{
	static const char *const names[] = {"MPI_Start", "MPI_Win_fence", "MPI_Win_free", "MPI_Comm_create_group",
		"MPI_Comm_create_from_group", "MPI_Intercomm_create"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strncmp(function, names[i], strlen(names[i])))
			return true;
	return false;
}

static hb_status compare(const struct hb__assembly *a, uint32_t *broken)
{
	if (out_of_step(broken, a->collective))
		return HB_OK;
	uint32_t other = other_function(a);
	if (other < a->n) {
		broken[a->collective->group] = a->collective->number;
		return tell_function(a, other);
	}
	bool same = true;
	hb_status status = compare_roots(a, &same);
	if (!status)
		status = compare_operations(a);
	if (!status && same)
		status = hb__collective_fit(a);
	if (!status)
		status = compare_members(a);
	return status;
}

static hb_status compare_all(
	hb_case *c, const struct hb__parts *parts, uint32_t *broken, uint32_t *line_of, hb_error *err)
{
	const hb_model_info *info = hb_model_get_info(c->model);
	const hb_collective *collective = hb_model_collectives(c->model);
	hb_status status = HB_OK;
	for (uint32_t id = 0; !status && id < info->collectives; id++) {
		struct hb__assembly a = {.c = c,
			.parts = parts,
			.id = id,
			.collective = &collective[id],
			.group = &hb_model_groups(c->model)[collective[id].group],
			.part = &parts->part[parts->first[id]],
			.err = err};
		uint64_t n = parts->first[id + 1] - parts->first[id];
		while (a.n < n && a.part[a.n].process != HB_NO)
			a.n++;
		if (!a.n || numbered_otherwise(hb__shape_of(&a, 0)->function->name) || by_threads(&a, line_of))
			continue;
		status = compare(&a, broken);
	}
	return status;
}

hb_status hb_rule_collectives(hb_case *c, hb_error *err)
{
	const hb_model_info *info = hb_model_get_info(c->model);
	struct hb__parts parts;
	hb_status status = hb__parts_gather(c->model, &parts, err);
	if (status)
		return status;
	uint32_t *broken = malloc((info->groups + 1) * sizeof *broken);
	uint32_t *line_of = malloc((info->processes + 1) * sizeof *line_of);
	if (broken && line_of) {
		memset(broken, 0xff, (info->groups + 1) * sizeof *broken);
		memset(line_of, 0xff, (info->processes + 1) * sizeof *line_of);
		status = compare_all(c, &parts, broken, line_of, err);
	} else {
		status = HB_E_MEMORY;
		if (err)
			*err = (hb_error){.status = HB_E_MEMORY, .message = "out of memory"};
	}
	free(broken);
	free(line_of);
	hb__parts_free(&parts);
	return status;
}
