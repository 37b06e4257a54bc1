/* What can come next: the first events of what is left of a pattern, each with the last event that it follows. */
#ifndef HBDB_RULES_PATTERN_FIRST_H
#define HBDB_RULES_PATTERN_FIRST_H

#include "rules/pattern/check/node.h"

struct hb__front {
	hb__node *atom;
	hb_pattern_half half;
	uint64_t after;
};
struct hb__first {
	struct hb__front *at;
	hb_pattern_next *next;
	hb_pattern_value *key; /* of all, one behind the other */
	size_t n, room, next_room, key_room;
};

/* next[n], by process and by line of the model. False: out of memory, or the model has failed. */
bool hb__first_of(struct hb__engine *e, hb__node *n, struct hb__first *ret_first);
void hb__first_free(struct hb__first *first);

#endif
