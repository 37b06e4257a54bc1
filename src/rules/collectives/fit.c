/* Counts and types of one collective: what one process sends has to be what the other one receives. Each
 * collective's section in MPI 4.0, chapter 6, says what has to be equal. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "rules/collectives/parts.h"
#include "rules/signature.h"

enum fit {
	FIT_NONE,
	FIT_SAME,    /* count and datatype alike everywhere */
	FIT_GATHER,  /* everybody's send is what the root receives from each */
	FIT_SCATTER, /* what the root sends to each is everybody's receive */
	FIT_ALL,     /* every send is like every receive */
	FIT_GATHERV, /* ... with a count for each process */
	FIT_SCATTERV,
	FIT_ALLGATHERV,
	FIT_ALLTOALLV,
	FIT_ALLTOALLW,
	FIT_COUNTS, /* the same array of counts everywhere */
	FIT_SHAPE,  /* arguments of constructors of communicators that have to be equal */
};

static const struct {
	const char *name;
	enum fit fit;
} table[] = {
	{"Bcast", FIT_SAME},
	{"Reduce", FIT_SAME},
	{"Allreduce", FIT_SAME},
	{"Scan", FIT_SAME},
	{"Exscan", FIT_SAME},
	{"Reduce_scatter_block", FIT_SAME},
	{"Gather", FIT_GATHER},
	{"Scatter", FIT_SCATTER},
	{"Allgather", FIT_ALL},
	{"Alltoall", FIT_ALL},
	{"Gatherv", FIT_GATHERV},
	{"Scatterv", FIT_SCATTERV},
	{"Allgatherv", FIT_ALLGATHERV},
	{"Alltoallv", FIT_ALLTOALLV},
	{"Alltoallw", FIT_ALLTOALLW},
	{"Reduce_scatter", FIT_COUNTS},
	{"Cart_create", FIT_SHAPE},
	{"Graph_create", FIT_SHAPE},
};

static bool is_name(const char *name, size_t n, const char *base)
{
	return strlen(base) == n && !strncasecmp(name, base, n);
}

/* By the name of its blocking form: MPI_Ibcast and MPI_Bcast_init are broadcasts. */
static enum fit fit_of(const char *function)
{
	const char *name = strchr(function, '_');
	if (!name)
		return FIT_NONE;
	size_t n = strlen(++name);
	n -= n > 2 && !strcmp(name + n - 2, "_c") ? 2 : 0;
	n -= n > 5 && !strncmp(name + n - 5, "_init", 5) ? 5 : 0;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (is_name(name, n, table[i].name) || (*name == 'I' && is_name(name + 1, n - 1, table[i].name)))
			return table[i].fit;
	return FIT_NONE;
}

/* ---- what a part sends or receives ---- */

static bool data(const struct hb__assembly *a, uint32_t part, const char *count, const char *type, hb_data *ret)
{
	const struct hb__shape *s = hb__shape_of(a, part);
	*ret = (hb_data){hb__log_of(a, part), hb__shape_argument(s, count), hb__shape_argument(s, type)};
	return ret->count != HB_ABSENT && ret->type != HB_ABSENT;
}

static bool sends(const struct hb__assembly *a, uint32_t part, hb_data *ret)
{
	return data(a, part, "sendcount", "sendtype", ret);
}

static bool receives(const struct hb__assembly *a, uint32_t part, hb_data *ret)
{
	return data(a, part, "recvcount", "recvtype", ret);
}

/* The same with a count of its own for the process at `place`; with an array of types, too. */
static bool element(
	const struct hb__assembly *a, uint32_t part, const char *counts, const char *type, uint32_t place, hb_data *ret)
{
	const struct hb__shape *s = hb__shape_of(a, part);
	const hb_log *log = hb__log_of(a, part);
	int64_t digest = hb__shape_argument(s, counts), number = hb__shape_argument(s, type);
	uint32_t n, types;
	const int64_t *count = digest == HB_ABSENT || !digest ? NULL : hb_log_array(log, (uint64_t)digest, &n);
	if (!count || place >= n || number == HB_ABSENT)
		return false;
	if (type[strlen(type) - 1] == 's') {
		const int64_t *array = hb_log_array(log, (uint64_t)number, &types);
		if (!array || place >= types)
			return false;
		number = array[place];
	}
	*ret = (hb_data){log, count[place], number};
	return true;
}

/* ---- telling ---- */

struct side {
	uint32_t part;
	const char *does; /* "sends", "receives" */
	hb_data data;
};

