/* Counts, ranks, roots and tags. */
#include "capture/mpi/check/arguments/look.h"

/* ---- counts ---- */

/* Arrays of counts whose elements may be anything, and numbers that look like counts. */
static bool signed_number(const struct hb__look *l, unsigned i)
{
	return hb__named(l, i, "stride") || hb__named(l, i, "array_of_displacements") ||
	       !strncmp(hb__name(l, i), "array_of_s", 10) || hb__named(l, i, "array_of_gsizes");
}

static void negative(struct hb__look *l, unsigned i, int place, int64_t value)
{
	hb__fault_number(l, HB_REMARK_ARG_COUNT, i, place, value, "%s cannot be negative",
		strstr(hb__name(l, i), "length") ? "the length of a block"
		: hb__named(l, i, "size")        ? "a size"
						 : "a count");
}

static void counts(struct hb__look *l, unsigned i, int64_t n)
{
	if (!l->c->a[i])
		return;
	for (int64_t k = 0; k < n; k++)
		if (hb__element(l, i, k) < 0) {
			negative(l, i, (int)k, hb__element(l, i, k));
			return;
		}
}

static bool is_count(const struct hb__look *l, unsigned i)
{
	switch (hb__kind(l, i)) {
	case HB_P_COUNT:
	case HB_P_ICOUNT:
	case HB_P_CNT:
		return !signed_number(l, i);
	case HB_P_INT:
		return hb__named(l, i, "blocklength");
	case HB_P_SIZE:
		return hb__named(l, i, "partitions");
	case HB_P_AINT:
		return hb__named(l, i, "size");
	default:
		return false;
	}
}

void hb__look_counts(struct hb__look *l)
{
	bool collective = l->fn->cls == HB_COLLECTIVE;
	int count = hb__find_param(l, "count");
	for (unsigned i = 0; i < l->fn->nargs; i++) {
		if (is_count(l, i)) {
			if (hb__value(l, i) < 0 && hb__significant(l->c, i, l->comm))
				negative(l, i, -1, hb__value(l, i));
		} else if (hb__kind(l, i) == HB_P_COUNTS && !signed_number(l, i)) {
			if (collective && hb__significant(l->c, i, l->comm))
				counts(l, i, hb__length(l, i));
			else if (!collective && count >= 0)
				counts(l, i, hb__value(l, (unsigned)count));
		} else if (!collective && count >= 0 && hb__named(l, i, "array_of_blocklengths")) {
			counts(l, i, hb__value(l, (unsigned)count));
		}
	}
}

/* ---- ranks ---- */

static const char *comm_text(const struct hb__comm *comm, char *ret, size_t size)
{
	if (comm->number == 0)
		snprintf(ret, size, "MPI_COMM_WORLD");
	else if (comm->number == 1)
		snprintf(ret, size, "MPI_COMM_SELF");
	else
		snprintf(ret, size, "communicator %d", comm->number);
	return ret;
}

static void outside(struct hb__look *l, enum hb_remark_word word, unsigned i, int rank, int size)
{
	char whole[48] = "the window", number[24];
	if (l->comm)
		comm_text(l->comm, whole, sizeof whole);
	snprintf(number, sizeof number, "%d", rank);
	const char *value = rank == MPI_ANY_SOURCE  ? "MPI_ANY_SOURCE"
			    : rank == MPI_PROC_NULL ? "MPI_PROC_NULL"
			    : rank == MPI_ROOT      ? "MPI_ROOT"
						    : number;
	const char *side = l->comm && l->comm->inter ? "the other side of " : "";
	if (size == 1)
		hb__fault(l, word, i, -1, value, "%s%s has only rank 0", side, whole);
	else
		hb__fault(l, word, i, -1, value, "%s%s has ranks 0 to %d", side, whole, size - 1);
}

static void root(struct hb__look *l, unsigned i)
{
	int rank = (int)l->c->a[i];
	if (!l->comm)
		return;
	if (l->comm->inter && (rank == MPI_ROOT || rank == MPI_PROC_NULL))
		return;
	int size = l->comm->inter ? l->comm->remote_size : l->comm->size;
	if (rank >= 0 && rank < size)
		return;
	outside(l, HB_REMARK_ARG_ROOT, i, rank, size);
	l->lost = true;
}

/* A partitioned receive takes no wildcard. */
static bool takes_any(const struct hb__look *l, unsigned i)
{
	return hb__kind(l, i) == HB_P_SOURCE && l->fn->means->does != HB_DOES_PARTITIONED;
}

static void peer(struct hb__look *l, unsigned i)
{
	int rank = (int)l->c->a[i];
	if (rank == MPI_PROC_NULL || (rank == MPI_ANY_SOURCE && takes_any(l, i)))
		return;
	int size = l->comm ? (l->comm->inter ? l->comm->remote_size : l->comm->size) : 0;
	if (!l->comm && hb__has(l->c, HB_R_WIN))
		size = hb__window_size(l);
	if (size && (rank < 0 || rank >= size))
		outside(l, HB_REMARK_ARG_RANK, i, rank, size);
}

/* ---- tags ---- */

static int tag_limit(void)
{
	static int limit;
	int *value, flag;
	if (!limit) {
		limit = INT32_MAX;
		if (PMPI(Comm_get_attr)(hb__known.comm_world, MPI_TAG_UB, &value, &flag) == MPI_SUCCESS && flag)
			limit = *value;
	}
	return limit;
}

static void tag(struct hb__look *l, unsigned i)
{
	int value = (int)l->c->a[i], with = -1;
	for (unsigned k = 0; k < i; k++)
		if (hb__kind(l, k) == HB_P_DEST || hb__kind(l, k) == HB_P_SOURCE)
			with = (int)k;
	bool receives = with >= 0 && takes_any(l, (unsigned)with);
	if (value == MPI_ANY_TAG && receives)
		return;
	if (value == MPI_ANY_TAG)
		hb__fault(l, HB_REMARK_ARG_TAG, i, -1, "MPI_ANY_TAG", "only a receive or a probe can take any tag");
	else if (value < 0)
		hb__fault_number(l, HB_REMARK_ARG_TAG, i, -1, value, "a tag cannot be negative");
	else if (value > tag_limit())
		hb__fault_number(
			l, HB_REMARK_ARG_TAG, i, -1, value, "the greatest tag here (MPI_TAG_UB) is %d", tag_limit());
}

void hb__look_ranks(struct hb__look *l)
{
	if (l->lost)
		return;
	for (unsigned i = 0; i < l->fn->nargs; i++)
		switch (hb__kind(l, i)) {
		case HB_P_ROOT:
			root(l, i);
			break;
		case HB_P_DEST:
		case HB_P_SOURCE:
			peer(l, i);
			break;
		case HB_P_TAG:
			tag(l, i);
			break;
		default:
			break;
		}
}
