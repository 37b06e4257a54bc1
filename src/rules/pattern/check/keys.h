/* The keys of a part of run, and how far each has come. */
#ifndef HBDB_RULES_PATTERN_KEYS_H
#define HBDB_RULES_PATTERN_KEYS_H

#include "rules/pattern/check/node.h"

struct hb__task { /* of one key; small, since it stays when the key is complete */
	hb__node *state;
	uint64_t events;
	uint32_t open; /* its place in the list of those whose state must be kept; HB_NO: not in it */
	uint32_t note; /* number of what else is known of it; HB_NO: nothing */
};
struct hb__note {
	uint64_t ambiguous_at, wrong, misordered_by; /* HB_PATTERN_NONE */
	bool undecided, misordered;
};

struct hb__keys {
	uint32_t nkeys;
	struct hb__task *task;
	hb__value *key; /* nkeys of each task */
	size_t n, room, key_room;
	uint32_t *table; /* number + 1, or 0 */
	size_t slots;
};

/* Its number; HB_NO: out of memory. *ret_new: it was not there; its state is then NULL. */
uint32_t hb__key(struct hb__keys *keys, const hb__value *key, bool *ret_new);
void hb__keys_free(struct hb__keys *keys);

#endif
