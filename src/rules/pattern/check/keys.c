/* Keys in a table. */
#include "rules/pattern/check/keys.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

static uint64_t hash_of(const struct hb__keys *k, const hb__value *key) { return hb__label(0, key, k->nkeys); }

static bool more_slots(struct hb__keys *k)
{
	size_t slots = k->slots ? k->slots * 2 : 256;
	uint32_t *table = calloc(slots, sizeof *table);
	if (!table)
		return false;
	for (size_t i = 0; i < k->n; i++) {
		size_t at = hash_of(k, k->key + i * k->nkeys) & (slots - 1);
		while (table[at])
			at = (at + 1) & (slots - 1);
		table[at] = (uint32_t)i + 1;
	}
	free(k->table);
	k->table = table;
	k->slots = slots;
	return true;
}

uint32_t hb__key(struct hb__keys *k, const hb__value *key, bool *ret_new)
{
	*ret_new = false;
	if (k->n * 3 >= k->slots * 2 && !more_slots(k))
		return HB_NO;
	size_t at = hash_of(k, key) & (k->slots - 1);
	for (; k->table[at]; at = (at + 1) & (k->slots - 1)) {
		uint32_t i = k->table[at] - 1;
		if (!k->nkeys || !memcmp(k->key + (size_t)i * k->nkeys, key, k->nkeys * sizeof *key))
			return i;
	}
	if (k->n == HB_NO - 1 || !HB_GROW(k->task, k->room, k->n + 1) ||
		!HB_GROW(k->key, k->key_room, (k->n + 1) * k->nkeys))
		return HB_NO;
	k->task[k->n] = (struct hb__task){.open = HB_NO, .note = HB_NO};
	if (k->nkeys)
		memcpy(k->key + k->n * k->nkeys, key, k->nkeys * sizeof *key);
	k->table[at] = (uint32_t)++k->n;
	*ret_new = true;
	return (uint32_t)k->n - 1;
}

void hb__keys_free(struct hb__keys *k)
{
	free(k->task);
	free(k->key);
	free(k->table);
}
