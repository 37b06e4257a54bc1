/* Neutral numbers. Handles are numbered in the order in which they come, and when threads make them that order is chance: then
 * the recording says where each came from - which thread made it, and as which - and a replay gives it the number that the
 * recording has for this origin. */
#include "capture/core/record/record.h"
#include "capture/core/record/tables.h"

#define USER_OP 64

static struct {
	int next;
	int first, past; /* replay: numbers in between belong to the origins of the recording; past 0: none does */
} numbers[HB__NUMBERED] = {[HB__TYPES] = {.next = HB__DERIVED}, [HB__OPS] = {.next = USER_OP}};
static struct hb__map recorded; /* replay: origin -> 1 + number */

static uint64_t key_of(unsigned kind, uint64_t lane, uint64_t nth)
{
	return (uint64_t)(kind + 1) << 56 | (lane & 0xffff) << 40 | (nth & 0xffffffffff);
}

static struct hb__origin next_origin(enum hb__numbered kind, bool made)
{
	struct hb__lane *lane = hb__self;
	if (!lane)
		return (struct hb__origin){0, 0};
	uint32_t n = made ? ++lane->made[kind] : ++lane->found[kind];
	return (struct hb__origin){lane->number, 2 * (uint64_t)n + !made};
}

struct hb__origin hb__origin_made(enum hb__numbered kind) { return next_origin(kind, true); }

int hb__number(enum hb__numbered kind, struct hb__origin from)
{
	bool tell =
		hb__many_threads && !hb__config.order; /* before there are threads their order is that of the program */
	if (!tell)
		return hb__number_free(kind);
	if (!from.nth) /* made by a call that was not seen: known by the thread that uses it first */
		from = next_origin(kind, false);
	int number = (int)(uintptr_t)hb__map_find(&recorded, key_of(kind, from.lane, from.nth)) - 1;
	if (number < 0)
		number = hb__number_free(kind);
	hb__define_origin(kind, number, from);
	return number;
}

int hb__number_free(enum hb__numbered kind)
{
	if (numbers[kind].past && numbers[kind].next == numbers[kind].first)
		numbers[kind].next = numbers[kind].past;
	return numbers[kind].next++;
}

void hb__number_recorded(uint64_t number, uint64_t kind, uint64_t lane, uint64_t nth)
{
	if (kind >= HB__NUMBERED || number > INT32_MAX - 1)
		return;
	int n = (int)number;
	numbers[kind].first = !numbers[kind].past || n < numbers[kind].first ? n : numbers[kind].first;
	numbers[kind].past = n >= numbers[kind].past ? n + 1 : numbers[kind].past;
	hb__map_put(&recorded, key_of((unsigned)kind, lane, nth), (void *)(uintptr_t)(n + 1));
}
