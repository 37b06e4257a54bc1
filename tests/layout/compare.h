/* A picture against the truth: every event a box or counted, every message an arrow or counted. */
#ifndef TESTS_LAYOUT_COMPARE_H
#define TESTS_LAYOUT_COMPARE_H

#include "truth.h"

struct compared {
	const struct truth *t;
	hb_layout *layout;
	const char *const *names;
	uint32_t nnames;
	long windows, boxes, arrows, merged, alternatives, rings, densities, mixed, crossing; /* seen */
	long wrong;
	long shown;
	const char *name; /* of what is compared */
};

/* Asks, and says what is wrong with the answer. */
void compare_window(struct compared *c, const hb_window *w);
/* x of all events, the last event at any x. */
void compare_places(struct compared *c);

#endif
