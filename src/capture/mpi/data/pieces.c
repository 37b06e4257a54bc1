/* Contents as pieces of memory, one behind the other without holes. */
#include <stdlib.h>

#include "capture/mpi/data/io.h"

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