static hb_status tell(
	const struct hb__assembly *a, hb_data_relation relation, const struct side *x, const struct side *y)
{
	char which[80], one[120], other[120];
	hb_point point[2];
	hb__part_point(a, x->part, &point[0]);
	hb__part_point(a, y->part, &point[1]);
	hb__data_text(&x->data, one, sizeof one);
	hb__data_text(&y->data, other, sizeof other);
	snprintf(point[0].role, sizeof point[0].role, "%s %s", x->does, one);
	snprintf(point[1].role, sizeof point[1].role, "%s %s", y->does, other);
	bool type = relation == HB_DATA_DIFFERENT;
	return hb__finding(a->c, type ? HB_COLLECTIVE_TYPE : HB_COLLECTIVE_COUNT, false,
		type ? "the datatypes have to consist of the same basic types"
		     : "the amounts of data have to be the same",
		point, x->part == y->part ? 1 : 2, a->err, "%s: rank %d %s %s, rank %d %s %s: %s", point[0].function,
		hb__rank_of(a, x->part), x->does, one, hb__rank_of(a, y->part), y->does, other,
		hb__which_collective(a, which));
}

/* *ret_fits is set to false when they do not; nothing can be said of datatypes that are not known. */
static hb_status match(const struct hb__assembly *a, const struct side *x, const struct side *y, bool *ret_fits)
{
	hb_data_relation relation = hb__data_compare(&x->data, &y->data);
	if (relation == HB_DATA_SAME || relation == HB_DATA_UNKNOWN)
		return HB_OK;
	*ret_fits = false;
	return tell(a, relation, x, y);
}

/* ---- each kind ---- */

static hb_status same(const struct hb__assembly *a, const char *count)
{
	struct side first = {0, "has", {0}};
	bool fits = true;
	if (!data(a, 0, count, "datatype", &first.data))
		return HB_OK;
	for (uint32_t i = 1; fits && i < a->n; i++) {
		struct side other = {i, "has", {0}};
		if (a->part[i].shape == a->part[0].shape || !data(a, i, count, "datatype", &other.data))
			continue;
		hb_status status = match(a, &other, &first, &fits);
		if (status)
			return status;
	}
	return HB_OK;
}

/* The part of the root; HB_NO: it is not there. */
static uint32_t root_part(const struct hb__assembly *a)
{
	for (uint32_t i = 0; i < a->n; i++)
		if (a->part[i].process == a->collective->root)
			return i;
	return HB_NO;
}

static hb_status rooted(const struct hb__assembly *a, bool gather, bool counts)
{
	uint32_t root = root_part(a);
	bool fits = true;
	for (uint32_t i = 0; root != HB_NO && fits && i < a->n; i++) {
		struct side mine = {i, gather ? "sends" : "receives", {0}};
		struct side at_root = {root, gather ? "receives" : "sends", {0}};
		uint32_t place = hb__place_of(a, a->part[i].process);
		bool there = gather ? sends(a, i, &mine.data) : receives(a, i, &mine.data);
		bool other = counts   ? element(a, root, gather ? "recvcounts" : "sendcounts",
                                              gather ? "recvtype" : "sendtype", place, &at_root.data)
			     : gather ? receives(a, root, &at_root.data)
				      : sends(a, root, &at_root.data);
		hb_status status = there && other ? match(a, &mine, &at_root, &fits) : HB_OK;
		if (status)
			return status;
	}
	return HB_OK;
}

static hb_status all_alike(const struct hb__assembly *a)
{
	struct side first = {0};
	bool fits = true, have = false;
	for (uint32_t i = 0; fits && i < a->n; i++) {
		struct side side[2] = {{i, "sends", {0}}, {i, "receives", {0}}};
		bool there[2] = {sends(a, i, &side[0].data), receives(a, i, &side[1].data)};
		for (int k = 0; fits && k < 2; k++) {
			if (!there[k])
				continue;
			if (!have) {
				first = side[k];
				have = true;
				continue;
			}
			hb_status status = match(a, &side[k], &first, &fits);
			if (status)
				return status;
		}
	}
	return HB_OK;
}

/* Who shares the arrays of another process needs no look of its own. */
static bool same_array(const struct hb__assembly *a, uint32_t i, uint32_t k, const char *counts)
{
	const struct hb__shape *x = hb__shape_of(a, i), *y = hb__shape_of(a, k);
	return hb__shape_argument(x, counts) == hb__shape_argument(y, counts);
}

