/* Parts of an array, of processes in a grid, put together: each says how much it owns, and where it is in the grid. */
#include <string.h>

#include "capture/accesses/told/told.h"

static const struct hb__spread_said *of_key(const struct hb__spread_saying *s, uint64_t key)
{
	for (uint64_t i = 0; i < s->n && i < HB__SPREAD_SAID; i++)
		if (s->said[i].key == key)
			return &s->said[i];
	return NULL;
}

/* What those at one place of a dimension own, all of them alike; -1: not alike, or there is none. */
static int64_t owned_at(
	const struct hb__spread_saying *saying, uint32_t processes, uint64_t key, unsigned d, int64_t place)
{
	int64_t own = -1;
	for (uint32_t i = 0; i < processes; i++) {
		const struct hb__spread_said *s = of_key(&saying[i], key);
		if (!s || s->place[d] != place)
			continue;
		if (own >= 0 && s->own[d] != own)
			return -1;
		own = s->own[d];
	}
	return own;
}

/* All have said it, and cut it alike; *ret_last: the last place in each dimension. */
static bool all_have(const struct hb__spread_saying *saying, uint32_t processes, const struct hb__spread_said *mine,
	int64_t *ret_last)
{
	uint32_t n = 0;
	memset(ret_last, 0, HB__SPREAD_DIMENSIONS * sizeof *ret_last);
	for (uint32_t i = 0; i < processes; i++) {
		const struct hb__spread_said *s = of_key(&saying[i], mine->key);
		if (!s)
			continue;
		if (s->rank != mine->rank || s->members != mine->members ||
			memcmp(s->along, mine->along, sizeof s->along))
			return false;
		for (unsigned d = 0; d < mine->rank; d++)
			ret_last[d] = s->place[d] > ret_last[d] ? s->place[d] : ret_last[d];
		n++;
	}
	return n == mine->members;
}

bool hb__whole_of(const struct hb__spread_saying *saying, uint32_t processes, const struct hb__spread_said *mine,
	int64_t *ret_global, int64_t *ret_first)
{
	int64_t last[HB__SPREAD_DIMENSIONS];
	if (!all_have(saying, processes, mine, last))
		return false;
	for (unsigned d = 0; d < mine->rank; d++) {
		ret_global[d] = 0;
		for (int64_t place = 0; place <= last[d]; place++) {
			int64_t own = owned_at(saying, processes, mine->key, d, place);
			if (own < 0)
				return false;
			if (place == mine->place[d])
				ret_first[d] = ret_global[d];
			ret_global[d] += own;
		}
	}
	return true;
}
