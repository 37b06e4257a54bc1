/* The keys of a part of run, and how far each has come. */
#ifndef HBDB_RULES_PATTERN_KEYS_H
#define HBDB_RULES_PATTERN_KEYS_H

#include "rules/pattern/check/node.h"

struct hb__task { /* of one key; small, since it stays when the key is complete */
	union {
		hb__node *state;
		struct hb__packed *packed; /* when open is HB__PACKED */
	};
	uint64_t events;
	uint32_t open; /* its place in the list of those whose state must be kept; HB_NO: not in it; HB__PACKED */
	uint32_t note; /* number of what else is known of it; HB_NO: nothing */
};
#define HB__PACKED (HB_NO - 1)
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

/* ---- pack.c: states of keys that wait ---- */

struct hb__packed {
	struct hb__shape *shape; /* all but ids and keys */
	uint64_t id[];
};

/* The shapes, and room for the state at hand. Empty: all zero. */
struct hb__packer {
	struct hb__shape **slot; /* lists by their hashes; slots is a power of two */
	size_t slots, shapes;
	uint8_t *byte;
	uint64_t *id;
	const void **cell; /* by the order in which they were written */
	size_t bytes, byte_room, ids, id_room, cells, cell_room;
	const hb__value *key;
	uint32_t nkeys;
	bool no_memory;
};

/* The cells of n, of which no other state may hold any, are of no use afterwards. NULL: out of memory. */
struct hb__packed *hb__pack_state(struct hb__packer *packer, hb__node *n, const hb__value *key, uint32_t nkeys);
/* With the same key. It may be done several times. NULL: it has failed. */
hb__node *hb__unpack_state(
	struct hb__engine *e, struct hb__packer *packer, const struct hb__packed *packed, const hb__value *key);
bool hb__packed_nullable(const struct hb__packed *packed);
void hb__packed_free(struct hb__packer *packer, struct hb__packed *packed);
/* Every state, after each event: for tests. */
void hb__pack_always(hb_pattern_check *check);
/* When all that was packed is free. */
void hb__packer_free(struct hb__packer *packer);

#endif
