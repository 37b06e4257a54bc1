/* Which events race, and some of what each could have got instead. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "view/layout/parts.h"

struct taking {
	hb_layout *l;
	uint32_t each; /* numbers of a race */
	bool no_memory;
};

static bool keep_race(void *user, const hb_race *race)
{
	struct taking *k = user;
	hb_at at = race->done.event ? race->done : race->post;
	struct hb__track *t = &k->l->track[at.line];
	if (!hb_grow((void **)&t->race, &t->race_room, t->races + 1, k->each * sizeof *t->race)) {
		k->no_memory = true;
		return false;
	}
	uint32_t *to = t->race + t->races++ * k->each;
	*to = at.event;
	for (uint32_t i = 0; i < k->l->alternatives; i++)
		to[1 + i] = i < race->nalternatives ? race->alternative[i].send : HB_NO;
	t->mark[at.event - 1] |= HB_BOX_RACES << HB__MARK_SHIFT;
	return true;
}

static int by_event(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

/* Races come in the order of posting; an event may have completed several. */
static void sort(struct hb__track *t, uint32_t each)
{
	bool sorted = true;
	for (size_t i = 1; i < t->races; i++)
		sorted = sorted && t->race[(i - 1) * each] <= t->race[i * each];
	if (!sorted)
		qsort(t->race, t->races, each * sizeof *t->race, by_event);
	if (t->races) { /* most of the room is for what did not come */
		uint32_t *less = realloc(t->race, t->races * each * sizeof *t->race);
		t->race = less ? less : t->race;
	}
}

/* Calls that may race: more than do, so that room is there for all. */
static uint64_t candidates(const hb_layout *l)
{
	const hb_spec *spec = hb_model_specs(l->model);
	const hb_receive *receive = hb_model_receives(l->model);
	const hb_probe *probe = hb_model_probes(l->model);
	uint64_t n = l->info->chosen;
	for (uint32_t i = 0; i < l->info->receives; i++)
		n += spec[receive[i].spec].any_source && receive[i].send != HB_NO;
	for (uint32_t i = 0; i < l->info->probes; i++)
		n += spec[probe[i].spec].any_source && probe[i].send != HB_NO;
	return n;
}

hb_status hb__races_build(hb_layout *l, hb_progress *progress, void *user, hb_error *err)
{
	hb_race_sum sum = {0};
	uint64_t most = candidates(l);
	if (!most)
		return HB_OK;
	uint64_t room = l->info->events / 4 / most; /* a byte of an event */
	l->alternatives = room < 1 ? 1 : room > HB_RACE_FEW ? HB_RACE_FEW : (uint32_t)room;
	struct taking k = {l, 1 + l->alternatives, false};
	hb_status status = hb_races(l->model, HB_RACES_FEW, keep_race, &k, &sum, progress, user, err);
	if (k.no_memory)
		return hb__layout_fail(err, HB_E_MEMORY, "out of memory");
	for (uint32_t i = 0; i < l->info->lines; i++)
		sort(&l->track[i], k.each);
	return status;
}

const uint32_t *hb__race_of(const hb_layout *l, hb_at at)
{
	const struct hb__track *t = &l->track[at.line];
	size_t low = 0, high = t->races, each = 1 + l->alternatives;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (t->race[mid * each] < at.event)
			low = mid + 1;
		else
			high = mid;
	}
	return low < t->races && t->race[low * each] == at.event ? &t->race[low * each + 1] : NULL;
}