static hb_status allgatherv(const struct hb__assembly *a)
{
	bool fits = true;
	for (uint32_t k = 0; fits && k < a->n; k++) {
		if (k && same_array(a, k, k - 1, "recvcounts"))
			continue;
		for (uint32_t i = 0; fits && i < a->n; i++) {
			struct side from = {i, "sends", {0}}, to = {k, "receives", {0}};
			uint32_t place = hb__place_of(a, a->part[i].process);
			if (!sends(a, i, &from.data) || !element(a, k, "recvcounts", "recvtype", place, &to.data))
				continue;
			hb_status status = match(a, &from, &to, &fits);
			if (status)
				return status;
		}
	}
	return HB_OK;
}

#define PAIRS_MAX (1u << 20) /* of one collective that are compared: beyond, processes with high places are left out */

static hb_status alltoallv(const struct hb__assembly *a, bool types)
{
	bool fits = true;
	uint32_t n = a->n;
	while ((uint64_t)n * n > PAIRS_MAX)
		n /= 2;
	for (uint32_t i = 0; fits && i < n; i++)
		for (uint32_t k = 0; fits && k < n; k++) {
			struct side from = {i, "sends", {0}}, to = {k, "receives", {0}};
			uint32_t mine = hb__place_of(a, a->part[i].process), its = hb__place_of(a, a->part[k].process);
			if (!element(a, i, "sendcounts", types ? "sendtypes" : "sendtype", its, &from.data) ||
				!element(a, k, "recvcounts", types ? "recvtypes" : "recvtype", mine, &to.data))
				continue;
			hb_status status = match(a, &from, &to, &fits);
			if (status)
				return status;
		}
	return HB_OK;
}

static hb_status equal_counts(const struct hb__assembly *a)
{
	for (uint32_t i = 1; i < a->n; i++) {
		int64_t x = hb__shape_argument(hb__shape_of(a, i), "recvcounts");
		int64_t y = hb__shape_argument(hb__shape_of(a, 0), "recvcounts");
		if (x == HB_ABSENT || y == HB_ABSENT || x == y)
			continue;
		char which[80];
		hb_point point[2];
		hb__part_point(a, i, &point[0]);
		hb__part_point(a, 0, &point[1]);
		return hb__finding(a->c, HB_COLLECTIVE_COUNT, false, "recvcounts has to be the same on all processes",
			point, 2, a->err, "%s: ranks %d and %d have different recvcounts: %s", point[0].function,
			hb__rank_of(a, i), hb__rank_of(a, 0), hb__which_collective(a, which));
	}
	return HB_OK;
}

static hb_status equal_shape(const struct hb__assembly *a)
{
	static const char *const names[] = {"ndims", "nnodes", "reorder"};
	for (uint32_t i = 1; i < a->n; i++)
		for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
			int64_t x = hb__shape_argument(hb__shape_of(a, i), names[k]);
			int64_t y = hb__shape_argument(hb__shape_of(a, 0), names[k]);
			if (x == y || x == HB_ABSENT || y == HB_ABSENT || (!strcmp(names[k], "reorder") && !x == !y))
				continue;
			char which[80];
			hb_point point[2];
			hb__part_point(a, i, &point[0]);
			hb__part_point(a, 0, &point[1]);
			return hb__finding(a->c, HB_COLLECTIVE_COUNT, false,
				"all processes have to pass the same values", point, 2, a->err,
				"%s: %s is %lld at rank %d and %lld at rank %d: %s", point[0].function, names[k],
				(long long)x, hb__rank_of(a, i), (long long)y, hb__rank_of(a, 0),
				hb__which_collective(a, which));
		}
	return HB_OK;
}

hb_status hb__collective_fit(const struct hb__assembly *a)
{
	if (a->group->remote_size || a->n < 1)
		return HB_OK;
	switch (fit_of(hb__shape_of(a, 0)->function->name)) {
	case FIT_SAME:
		return same(a, hb__shape_argument(hb__shape_of(a, 0), "count") != HB_ABSENT ? "count" : "recvcount");
	case FIT_GATHER:
		return rooted(a, true, false);
	case FIT_SCATTER:
		return rooted(a, false, false);
	case FIT_ALL:
		return all_alike(a);
	case FIT_GATHERV:
		return rooted(a, true, true);
	case FIT_SCATTERV:
		return rooted(a, false, true);
	case FIT_ALLGATHERV:
		return allgatherv(a);
	case FIT_ALLTOALLV:
		return alltoallv(a, false);
	case FIT_ALLTOALLW:
		return alltoallv(a, true);
	case FIT_COUNTS:
		return equal_counts(a);
	case FIT_SHAPE:
		return equal_shape(a);
	default:
		return HB_OK;
	}
}
