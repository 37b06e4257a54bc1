/* Tables of what is alive, and the numbers that it has in the recording. */
#ifndef HBDB_CAPTURE_CORE_TABLES_H
#define HBDB_CAPTURE_CORE_TABLES_H

#include "capture/core/core.h"

#pragma GCC visibility push(hidden)

/* ---- pool.c: a handle -> a pointer, for the tables that are not on the fast path ---- */
struct hb__map {
	uint64_t *key;
	void **value;
	uint32_t size, used; /* size: a power of two */
};
void *hb__map_find(const struct hb__map *map, uint64_t key);
bool hb__map_put(struct hb__map *map, uint64_t key, void *value);
/* Puts it there; what was there before, NULL: nothing. */
void *hb__map_swap(struct hb__map *map, uint64_t key, void *value);
void hb__map_remove(struct hb__map *map, uint64_t key);
void hb__map_remove_if(struct hb__map *map, uint64_t key, const void *value); /* while that is there */
/* Zeroed memory that is kept for ever; under the lock. NULL when there is none. */
void *hb__pool(size_t bytes);
/* One lock for the tables of handles, taken only when threads may call at once. */
extern pthread_mutex_t hb__track_mutex;
static inline void hb__track_lock(void)
{
	if (unlikely(hb__threaded))
		pthread_mutex_lock(&hb__track_mutex);
}
static inline void hb__track_unlock(void)
{
	if (unlikely(hb__threaded))
		pthread_mutex_unlock(&hb__track_mutex);
}

/* ---- numbers.c: the number of a handle in the recording ---- */
enum hb__numbered { HB__COMMS, HB__TYPES, HB__OPS, HB__WINS, HB__FILES, HB__NUMBERED };
#define HB__DERIVED 1024 /* the first number of a datatype that is not predefined */
/* Where a handle comes from: what is the same in every run, whatever order its threads run in. */
struct hb__origin {
	uint16_t lane; /* of the thread that made it */
	uint64_t nth;  /* 0: not known */
};
struct hb__origin hb__origin_made(enum hb__numbered kind); /* of what this thread has just made */
int hb__number(
	enum hb__numbered kind, struct hb__origin from); /* under the lock: the number of one that has none yet */
int hb__number_free(enum hb__numbered kind);             /* under the lock: the next one, whatever its origin */
void hb__number_recorded(uint64_t number, uint64_t kind, uint64_t lane, uint64_t nth); /* replay: a definition */

#pragma GCC visibility pop

#endif
