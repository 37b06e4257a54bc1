/* Sets of processes, by rank: `[0:3,5]` in the notation of the High Performance Debugging standard. */
#ifndef HBDB_SESSION_SET_H
#define HBDB_SESSION_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Ranks 0 to size - 1. Zeroed memory is a set of no process. */
typedef struct hb_set {
	int32_t size;
	uint64_t *bits;
} hb_set;

void hb_set_init(hb_set *set, int32_t size); /* empty; hb_set_free */
void hb_set_free(hb_set *set);
void hb_set_all(hb_set *set);
void hb_set_add(hb_set *set, int32_t rank); /* out of range: ignored */
void hb_set_remove(hb_set *set, int32_t rank);
bool hb_set_has(const hb_set *set, int32_t rank);
int32_t hb_set_count(const hb_set *set);
int32_t hb_set_next(const hb_set *set, int32_t from); /* the first member >= from, or -1 */
void hb_set_copy(hb_set *to, const hb_set *from);     /* to is initialised */
void hb_set_join(hb_set *to, const hb_set *other);
void hb_set_meet(hb_set *to, const hb_set *other);
void hb_set_without(hb_set *to, const hb_set *other);
bool hb_set_equal(const hb_set *a, const hb_set *b);

/* Reads `0`, `0:3`, `0:3,5`, `0:7:2` (every second), `*`; without brackets. Returns NULL, or what is wrong with it (static text), and where. */
const char *hb_set_read(const char *text, hb_set *to, const char **ret_at);
/* Writes `0:3,5` into `buffer`, cut with `...` when it does not fit; returns buffer. */
char *hb_set_write(const hb_set *set, char *buffer, size_t size);

#endif
