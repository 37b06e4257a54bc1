/* Counts and types of one collective: what one process sends has to be what the other one receives. Each
 * collective's section in MPI 4.0, chapter 6, says what has to be equal. */
#include <stdio.h>
#include <string.h>

#include "rules/collectives/parts.h"
#include "rules/signature.h"

/* ---- what a part sends or receives ---- */

static bool data(const struct hb__assembly *a, uint32_t part, const char *count, const char *type, hb_data *ret)
{
	const struct hb__call_shape *s = hb__call_shape_of(a, part);
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
	const struct hb__call_shape *s = hb__call_shape_of(a, part);
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

bool hb__end_data(const struct hb__assembly *a, uint32_t part, bool sends_it, uint32_t place, hb_data *ret)
{
	const char *counts = sends_it ? "sendcounts" : "recvcounts";
	if (sends_it ? sends(a, part, ret) : receives(a, part, ret))
		return true;
	return element(a, part, counts, sends_it ? "sendtype" : "recvtype", place, ret) ||
	       element(a, part, counts, sends_it ? "sendtypes" : "recvtypes", place, ret);
}

/* ---- telling ---- */

static const char *advice_of(bool type)
{
	return type ? "Give datatypes that consist of the same basic datatypes."
		    : "Give counts and datatypes that describe the same amount of data.";
}

static hb_status tell(
	const struct hb__assembly *a, hb_data_relation relation, const struct hb__end *x, const struct hb__end *y)
{
	char which[160], one[120], other[120];
	hb_point point[2];
	hb__part_point(a, x->part, &point[0]);
	hb__part_point(a, y->part, &point[1]);
	hb__data_text(&x->data, one, sizeof one);
	hb__data_text(&y->data, other, sizeof other);
	snprintf(point[0].role, sizeof point[0].role, "%s %s", x->does, one);
	snprintf(point[1].role, sizeof point[1].role, "%s %s", y->does, other);
	bool type = relation == HB_DATA_DIFFERENT;
	return hb__finding(a->c, type ? HB_COLLECTIVE_TYPE : HB_COLLECTIVE_COUNT, false, advice_of(type), point,
		x->part == y->part ? 1 : 2, a->err, "%s: rank %s %s %s, rank %s %s %s: %s", point[0].function,
		hb__part_name(a, x->part), x->does, one, hb__part_name(a, y->part), y->does, other,
		hb__which_collective(a, which));
}

hb_status hb__ends_match(const struct hb__assembly *a, const struct hb__end *x, const struct hb__end *y, bool *ret_fits)
{
	hb_data_relation relation = hb__data_compare(&x->data, &y->data);
	if (relation == HB_DATA_SAME || relation == HB_DATA_UNKNOWN)
		return HB_OK;
	*ret_fits = false;
	return tell(a, relation, x, y);
}

/* ---- each kind ---- */

struct like_user {
	const char *count;
};

static bool say_data(const struct hb__assembly *a, uint32_t part, const void *user, char *ret, size_t size)
{
	const struct like_user *u = user;
	hb_data d;
	if (!data(a, part, u->count, "datatype", &d))
		return false;
	hb__data_text(&d, ret, size);
	return true;
}

/* When the words differ, too, all processes are told of; else the two that differ. */
static hb_status tell_all(const struct hb__assembly *a, const char *count, hb_data_relation relation,
	const struct hb__end *x, const struct hb__end *y)
{
	char one[160] = "", other[160] = "", before[80];
	struct like_user user = {count};
	say_data(a, x->part, &user, one, sizeof one);
	say_data(a, y->part, &user, other, sizeof other);
	if (!strcmp(one, other))
		return tell(a, relation, x, y);
	bool type = relation == HB_DATA_DIFFERENT;
	snprintf(before, sizeof before, "%.60s: ", hb__call_shape_of(a, 0)->function->name);
	return hb__tell_camps(a, &(struct hb__camps){type ? HB_COLLECTIVE_TYPE : HB_COLLECTIVE_COUNT, before, "has",
					 "have", advice_of(type), say_data, &user});
}

/* Of Reduce_scatter_block on an intercommunicator only the processes of one group. */
static hb_status same(const struct hb__assembly *a, const char *count, bool by_side, bool *ret_fits)
{
	struct hb__end first[2] = {{HB_NO, "has", {0}}, {HB_NO, "has", {0}}};
	for (uint32_t i = 0; *ret_fits && i < a->n; i++) {
		struct hb__end other = {i, "has", {0}}, *like = &first[by_side && hb__call_shape_of(a, i)->remote];
		if (!data(a, i, count, "datatype", &other.data))
			continue;
		if (like->part == HB_NO) {
			*like = other;
			continue;
		}
		hb_data_relation relation = hb__data_compare(&other.data, &like->data);
		if (relation == HB_DATA_SAME || relation == HB_DATA_UNKNOWN)
			continue;
		*ret_fits = false;
		return tell_all(a, count, relation, &other, like);
	}
	return HB_OK;
}

/* The part of the root; HB_NO: it is not there. */
static uint32_t root_part(const struct hb__assembly *a)
{
	for (uint32_t i = 0; a->group->remote_size && i < a->n; i++)
		if (hb__shape_argument(hb__call_shape_of(a, i), "root") == HB_ROOT)
			return i;
	return a->group->remote_size ? HB_NO
				     : hb__part_of_rank(a, 0, hb__shape_argument(hb__call_shape_of(a, 0), "root"));
}

static hb_status rooted(const struct hb__assembly *a, bool gather, bool counts, bool *ret_fits)
{
	uint32_t root = root_part(a);
	for (uint32_t i = 0; root != HB_NO && *ret_fits && i < a->n; i++) {
		struct hb__end mine = {i, gather ? "sends" : "receives", {0}};
		struct hb__end at_root = {root, gather ? "receives" : "sends", {0}};
		if (a->group->remote_size && hb__same_side(a, i, root))
			continue;
		bool there = gather ? sends(a, i, &mine.data) : receives(a, i, &mine.data);
		bool other = counts   ? element(a, root, gather ? "recvcounts" : "sendcounts",
                                              gather ? "recvtype" : "sendtype", hb__place_of(a, i), &at_root.data)
			     : gather ? receives(a, root, &at_root.data)
				      : sends(a, root, &at_root.data);
		hb_status status = there && other ? hb__ends_match(a, &mine, &at_root, ret_fits) : HB_OK;
		if (status)
			return status;
	}
	return HB_OK;
}

/* `from`: the group whose sends are compared with the other's receives; of an intracommunicator all with all. */
static hb_status all_alike(const struct hb__assembly *a, bool from, bool *ret_fits)
{
	struct hb__end first = {.part = HB_NO};
	bool inter = a->group->remote_size;
	for (uint32_t i = 0; *ret_fits && i < a->n; i++) {
		struct hb__end side[2] = {{i, "sends", {0}}, {i, "receives", {0}}};
		bool of_senders = hb__call_shape_of(a, i)->remote == from;
		bool there[2] = {(!inter || of_senders) && sends(a, i, &side[0].data),
			(!inter || !of_senders) && receives(a, i, &side[1].data)};
		for (int k = 0; *ret_fits && k < 2; k++) {
			if (!there[k])
				continue;
			if (first.part == HB_NO) {
				first = side[k];
				continue;
			}
			hb_status status = hb__ends_match(a, &side[k], &first, ret_fits);
			if (status)
				return status;
		}
	}
	return HB_OK;
}

/* Who shares the arrays of another process needs no look of its own. */
static bool same_array(const struct hb__assembly *a, uint32_t i, uint32_t k, const char *counts)
{
	const struct hb__call_shape *x = hb__call_shape_of(a, i), *y = hb__call_shape_of(a, k);
	return x->remote == y->remote && hb__shape_argument(x, counts) == hb__shape_argument(y, counts);
}

/* With MPI_IN_PLACE a process contributes what it has for itself among what it receives. */
static bool contributes(const struct hb__assembly *a, uint32_t i, hb_data *ret)
{
	return sends(a, i, ret) || (hb__shape_argument(hb__call_shape_of(a, i), "sendtype") == HB_ABSENT &&
					   element(a, i, "recvcounts", "recvtype", hb__place_of(a, i), ret));
}

static hb_status allgatherv(const struct hb__assembly *a, bool *ret_fits)
{
	for (uint32_t k = 0; *ret_fits && k < a->n; k++) {
		if (k && same_array(a, k, k - 1, "recvcounts"))
			continue;
		for (uint32_t i = 0; *ret_fits && i < a->n; i++) {
			struct hb__end from = {i, "sends", {0}}, to = {k, "receives", {0}};
			if (a->group->remote_size && hb__same_side(a, i, k))
				continue;
			if (!contributes(a, i, &from.data) ||
				!element(a, k, "recvcounts", "recvtype", hb__place_of(a, i), &to.data))
				continue;
			hb_status status = hb__ends_match(a, &from, &to, ret_fits);
			if (status)
				return status;
		}
	}
	return HB_OK;
}

#define PAIRS_MAX (1u << 20) /* of one collective that are compared: beyond, processes with high places are left out */

/* What goes to a place: with MPI_IN_PLACE as much as comes from there. */
static bool outgoing(const struct hb__assembly *a, uint32_t i, bool types, uint32_t place, hb_data *ret)
{
	const char *type = types ? "sendtypes" : "sendtype";
	if (hb__shape_argument(hb__call_shape_of(a, i), type) == HB_ABSENT)
		return element(a, i, "recvcounts", types ? "recvtypes" : "recvtype", place, ret);
	return element(a, i, "sendcounts", type, place, ret);
}

static hb_status alltoallv(const struct hb__assembly *a, bool types, bool *ret_fits)
{
	uint32_t n = a->n;
	while ((uint64_t)n * n > PAIRS_MAX)
		n /= 2;
	for (uint32_t i = 0; *ret_fits && i < n; i++)
		for (uint32_t k = 0; *ret_fits && k < n; k++) {
			struct hb__end from = {i, "sends", {0}}, to = {k, "receives", {0}};
			if (a->group->remote_size && hb__same_side(a, i, k))
				continue;
			if (!outgoing(a, i, types, hb__place_of(a, k), &from.data) ||
				!element(a, k, "recvcounts", types ? "recvtypes" : "recvtype", hb__place_of(a, i),
					&to.data))
				continue;
			hb_status status = hb__ends_match(a, &from, &to, ret_fits);
			if (status)
				return status;
		}
	return HB_OK;
}

/* The first of them, and where there are more the digest of all. */
static bool say_counts(const struct hb__assembly *a, uint32_t part, const void *user, char *ret, size_t size)
{
	(void)user;
	int64_t digest = hb__shape_argument(hb__call_shape_of(a, part), "recvcounts");
	if (digest == HB_ABSENT)
		return false;
	uint32_t n = 0;
	const int64_t *count = digest ? hb_log_array(hb__log_of(a, part), (uint64_t)digest, &n) : NULL;
	size_t used = (size_t)snprintf(ret, size, "recvcounts = ");
	for (uint32_t i = 0; count && i < n && i < 10 && used + 40 < size; i++)
		used += (size_t)snprintf(ret + used, size - used, i ? ", %lld" : "%lld", (long long)count[i]);
	if (!count || n > 10)
		snprintf(ret + used, size - used, "%s~%llx", count ? ", ... " : "", (unsigned long long)digest);
	return true;
}

/* The same array everywhere; of an intercommunicator in each group. */
static hb_status equal_counts(const struct hb__assembly *a, bool *ret_fits)
{
	int64_t first[2] = {HB_ABSENT, HB_ABSENT};
	for (uint32_t i = 0; i < a->n; i++) {
		const struct hb__call_shape *s = hb__call_shape_of(a, i);
		int64_t counts = hb__shape_argument(s, "recvcounts");
		if (first[s->remote] == HB_ABSENT)
			first[s->remote] = counts;
		*ret_fits &= counts == HB_ABSENT || counts == first[s->remote];
	}
	if (*ret_fits)
		return HB_OK;
	char before[80];
	snprintf(before, sizeof before, "%.60s: ", hb__call_shape_of(a, 0)->function->name);
	return hb__tell_camps(a, &(struct hb__camps){HB_COLLECTIVE_COUNT, before, "has", "have",
					 "Give the same recvcounts on all processes.", say_counts, NULL});
}

/* ---- all of them ---- */

static hb_status all_to_all(const struct hb__assembly *a, bool *ret_fits)
{
	hb_status status = all_alike(a, false, ret_fits);
	if (!status && *ret_fits && a->group->remote_size)
		status = all_alike(a, true, ret_fits);
	return status;
}

static hb_status reduced(const struct hb__assembly *a, bool *ret_fits)
{
	const struct hb__call_shape *s = hb__call_shape_of(a, 0);
	for (uint32_t i = 0; i < s->function->nargs; i++)
		if (!strcmp(s->function->arg_name[i], "recvcount"))
			return same(a, "recvcount", true, ret_fits);
	return same(a, "count", false, ret_fits);
}

hb_status hb__collective_fit(const struct hb__assembly *a, bool *ret_fits)
{
	switch ((enum hb_fit)hb__call_shape_of(a, 0)->means->fit) {
	case HB_FIT_SAME:
		return reduced(a, ret_fits);
	case HB_FIT_GATHER:
		return rooted(a, true, false, ret_fits);
	case HB_FIT_SCATTER:
		return rooted(a, false, false, ret_fits);
	case HB_FIT_ALL:
		return all_to_all(a, ret_fits);
	case HB_FIT_GATHERV:
		return rooted(a, true, true, ret_fits);
	case HB_FIT_SCATTERV:
		return rooted(a, false, true, ret_fits);
	case HB_FIT_ALLGATHERV:
		return allgatherv(a, ret_fits);
	case HB_FIT_ALLTOALLV:
		return alltoallv(a, false, ret_fits);
	case HB_FIT_ALLTOALLW:
		return alltoallv(a, true, ret_fits);
	case HB_FIT_COUNTS:
		return equal_counts(a, ret_fits);
	case HB_FIT_NEIGHBORS:
		return hb__neighbors_fit(a, ret_fits);
	default:
		return HB_OK;
	}
}
