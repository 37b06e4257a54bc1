/* A hash table with open addressing over pages of its own, and a pool for what it points to. */
#include <pthread.h>
#include <sys/mman.h>

#include "capture/core/record/tables.h"

pthread_mutex_t hb__track_mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static uint32_t place(const struct hb__map *map, uint64_t key)
{
	return (uint32_t)(key * 0x9e3779b97f4a7c15u >> 32) & (map->size - 1);
}

void *hb__map_find(const struct hb__map *map, uint64_t key)
{
	if (!map->size)
		return NULL;
	for (uint32_t i = place(map, key); map->value[i]; i = (i + 1) & (map->size - 1))
		if (map->key[i] == key)
			return map->value[i];
	return NULL;
}

static bool grow(struct hb__map *map)
{
	struct hb__map old = *map;
	map->size = old.size ? old.size * 2 : 1024;
	map->key = hb__pages(map->size * sizeof *map->key);
	map->value = hb__pages(map->size * sizeof *map->value);
	map->used = 0;
	if (!map->key || !map->value) {
		*map = old;
		return false;
	}
	for (uint32_t i = 0; i < old.size; i++)
		if (old.value[i])
			hb__map_put(map, old.key[i], old.value[i]);
	if (old.size) {
		munmap(old.key, old.size * sizeof *old.key);
		munmap(old.value, old.size * sizeof *old.value);
	}
	return true;
}

/* Where the key stands, or would stand: then there is no value. */
static uint32_t cell_of(const struct hb__map *map, uint64_t key)
{
	uint32_t i = place(map, key);
	while (map->value[i] && map->key[i] != key)
		i = (i + 1) & (map->size - 1);
	return i;
}

static bool has_room(struct hb__map *map) { return map->used * 2 < map->size || grow(map); }

/* Puts a value into a cell; what was there before. */
static void *fill(struct hb__map *map, uint32_t i, uint64_t key, void *value)
{
	void *before = map->value[i];
	map->used += !before;
	map->key[i] = key;
	map->value[i] = value;
	return before;
}

bool hb__map_put(struct hb__map *map, uint64_t key, void *value)
{
	if (!has_room(map))
		return false;
	fill(map, cell_of(map, key), key, value);
	return true;
}

void *hb__map_swap(struct hb__map *map, uint64_t key, void *value)
{
	return has_room(map) ? fill(map, cell_of(map, key), key, value) : NULL;
}

/* Closes the gap by moving up what still finds its place (Knuth, vol. 3, 6.4, algorithm R). value NULL: whatever is there. */
static void removed(struct hb__map *map, uint64_t key, const void *value)
{
	if (!map->size)
		return;
	uint32_t mask = map->size - 1, i = place(map, key);
	while (map->value[i] && map->key[i] != key)
		i = (i + 1) & mask;
	if (!map->value[i] || (value && map->value[i] != value))
		return;
	for (uint32_t j = i;;) {
		j = (j + 1) & mask;
		if (!map->value[j])
			break;
		if (((j - place(map, map->key[j])) & mask) >= ((j - i) & mask)) {
			map->key[i] = map->key[j];
			map->value[i] = map->value[j];
			i = j;
		}
	}
	map->value[i] = NULL;
	map->used--;
}

void hb__map_remove(struct hb__map *map, uint64_t key) { removed(map, key, NULL); }
void hb__map_remove_if(struct hb__map *map, uint64_t key, const void *value) { removed(map, key, value); }

void *hb__pool(size_t bytes)
{
	static uint8_t *at, *end;
	bytes = (bytes + 15) & ~(size_t)15;
	if ((size_t)(end - at) < bytes) {
		size_t size = bytes > 65536 ? bytes : 65536;
		uint8_t *p = hb__pages(size);
		if (!p)
			return NULL;
		at = p;
		end = p + size;
	}
	void *p = at;
	at += bytes;
	return p;
}
