/* The processes of a group that a call is given, by their ranks in the world: the same under both libraries. */
#include <string.h>

#include "capture/mpi/family/family.h"
#include "capture/core/data/data.h"
#include "capture/core/record/record.h"
#include "capture/mpi/track/track.h"

#define PART 64

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int64_t ranks[HB__ARRAY_MAX];

/* Without other processes groups are stand-ins, by their handles. */
struct stand_in {
	int64_t n;
	int64_t rank[];
};
static struct hb__map stand_ins;

MPI_Group hb__group_stand_in(const int64_t *rank, int64_t n)
{
	MPI_Group all, made = hb__known.group_empty;
	const int zero = 0;
	if (!n || PMPI(Comm_group)(hb__known.comm_self, &all) != MPI_SUCCESS)
		return made;
	PMPI(Group_incl)(all, 1, &zero, &made);
	PMPI(Group_free)(&all);
	pthread_mutex_lock(&lock);
	struct stand_in *s = hb__pool(sizeof *s + (size_t)n * sizeof *rank);
	if (s) {
		s->n = n;
		memcpy(s->rank, rank, (size_t)n * sizeof *rank);
		hb__map_put(&stand_ins, (uintptr_t)made, s); /* the handle may have been another one's */
	}
	pthread_mutex_unlock(&lock);
	return made;
}

static int size_of(uintptr_t group)
{
	int n = 0;
	const struct stand_in *s = unlikely(hb__alone) ? hb__map_find(&stand_ins, group) : NULL;
	if (unlikely(s != NULL))
		return (int)s->n;
	bool some = hb__handle_plausible(HB_HANDLE_GROUP, group) && (MPI_Group)group != hb__known.group_null;
	return some && PMPI(Group_size)((MPI_Group)group, &n) == MPI_SUCCESS ? n : -1;
}

/* Ranks from .. from + n - 1 of the group in the world; -1: not in it. */
static bool translate(uintptr_t group, int from, int n, int64_t *ret)
{
	int rank[PART], there[PART];
	const struct stand_in *s = unlikely(hb__alone) ? hb__map_find(&stand_ins, group) : NULL;
	if (unlikely(s != NULL)) {
		memcpy(ret, s->rank + from, (size_t)n * sizeof *ret);
		return true;
	}
	for (int i = 0; i < n; i++)
		rank[i] = from + i;
	if (PMPI(Group_translate_ranks)((MPI_Group)group, n, rank, hb__world_group, there) != MPI_SUCCESS)
		return false;
	for (int i = 0; i < n; i++)
		ret[i] = there[i] == MPI_UNDEFINED ? -1 : there[i];
	return true;
}

/* The first ranks, as many as `most`; returns how many there are, -1: not known. */
static int world_ranks(uintptr_t group, int64_t *ret, int most)
{
	int n = size_of(group), m = n < most ? n : most;
	for (int from = 0; from < m; from += PART)
		if (!translate(group, from, m - from < PART ? m - from : PART, ret + from))
			return -1;
	return n;
}

const int64_t *hb__group_members(uintptr_t group, struct hb__lane *lane, int64_t *ret_n)
{
	pthread_mutex_lock(&lock);
	int n = size_of(group);
	int64_t *ret = n > 0 ? hb__scratch(lane, (size_t)n * sizeof *ret) : NULL;
	if (ret && world_ranks(group, ret, n) != n)
		ret = NULL;
	pthread_mutex_unlock(&lock);
	*ret_n = ret ? n : 0;
	return ret;
}

uint64_t hb__group_digest(uintptr_t group)
{
	pthread_mutex_lock(&lock);
	int n = world_ranks(group, ranks, HB__ARRAY_MAX);
	uint64_t h = (uint64_t)n + UINT64_C(0x9e3779b97f4a7c15); /* groups {1} and {0, 1} differ */
	for (int i = 0; i < n && i < HB__ARRAY_MAX; i++) {
		h = (h ^ (uint64_t)ranks[i]) * UINT64_C(0xbf58476d1ce4e5b9);
		h ^= h >> 29;
	}
	pthread_mutex_unlock(&lock);
	return n < 0 ? 1 : n ? h >> 32 | 2 : 0;
}

void hb__group_tell(uintptr_t group, uint64_t digest)
{
	pthread_mutex_lock(&lock);
	int n = digest > 1 ? world_ranks(group, ranks, HB__ARRAY_MAX) : 0;
	if (n > 0 && n <= HB__ARRAY_MAX)
		hb__define_array(digest, ranks, n);
	pthread_mutex_unlock(&lock);
}

bool hb__window_world_ranks(uintptr_t win, int *rank, int n)
{
	MPI_Group group;
	int there[PART];
	bool good = !hb__alone && PMPI(Win_get_group)((MPI_Win)win, &group) == MPI_SUCCESS;
	if (!good)
		return false;
	pthread_mutex_lock(&lock);
	for (int from = 0; good && from < n; from += PART) {
		int part = n - from < PART ? n - from : PART;
		good = PMPI(Group_translate_ranks)(group, part, rank + from, hb__world_group, there) == MPI_SUCCESS;
		for (int i = 0; i < part; i++)
			rank[from + i] = there[i] == MPI_UNDEFINED ? -1 : there[i];
	}
	pthread_mutex_unlock(&lock);
	PMPI(Group_free)(&group);
	return good;
}
