/* Elements of derived datatypes, by their type maps: the first bytes of one - a message may be shorter than what there is room for, and the
 * buffer no longer than the message - and all pieces of several. */
#include <stdlib.h>
#include <string.h>

#include "capture/core/memory/memory.h"
#include "capture/mpi/data/io.h"

static bool some(uint8_t *at, int64_t bytes, uint8_t *to, const uint8_t *from)
{
	if (to && !hb__readable(at, (size_t)bytes))
		return false;
	memcpy(to ? to : at, to ? at : from, (size_t)bytes);
	return true;
}

/* One of a pair of a value and an index (MPI_DOUBLE_INT and its like), between which, and behind which, may be holes. */
static bool some_of_pair(uint8_t *at, int64_t size, int64_t bytes, uint8_t *to, const uint8_t *from)
{
	int64_t value = size - (int64_t)sizeof(int), index = (value + 3) & ~INT64_C(3);
	int64_t first = bytes < value ? bytes : value, rest = bytes - first;
	return some(at, first, to, from) &&
	       (!rest || some(at + index, rest, to ? to + first : NULL, from ? from + first : NULL));
}

bool hb__part_by_map(const struct hb__typemap *map, uint8_t *at, int64_t bytes, uint8_t *to, const uint8_t *from)
{
	for (uint32_t i = 0; i < map->n && bytes > 0; i++) {
		const struct hb__typerun *run = &map->run[i];
		int64_t extent = hb__basic_extent(run->basic), size = hb__basic_size(run->basic), here;
		bool pairs = size != extent;
		for (int64_t k = 0; k < (pairs ? run->elements : 1) && bytes > 0; k++) {
			int64_t all = pairs ? size : size * run->elements;
			uint8_t *place = at + run->offset + k * extent;
			here = all < bytes ? all : bytes;
			if (!(pairs ? some_of_pair(place, size, here, to, from) : some(place, here, to, from)))
				return false;
			to = to ? to + here : NULL;
			from = from ? from + here : NULL;
			bytes -= here;
		}
	}
	return bytes <= 0;
}

/* ---- pieces ---- */

static void each_of_map(const struct hb__place *p, const struct hb__typemap *map, int64_t elements,
	void (*each)(const void *p, size_t bytes))
{
	for (int64_t i = 0; i < elements; i++) {
		const uint8_t *at = p->at + i * map->extent;
		if (!map->exact)
			each(at + map->true_lb, (size_t)map->true_extent);
		for (uint32_t k = 0; map->exact && k < map->n; k++)
			each(at + map->run[k].offset,
				(size_t)(hb__basic_extent(map->run[k].basic) * map->run[k].elements));
	}
}

void hb__places_each(const struct hb__places *places, int64_t bytes, void (*each)(const void *p, size_t bytes))
{
	for (unsigned i = 0; i < places->n && bytes > 0; i++) {
		const struct hb__place *p = places->place ? &places->place[i] : &places->one;
		int64_t here = p->count * p->unit < bytes ? p->count * p->unit : bytes;
		bytes -= here;
		if (!p->holes && here)
			each(p->at, (size_t)here);
		struct hb__typemap *map = p->holes && here ? hb__typemap_of_copy(p->type) : NULL;
		if (map)
			each_of_map(p, map, (here + p->unit - 1) / p->unit, each);
		free(map);
	}
}
