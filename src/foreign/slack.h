/* How far the clocks of two places may be from each other, as what went from one to the other says. */
#ifndef HBDB_FOREIGN_SLACK_H
#define HBDB_FOREIGN_SLACK_H

#include <stddef.h>
#include <stdint.h>

struct hb__slack { /* something took at least so long by the clocks (ns), from one place to another */
	uint32_t from, to;
	int64_t least;
};

/* In the order of the pairs; of each pair the least one stays. How many there are then. */
size_t hb__slack_least(struct hb__slack *s, size_t n);

#endif
