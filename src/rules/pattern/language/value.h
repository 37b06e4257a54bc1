/* Values of models in 8 bytes: integers, texts and sets of integers. The lowest 2^33 integers stand for texts and sets, by
 * their numbers; no integer of a model may be among them.
 *
 * Texts and sets are kept once each, so that equal ones have the same number, until hb__values_free. */
#ifndef HBDB_RULES_PATTERN_VALUE_H
#define HBDB_RULES_PATTERN_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int64_t hb__value;

#define HB__TEXTS INT64_MIN
#define HB__SETS (INT64_MIN + ((int64_t)1 << 32))
#define HB__LEAST (INT64_MIN + ((int64_t)1 << 33)) /* of integers */

static inline bool hb__is_text(hb__value v) { return v < HB__SETS; }
static inline bool hb__is_set(hb__value v) { return v >= HB__SETS && v < HB__LEAST; }
static inline bool hb__is_number(hb__value v) { return v >= HB__LEAST; }

/* Every bit of the result depends on every one of both. */
static inline uint64_t hb__mix(uint64_t a, uint64_t b)
{
	a = (a ^ b) * 0x9e3779b97f4a7c15u;
	a ^= a >> 32;
	a *= 0xd6e8feb86659fd93u;
	return a ^ a >> 29;
}

uint64_t hb__hash(const void *at, size_t size);

struct hb__kept { /* a text (size bytes, and a null behind them) or a set (size / 8 integers, ascending) */
	void *at;
	size_t size;
	uint64_t hash;
};
struct hb__store {
	struct hb__kept *kept;
	size_t n, room;
	uint32_t *table; /* number + 1, or 0; slots is a power of two */
	size_t slots;
};
struct hb__values {
	struct hb__store texts, sets;
};

/* HB__LEAST: out of memory, or more than 2^32 - 2 of them. */
hb__value hb__text(struct hb__values *values, const char *text, size_t length);
const char *hb__text_of(const struct hb__values *values, hb__value text, size_t *ret_length);
/* Any order, doubles too: `member` is sorted in place. */
hb__value hb__set(struct hb__values *values, int64_t *member, size_t n);
const int64_t *hb__members(const struct hb__values *values, hb__value set, size_t *ret_n);
bool hb__member(const struct hb__values *values, hb__value set, int64_t number);
/* Texts by their bytes, before numbers by size: below, at or above 0. */
int hb__compare_values_of(const struct hb__values *values, hb__value a, hb__value b);
void hb__values_free(struct hb__values *values);

#endif
